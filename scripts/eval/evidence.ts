import type { Found } from '../../functions/ask/retrieve.ts';
import { bestCoverage } from '../../functions/core/evidence.ts';
import { fuse, weightOf } from '../../functions/core/fusion.ts';
import { type KnownLanguages, understands } from '../../functions/core/language.ts';

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
  { candidates, named, sort }: Found,
  { topK, vectorWeight, languages }: { topK: number; vectorWeight: number; languages: KnownLanguages },
): Evidence {
  const hits = fuse(candidates, {
    vectorWeight: weightOf(question, vectorWeight, languages),
    topK,
    maxPerSource: 0,
    named,
    sort,
  });
  const isUnderstood = understands(languages, question);
  return {
    isNamed: hits.some(({ naming }) => naming !== null),
    distance: isUnderstood && hits.length > 0 ? Math.min(...hits.map(({ distance }) => distance)) : null,
    coverage: bestCoverage(question, hits),
  };
}
