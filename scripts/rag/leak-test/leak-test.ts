import { randomInt } from 'node:crypto';
import { readUrl } from '../../dev/data-folder.ts';
import { UserError } from '../../user-error.ts';
import { Api, ApiError } from '../api.ts';
import { type Place, readArgs } from '../args.ts';
import { count, say } from '../printing.ts';
import { issueToken } from '../who.ts';
import { makeCanaries } from './canaries.ts';
import { runControls } from './controls.ts';
import { Exchange, fieldOf } from './exchange.ts';
import { identify, issueTokens, type Person, readTokens } from './people.ts';
import type { Target } from './probes.ts';
import { Random } from './random.ts';
import { TestRecords } from './records.ts';
import { type Findings, report } from './report.ts';
import { askAll } from './run.ts';
import { Scanner } from './scan.ts';
import { compareByTurns, TwoWorlds } from './worlds.ts';

/** What is tested, and how thoroughly. */
interface Job {
  url: string;
  place: Place;
  questions: number;
  people: number;
  concurrency: number;
  seed: number;
  keep: boolean;
  tokensFile: string | null;
}

/** Ids of their own, far beyond what people number: those of the test's people and tasks begin here. */
const FIRST_ID = 7_000_000_000_000;
/** Each seed has a thousand ids. */
const IDS_OF_A_SEED = 1_000;
const MAX_SEED = 1_000_000_000;
/** How often what is hidden and what is not there are asked for in turns: for each hundred questions, and at most. */
const TURNS = { per100: 2, most: 100, least: 10 };

/**
 * Writes a secret record for each of several people, has everybody else ask for it in every way there is, and looks for it in all
 * that comes back. Resolves to 1 where something has leaked, or where the test has proved nothing.
 */
export async function leakTest(args: string[]): Promise<number> {
  const job = await readJob(args);
  const stop = new AbortController();
  const onSignal = () => stop.abort(new UserError('Stopped'));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const records = new TestRecords(new Api(async () => job.url, await writingToken(job.place)));
  try {
    const findings = await test(job, records, stop.signal);
    return report(findings) ? 0 : 1;
  } catch (error) {
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    await tidyUp(job, records);
    process.removeListener('SIGINT', onSignal).removeListener('SIGTERM', onSignal);
  }
}

async function test(job: Job, records: TestRecords, signal: AbortSignal): Promise<Findings> {
  const random = new Random(job.seed);
  const exchange = new Exchange(job.url, signal);
  const firstId = FIRST_ID + job.seed * IDS_OF_A_SEED;
  const writtenIds = job.tokensFile === null ? Array.from({ length: job.people }, (_, i) => firstId + i) : [];
  const tokens = job.tokensFile === null ? await issueTokens(job.place, writtenIds) : await readTokens(job.tokensFile);
  if (writtenIds.length > 0) await refuseKnownPeople(exchange, tokens.at(-1)?.token ?? '', writtenIds);
  await records.writePeople(writtenIds);
  const everybody = await identify(exchange, tokens);
  const askers = everybody.filter(({ seesEverything }) => !seesEverything).slice(0, job.people);
  const seeing = everybody.filter(({ seesEverything }) => seesEverything);
  if (askers.length < 2) throw new UserError('It takes at least two people who are neither managers nor admins');

  const canaries = makeCanaries(
    random,
    askers.map(({ employeeId }) => employeeId),
    firstId,
  );
  const targets = canaries.map((canary, index): Target => ({ ...canary, index, callIds: [] }));
  await records.refuseToOverwrite(canaries);
  const isFirst = (_: unknown, i: number) => i % 2 === 0;
  const isSecond = (_: unknown, i: number) => i % 2 === 1;
  say(`Writing ${count(canaries.length, 'secret record')}, and asking before and after half of them are there …`);
  await records.writeCanaries(canaries.filter(isFirst));
  await records.untilIndexed(canaries.filter(isFirst), signal);
  const firstAskers = askers.filter(isFirst);
  const worlds = new TwoWorlds(exchange, random, firstAskers, targets.filter(isSecond));
  await worlds.askBefore();
  const chunksBefore = await countChunks(exchange, firstAskers);
  await records.writeCanaries(canaries.filter(isSecond));
  const written = await records.untilIndexed(canaries.filter(isSecond), signal);
  const compared = await worlds.askAfter();
  const chunksAfter = await countChunks(exchange, firstAskers);

  const scanner = new Scanner(canaries);
  const controls = await runControls(exchange, [...askers, ...seeing], targets, scanner);
  const { questions, concurrency } = job;
  const asked = await askAll(exchange, random, scanner, { askers, targets, questions, concurrency });
  say('Comparing times …');
  const turns = Math.min(TURNS.most, Math.max(TURNS.least, Math.floor((questions / 100) * TURNS.per100)));
  return {
    controls,
    asked,
    worlds: compared,
    byTurns: await compareByTurns(exchange, random, askers, targets, turns),
    counts: firstAskers.map(({ employeeId }, i) => ({
      employeeId,
      rise: (chunksAfter[i] ?? Number.NaN) - (chunksBefore[i] ?? Number.NaN),
      written,
    })),
    repeats: exchange.repeats,
  };
}

