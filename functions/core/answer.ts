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
