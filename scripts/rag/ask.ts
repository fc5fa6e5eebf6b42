import type { Answer } from '../../functions/shapes.ts';
import { UserError } from '../user-error.ts';
import { optionsOf, readArgs } from './args.ts';
import { connect } from './connect.ts';
import { say, sourceName } from './printing.ts';

/** Asks one question and prints what came of it; that nothing was found is an answer too. */
export async function ask(args: string[]): Promise<number> {
  const { positionals, values, place } = readArgs(args, ['QUESTION'], {
    'top-k': { type: 'string' },
    as: { type: 'string' },
  });
  const topK = values['top-k'];
  if (topK !== undefined && !/^\d{1,6}$/.test(topK)) {
    throw new UserError(`--top-k must be a whole number from 1 to 50, got ${topK}`);
  }
  const api = await connect(place, values.as);
  const answer = await api.call<Answer>('POST', '/v1/ask', {
    question: positionals[0],
    ...(topK === undefined ? {} : { topK: Number(topK) }),
  });
  say(answer.answer);
  for (const { sentence, verdict, missing } of answer.support ?? []) {
    if (verdict !== 'unsupported') continue;
    const what = missing.length > 0 ? `its sources do not have ${missing.join(', ')}` : 'its sources do not say so';
    say(`\nNot borne out: "${sentence}" (${what})`);
  }
  if (answer.citations.length > 0) {
    say('\nSources');
    for (const { n, title, heading, distance, ...source } of answer.citations) {
      const place = heading === null ? title : `${title} > ${heading}`;
      say(`  [${n}] ${sourceName(source)}  ${place}  (distance ${distance.toFixed(3)})`);
    }
  }
  const by = answer.model === null ? '' : `, by ${answer.model}`;
  say(
    `\n${answer.outcome} in ${Math.round(answer.timings.total ?? 0)} ms${by}; why: npm run rag -- explain ${answer.callId}${optionsOf(place)}`,
  );
  return 0;
}
