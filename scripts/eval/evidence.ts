import type { Found } from '../../functions/ask/retrieve.ts';
import { bestCoverage } from '../../functions/core/evidence.ts';
import { fuse } from '../../functions/core/fusion.ts';
import { detectLanguage } from '../../functions/core/language.ts';

/** What speaks for a question's being on the subject of what was found for it. */
export interface Evidence {
  /** Whether it names something that was found. */
  isNamed: boolean;
  /** The smallest cosine distance; null where the model does not understand the question's language, or nothing was found. */
  distance: number | null;
  /** The largest share of its words that one passage has. */
  coverage: number;
}

/** The evidence that the product itself goes by: that of the passages it would answer from. */
export function evidenceOf(
  question: string,
  { candidates, named }: Found,
  { topK, vectorWeight, languages }: { topK: number; vectorWeight: number; languages: 'en' | 'any' },
): Evidence {
  const hits = fuse(candidates, { vectorWeight, topK, maxPerSource: 0, named });
  const isUnderstood = languages === 'any' || detectLanguage(question) === 'en';
  return {
    isNamed: hits.some(({ naming }) => naming !== null),
    distance: isUnderstood && hits.length > 0 ? Math.min(...hits.map(({ distance }) => distance)) : null,
    coverage: bestCoverage(question, hits),
  };
}
