import type { Answer, AskedQuestion } from '../../functions/shapes.ts';
import { UserError } from '../user-error.ts';
import type { Api } from './api.ts';
import { readArgs } from './args.ts';
import { connect } from './connect.ts';
import { count, say, sourceName } from './printing.ts';

type Source = AskedQuestion['sources'][number];

/** Prints what came of a question and why. */
export async function explain(args: string[]): Promise<number> {
  const { positionals, values, place } = readArgs(args, ['CALL_ID'], {
    again: { type: 'boolean' },
    as: { type: 'string' },
  });
  const api = await connect(place, values.as);
  const asked = await api.call<AskedQuestion>('GET', `/v1/questions/${encodeURIComponent(positionals[0] ?? '')}`);
  sayQuestion(asked);
  saySources(asked.sources);
  sayTimes(asked.timings);
  if (values.again === true) await searchAgain(api, asked);
  return 0;
}

function sayQuestion(asked: AskedQuestion): void {
  const { standaloneQuestion: standalone, language, cold, model, tokens, dropped, removedCitations, support } = asked;
  const unsupported = (support ?? []).filter(({ verdict }) => verdict !== 'supported');
  const rows: [string, string | null][] = [
    ['question', asked.question ?? '(its text is not kept)'],
    ['searched', standalone],
    ['asked', `${asked.askedAt} by employee ${asked.employeeId}${language === null ? '' : `, in ${language}`}`],
    ['outcome', asked.outcome + (asked.reason === null ? '' : `, ${asked.reason}`)],
    ['because', decidedBy(asked)],
    ['answer', asked.answer],
    ['model', model === null ? 'none was asked' : model],
    ['tokens', tokens === null ? null : `${tokens.prompt} read, ${tokens.completion} written`],
    [
      'left out',
      dropped === null || dropped === 0 ? null : `${count(dropped, 'source')} that did not fit before the model`,
    ],
    ['removed', removedCitations.length === 0 ? null : `${removedCitations.join(' ')}, which cited no source`],
    ...unsupported.map(({ sentence, verdict }): [string, string] => [verdict, sentence ?? '(its text is not kept)']),
    ['process', cold === true ? 'cold: the first call of its process' : null],
  ];
  for (const [name, value] of rows) {
    if (value !== null) say(`${name.padEnd(12)}${value.replaceAll('\n', `\n${' '.repeat(12)}`)}`);
  }
}

/** What the outcome rests on, in figures. */
function decidedBy({ outcome, reason, sources, cutoff, errorCode }: AskedQuestion): string {
  const distances = sources.flatMap(({ distance }) => (distance === null ? [] : [distance]));
  const nearest = distances.length === 0 ? null : Math.min(...distances);
  const near = nearest === null ? 'no source was found by its meaning' : `the nearest was ${nearest.toFixed(3)}`;
  switch (outcome) {
    case 'off_topic':
      if (reason === 'language_mismatch') {
        return 'the embedding model does not know the language of the question, and too few of its words were found';
      }
      return `nothing nearer than ${cutoff ?? 'the cutoff'}: ${near}`;
    case 'not_found':
      return `there were sources near enough (${near}), but none was found to hold the answer`;
    case 'failed':
      return errorCode === null ? 'it failed' : `it failed with ${errorCode}`;
    case 'answered':
      return `${sources.filter(({ cited }) => cited).length} of ${count(sources.length, 'source')} cited; ${near}`;
  }
}

const figure = (value: number | null, digits: number) => (value === null ? '-' : value.toFixed(digits));

function saySources(sources: Source[]): void {
  if (sources.length === 0) return;
  say('\n      cited  distance   words   fused  source');
  for (const source of sources) {
    const { n, cited, distance, textScore, fused, exact, title } = source;
    const figures = `${figure(distance, 3).padStart(8)}${figure(textScore, 2).padStart(8)}${figure(fused, 3).padStart(8)}`;
    const named = exact ? ', asked for in the question' : '';
    say(
      `${`[${n}]`.padStart(5)} ${cited ? '  yes' : '     '}  ${figures}  ${sourceName(source)}  ${title ?? '(gone, or not to be seen)'}${named}`,
    );
  }
}

const BAR_WIDTH = 40;

function sayTimes(timings: AskedQuestion['timings']): void {
  const stages = Object.entries(timings);
  if (stages.length === 0) return;
  const longest = Math.max(...stages.map(([, ms]) => ms));
  say('');
  for (const [stage, ms] of stages) {
    const bar = '█'.repeat(longest === 0 ? 0 : Math.ceil((ms / longest) * BAR_WIDTH));
    say(`${stage.padEnd(12)}${ms.toFixed(1).padStart(9)} ms  ${bar}`);
  }
}

/** Searches for the same again, and prints how the sources differ from those of then. */
async function searchAgain(api: Api, { question, standaloneQuestion, sources }: AskedQuestion): Promise<void> {
  const text = standaloneQuestion ?? question;
  if (text === null) throw new UserError('The text of this question is not kept, so that it cannot be asked again');
  const { outcome, citations } = await api.call<Answer>('POST', '/v1/search', {
    question: text,
    ...(sources.length === 0 ? {} : { topK: sources.length }),
  });
  say(`\nAgain, now: ${outcome}`);
  const before = placesOf(sources);
  const now = placesOf(citations);
  const changes = [
    ...[...now].flatMap(([name, n]) => {
      const then = before.get(name);
      return then === n ? [] : [`  ${then === undefined ? 'new' : `was [${then}]`}, is [${n}]: ${name}`];
    }),
    ...[...before].flatMap(([name, n]) => (now.has(name) ? [] : [`  was [${n}], is gone: ${name}`])),
  ];
  if (changes.length === 0) say('  the same sources in the same order');
  for (const change of changes) say(change);
}

/** The first place of each source, by its name. */
function placesOf(sources: { n: number; sourceType: string; sourceId: string }[]): Map<string, number> {
  return new Map(sources.map((source) => [sourceName(source), source.n] as const).reverse());
}
