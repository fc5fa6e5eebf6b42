import { randomUUID } from 'node:crypto';
import type { Exchange, Exchanged, Sent } from './exchange.ts';
import { fieldOf } from './exchange.ts';
import type { Person } from './people.ts';
import type { Target } from './probes.ts';
import type { Random } from './random.ts';
import { compareTimes, type TimeComparison } from './timing.ts';

/** A response that tells that something exists which its asker may not see. */
export interface Difference {
  askerId: number;
  sent: Sent;
  /** What was different, without and with the record. */
  without: string;
  with: string;
}

/** A question as it was answered before the records were there. */
interface Before {
  asker: Person;
  sent: Sent;
  outcome: string;
  found: string;
}

/** So many questions are asked twice. */
const QUESTIONS = 60;

/**
 * The same questions in two worlds, without the records of `targets` and with them: `askers`, who may not see these and whose
 * own are there in both, must be answered the same.
 */
export class TwoWorlds {
  readonly #exchange: Exchange;
  readonly #questions: { asker: Person; sent: Sent }[];
  readonly #before: Before[] = [];

  constructor(exchange: Exchange, random: Random, askers: Person[], targets: Target[]) {
    this.#exchange = exchange;
    this.#questions = Array.from({ length: QUESTIONS }, (): { asker: Person; sent: Sent } => {
      const { taskId, secrets } = random.pick(targets);
      const question = random.pick([
        `What does TASK ${taskId} say?`,
        `${secrets.titleWord} ${secrets.commentWord}`,
        `Who has been told of ${secrets.commentWord}?`,
        `What is in the file ${secrets.code}?`,
        `¿Quién es ${secrets.spanishWord}?`,
      ]);
      const path = random.pick(['/v1/ask', '/v1/search']);
      return { asker: random.pick(askers), sent: { method: 'POST', path, body: { question } } };
    });
  }

  async askBefore(): Promise<void> {
    for (const { asker, sent } of this.#questions) {
      this.#before.push({ asker, sent, ...whatIsTold(await this.#exchange.send(asker.token, sent)) });
    }
  }

  /** `outcomes`: where the answer is of another kind now. `orders`: how often only the sources or their order differ. */
  async askAfter(): Promise<{ asked: number; outcomes: Difference[]; orders: number }> {
    const outcomes: Difference[] = [];
    let orders = 0;
    for (const { asker, sent, outcome, found } of this.#before) {
      const now = whatIsTold(await this.#exchange.send(asker.token, sent));
      if (now.outcome !== outcome) {
        outcomes.push({ askerId: asker.employeeId, sent, without: outcome, with: now.outcome });
      } else if (now.found !== found) orders++;
    }
    return { asked: this.#before.length, outcomes, orders };
  }
}

/** What an answer tells of what there is: its kind, and its sources in their order with their distances. */
function whatIsTold({ status, json }: Exchanged): { outcome: string; found: string } {
  const citations = fieldOf(json, 'citations');
  const found = (Array.isArray(citations) ? citations : []).map((citation: unknown) =>
    ['sourceType', 'sourceId', 'distance'].map((name) => String(fieldOf(citation, name))).join(' '),
  );
  return {
    outcome: `${status} ${String(fieldOf(json, 'outcome') ?? fieldOf(json, 'code'))}`,
    found: found.join(', '),
  };
}

/** Headers that differ from call to call by themselves. */
const OWN_HEADERS = new Set(['date', 'x-call-id', 'content-length', 'opc-request-id', 'keep-alive']);

/** Everything of a response but what names the call or the id that was asked for. */
function anonymous({ status, headers, text, json }: Exchanged, id: string): string {
  const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name));
  const callId = fieldOf(json, 'callId');
  const body = typeof callId === 'string' ? text.replaceAll(callId, 'CALL') : text;
  return JSON.stringify([status, Object.fromEntries(kept), body]).replaceAll(id, 'ID');
}

/** What is read by an id: of a record that may not be seen, and of none. */
const BY_ID: {
  what: string;
  path: (target: Target) => { hidden: string; absent: string; of: (id: string) => string };
}[] = [
  { what: 'GET /v1/tasks/{id}', path: byTaskId((id) => `/v1/tasks/${id}`) },
  { what: 'GET /v1/sources/task/{id}', path: byTaskId((id) => `/v1/sources/task/${id}`) },
  {
    what: 'GET /v1/questions/{callId}',
    path: ({ callIds }) => ({
      hidden: callIds[0] ?? randomUUID(),
      absent: randomUUID(),
      of: (id) => `/v1/questions/${id}`,
    }),
  },
];

/** So far beyond the records of the test that nothing is there, and of as many digits. */
const ABSENT_BEYOND = 500_000;

function byTaskId(of: (id: string) => string) {
  return ({ taskId }: Target) => ({ hidden: String(taskId), absent: String(taskId + ABSENT_BEYOND), of });
}

/**
 * Reads by id what exists and may not be seen, and what does not exist, in turns: the two must be alike to the byte, and are
 * compared in their times. Questions with words of a record and with words of none are compared in their times alone.
 */
export async function compareByTurns(
  exchange: Exchange,
  random: Random,
  askers: Person[],
  targets: Target[],
  turns: number,
): Promise<{ differences: Difference[]; times: TimeComparison[] }> {
  const differences: Difference[] = [];
  const times: TimeComparison[] = [];
  const pairOf = (path: (target: Target) => { hidden: string; absent: string; of: (id: string) => string }) => () => {
    const asker = random.pick(askers);
    const target = random.pick(targets.filter(({ ownerId }) => ownerId !== asker.employeeId));
    const { hidden, absent, of } = path(target);
    const get = (id: string): Sent => ({ method: 'GET', path: of(id) });
    return { asker, hidden: { id: hidden, sent: get(hidden) }, absent: { id: absent, sent: get(absent) } };
  };
  const wordPair = () => {
    const asker = random.pick(askers);
    const { secrets } = random.pick(targets.filter(({ ownerId }) => ownerId !== asker.employeeId));
    const search = (word: string): Sent => ({
      method: 'POST',
      path: '/v1/search',
      body: { question: `What is ${word}?` },
    });
    const none = random.word();
    return {
      asker,
      hidden: { id: secrets.titleWord, sent: search(secrets.titleWord) },
      absent: { id: none, sent: search(none) },
    };
  };
  const pairs = [
    ...BY_ID.map(({ what, path }) => ({ what, make: pairOf(path), isSame: true })),
    { what: 'POST /v1/search by words', make: wordPair, isSame: false },
  ];
  for (const { what, make, isSame } of pairs) {
    const [hiddenTimes, absentTimes]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < turns; turn++) {
      const { asker, hidden, absent } = make();
      const answer = async ({ id, sent }: { id: string; sent: Sent }) => {
        const response = await exchange.send(asker.token, sent);
        return { ms: response.ms, told: anonymous(response, id) };
      };
      // Whichever comes first has the colder caches.
      const isHiddenFirst = random.next() < 0.5;
      const first = await answer(isHiddenFirst ? hidden : absent);
      const second = await answer(isHiddenFirst ? absent : hidden);
      const [ofHidden, ofAbsent] = isHiddenFirst ? [first, second] : [second, first];
      hiddenTimes.push(ofHidden.ms);
      absentTimes.push(ofAbsent.ms);
      if (isSame && ofHidden.told !== ofAbsent.told) {
        differences.push({ askerId: asker.employeeId, sent: hidden.sent, without: ofAbsent.told, with: ofHidden.told });
      }
    }
    times.push(compareTimes(what, hiddenTimes, absentTimes));
  }
  return { differences, times };
}
