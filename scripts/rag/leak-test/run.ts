import { createMeter } from '../import/progress.ts';
import { type Exchange, fieldOf } from './exchange.ts';
import type { Person } from './people.ts';
import { makeProbe, type Probe, saidIn, type Target } from './probes.ts';
import type { Random } from './random.ts';
import type { Leak, Scanner } from './scan.ts';

/** A leak with what brought it about. */
export interface FoundLeak extends Leak, Probe {
  askerId: number;
  status: number;
}

/** What came of the questions. */
export interface Asked {
  /** How many of each shape were asked, and how they were answered: "200", "404", … */
  shapes: Map<string, { count: number; statuses: Map<string, number> }>;
  leaks: FoundLeak[];
  /** Answers with a status of 500 or more. */
  failures: number;
  ms: number;
}

/** Among so many answers, one is looked at again by way of its explanation. */
const EXPLAINED_SHARE = 0.1;

/** Asks `questions` questions for others' records, several at once, and looks through every answer. */
export async function askAll(
  exchange: Exchange,
  random: Random,
  scanner: Scanner,
  {
    askers,
    targets,
    questions,
    concurrency,
  }: { askers: Person[]; targets: Target[]; questions: number; concurrency: number },
): Promise<Asked> {
  const asked: Asked = { shapes: new Map(), leaks: [], failures: 0, ms: 0 };
  const startedAt = performance.now();
  const meter = createMeter('asking', questions);
  let begun = 0;
  let done = 0;

  const askOne = async (asker: Person, probe: Probe, saidBefore: string): Promise<string | null> => {
    const response = await exchange.send(asker.token, probe.sent);
    note(asked, probe.shape, response.status);
    for (const leak of scanner.leaks(response, asker.employeeId, saidBefore + saidIn(probe.sent))) {
      asked.leaks.push({ ...leak, ...probe, askerId: asker.employeeId, status: response.status });
    }
    done++;
    meter.update(done, asked.leaks.length === 0 ? '' : `${asked.leaks.length} leaks`);
    const callId = fieldOf(response.json, 'callId');
    return probe.sent.path === '/v1/ask' && response.status === 200 && typeof callId === 'string' ? callId : null;
  };

  const worker = async () => {
    while (begun < questions) {
      begun++;
      const asker = random.pick(askers);
      const probe = makeProbe(random.pick(targets.filter(({ ownerId }) => ownerId !== asker.employeeId)), random);
      // Decided before anything is waited for, so that a seed brings the same questions again.
      const isExplained = random.next() < EXPLAINED_SHARE;
      const callId = await askOne(asker, probe, '');
      if (callId === null || begun >= questions || !isExplained) continue;
      begun++;
      const explain: Probe = { shape: 'explanation', sent: { method: 'GET', path: `/v1/questions/${callId}` } };
      await askOne(asker, explain, saidIn(probe.sent));
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, worker));
  } finally {
    meter.stop();
  }
  asked.ms = performance.now() - startedAt;
  return asked;
}

function note(asked: Asked, shape: string, status: number): void {
  const seen = asked.shapes.get(shape) ?? { count: 0, statuses: new Map<string, number>() };
  asked.shapes.set(shape, seen);
  seen.count++;
  seen.statuses.set(String(status), (seen.statuses.get(String(status)) ?? 0) + 1);
  if (status >= 500) asked.failures++;
}
