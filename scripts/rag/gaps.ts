import type { Gaps } from '../../functions/shapes.ts';
import { UserError } from '../user-error.ts';
import { readArgs } from './args.ts';
import { connect } from './connect.ts';
import { count, say } from './printing.ts';

/** Prints what was asked and not found, the most asked first. */
export async function gaps(args: string[]): Promise<number> {
  const { values, place } = readArgs(args, [], { days: { type: 'string' } });
  const days = values.days ?? '30';
  if (!/^\d{1,6}$/.test(days)) throw new UserError(`--days must be a whole number from 1 to 3650, got ${days}`);
  const api = await connect(place, undefined);
  const found = await api.call<Gaps>('GET', `/v1/gaps?days=${days}`);
  if (found.gaps.length === 0) say(`Nothing that was asked in the last ${count(Number(days), 'day')} went unanswered`);
  for (const { question, count: times, people, outcomes, lastAskedAt, examples } of found.gaps) {
    const ended = [
      [outcomes.not_found, 'not found'],
      [outcomes.off_topic, 'off topic'],
    ] as const;
    const told = ended.flatMap(([n, what]) => (n === 0 ? [] : [`${n} ${what}`])).join(', ');
    say(`${String(times).padStart(4)} × ${oneLine(question)}`);
    say(`       by ${people === 1 ? '1 person' : `${people} people`}; ${told}; last at ${lastAskedAt}`);
    for (const example of examples) say(`       also: ${oneLine(example)}`);
  }
  if (found.withoutText > 0) say(`\n${count(found.withoutText, 'question')} more, whose texts are not kept`);
  if (!found.complete) say('\nThere are more; these are the newest');
  return 0;
}

const LONGEST = 200;

const oneLine = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
};
