import type { Language } from './words.ts';

/** `answered` with citations, `not_found` in the sources that were near, `off_topic` when nothing was near. */
export type Outcome = 'answered' | 'not_found' | 'off_topic';

/** The fixed sentences, one per language that questions are recognised in. */
export const OFF_TOPIC: Record<Language, string> = {
  en: 'That question is outside the records I can search.',
  es: 'Esa pregunta está fuera de los registros en los que puedo buscar.',
};

export const NOT_FOUND: Record<Language, string> = {
  en: 'I could not find the answer in the records you may see.',
  es: 'No encontré la respuesta en los registros que puedes ver.',
};

/** Whether anything was near enough to be worth an answer: the nearest distance against the model's cutoff. */
export function isOnTopic(distances: number[], cutoff: number): boolean {
  return distances.some((distance) => distance <= cutoff);
}