const OPTIONS = {
  questions: { type: 'string' },
  people: { type: 'string' },
  concurrency: { type: 'string' },
  seed: { type: 'string' },
  tokens: { type: 'string' },
  keep: { type: 'boolean' },
  yes: { type: 'boolean' },
} as const;

async function readJob(args: string[]): Promise<Job> {
  const { values, place } = readArgs(args, [], OPTIONS);
  const number = (name: 'questions' | 'people' | 'concurrency' | 'seed', min: number, max: number, usual: number) => {
    const value = values[name];
    if (value === undefined) return usual;
    if (/^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    throw new UserError(`--${name} must be a whole number from ${min} to ${max}, got ${value}`);
  };
  const job = {
    place,
    questions: number('questions', 1, 1_000_000, 10_000),
    people: number('people', 2, 100, 8),
    concurrency: number('concurrency', 1, 64, 8),
    seed: number('seed', 0, MAX_SEED, randomInt(MAX_SEED)),
    keep: values.keep === true,
    tokensFile: values.tokens ?? null,
  };
  const url = place.url ?? (await readUrl(place.data));
  if (url === null) throw new UserError(`oci-rag is not running on the data folder ${place.data}; run npm start`);
  if (place.url !== null && job.tokensFile === null) {
    throw new UserError('--url needs --tokens FILE, with a line "employeeId token" for each of several people');
  }
  announce({ ...job, url });
  if (place.url !== null && values.yes !== true) {
    throw new UserError('Nothing has been written or asked. Add --yes to do so');
  }
  return { ...job, url };
}

/** What the test does to a deployment, before it does it. */
function announce({ url, questions, people, seed, tokensFile, keep }: Job): void {
  const firstId = FIRST_ID + seed * IDS_OF_A_SEED;
  const last = firstId + IDS_OF_A_SEED - 1;
  const written =
    tokensFile === null
      ? `${people} developers, and a task with a comment for each`
      : `a task with a comment for each developer of ${tokensFile}, at most ${people}`;
  say(`The leak test of ${url} (--seed ${seed})`);
  say(`  writes ${written}, all under ids from ${firstId} to ${last};`);
  say(`  asks ${questions} questions and some hundred more, which call the answering model, where there is one;`);
  say(
    keep
      ? '  keeps the records at the end (--keep).'
      : '  removes the records at the end, also when it is stopped by Ctrl-C.',
  );
  say(
    '  What stays: the questions, in the question log, until its retention removes them, and the ids of what was removed.',
  );
}

async function writingToken(place: Place): Promise<string> {
  const given = process.env.RAG_TOKEN ?? '';
  if (given !== '') return given;
  if (place.url !== null)
    throw new UserError('Set RAG_TOKEN to a token that may write records, with the scope rag.write');
  return issueToken(place.data, 'manager');
}

async function refuseKnownPeople(exchange: Exchange, seeingToken: string, ids: number[]): Promise<void> {
  for (const id of ids) {
    const { status } = await exchange.send(seeingToken, { method: 'GET', path: `/v1/employees/${id}` });
    if (status === 404) continue;
    throw status === 200
      ? new UserError(`There is an employee ${id} already: nothing is overwritten; take another --seed`)
      : new UserError(`Whether there is an employee ${id} could not be seen (HTTP ${status})`);
  }
}

/** The chunks that each of the people is told of. */
async function countChunks(exchange: Exchange, people: Person[]): Promise<number[]> {
  const counts: number[] = [];
  for (const { token } of people) {
    const { json } = await exchange.send(token, { method: 'GET', path: '/v1/status' });
    counts.push(Number(fieldOf(json, 'chunks')));
  }
  return counts;
}

async function tidyUp({ keep }: Job, records: TestRecords): Promise<void> {
  if (records.tell() === '') return;
  if (keep) return say(`The records are kept: ${records.tell()}`);
  try {
    await records.remove();
    say('The records of the test are removed');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say(`The records of the test could not be removed (${error.message}): ${records.tell()}`);
  }
}
