import type { Language } from './language.ts';

/** `answered` with citations, `not_found` in the sources that were near, `off_topic` when nothing was near. */
export type Outcome = 'answered' | 'not_found' | 'off_topic';

/** The fixed sentences, one per language that questions are recognised in. */
export const OFF_TOPIC: Record<Language, string> = {
  en: 'That question is outside the records I can search.',
  es: 'Esa pregunta está fuera de los registros en los que puedo buscar.',
  fr: 'Cette question sort des dossiers dans lesquels je peux chercher.',
  de: 'Diese Frage liegt außerhalb der Unterlagen, die ich durchsuchen kann.',
  pt: 'Essa pergunta está fora dos registos em que posso procurar.',
  it: 'Questa domanda è al di fuori dei documenti in cui posso cercare.',
};

export const NOT_FOUND: Record<Language, string> = {
  en: 'I could not find the answer in the records you may see.',
  es: 'No encontré la respuesta en los registros que puedes ver.',
  fr: "Je n'ai pas trouvé la réponse dans les dossiers que vous pouvez consulter.",
  de: 'Ich habe die Antwort in den Unterlagen, die Sie sehen dürfen, nicht gefunden.',
  pt: 'Não encontrei a resposta nos registos que pode ver.',
  it: 'Non ho trovato la risposta nei documenti che puoi vedere.',
};

/** Where the embedding model knows English alone and a question in another language finds nothing. */
export const LANGUAGE_MISMATCH: Record<Language, string> = {
  en: 'I search these records by meaning in English only. Ask in English, or with the words that stand in the record.',
  es: 'En estos registros solo busco por significado en inglés. Pregunta en inglés, o con las palabras que figuran en el registro.',
  fr: 'Dans ces dossiers, je ne cherche par le sens qu’en anglais. Posez la question en anglais, ou avec les mots qui figurent dans le dossier.',
  de: 'In diesen Unterlagen suche ich nur auf Englisch nach der Bedeutung. Fragen Sie auf Englisch oder mit den Wörtern, die in den Unterlagen stehen.',
  pt: 'Nestes registos só procuro pelo significado em inglês. Pergunte em inglês, ou com as palavras que estão no registo.',
  it: 'In questi documenti cerco per significato solo in inglese. Chiedi in inglese, o con le parole che compaiono nel documento.',
};

/** What the sentence on a validated fix says. */
export interface ValidatedFix {
  /** The number of its source. */
  n: number;
  version: string;
  /** Module and environment, as far as they are known. */
  places: string[];
  /** Versions that were asked about, and that it was not validated for. */
  others: string[];
}

const versionOf = ({ version, places }: ValidatedFix) =>
  version + (places.length === 0 ? '' : ` (${places.join(', ')})`);
const otherThan = ({ others }: ValidatedFix, but: string) =>
  others.length === 0 ? '' : `, ${but} ${others.join(', ')}`;

/** The sentence with which each answer ends that rests on a validated fix, so that none passes for another version's. */
export const VALIDATED_FOR: Record<Language, (fix: ValidatedFix) => string> = {
  en: (fix) => `The fix in [${fix.n}] was validated for version ${versionOf(fix)}${otherThan(fix, 'not for')}.`,
  es: (fix) => `La solución de [${fix.n}] se validó para la versión ${versionOf(fix)}${otherThan(fix, 'no para')}.`,
  fr: (fix) =>
    `La solution de [${fix.n}] a été validée pour la version ${versionOf(fix)}${otherThan(fix, 'et non pour')}.`,
  de: (fix) => `Die Lösung in [${fix.n}] wurde für Version ${versionOf(fix)} bestätigt${otherThan(fix, 'nicht für')}.`,
  pt: (fix) => `A solução em [${fix.n}] foi validada para a versão ${versionOf(fix)}${otherThan(fix, 'não para')}.`,
  it: (fix) =>
    `La soluzione in [${fix.n}] è stata convalidata per la versione ${versionOf(fix)}${otherThan(fix, 'non per')}.`,
};
