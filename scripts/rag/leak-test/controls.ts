import { type Exchange, type Exchanged, fieldOf, type Sent } from './exchange.ts';
import type { Person } from './people.ts';
import type { Target } from './probes.ts';
import type { Scanner } from './scan.ts';

/** What an owner, or who sees everything, must find: where that fails, that others find nothing proves nothing. */
export interface Control {
  what: string;
  askerId: number;
  taskId: number;
  isMet: boolean;
}

const search = (question: string): Sent => ({ method: 'POST', path: '/v1/search', body: { question, topK: 50 } });

const CONTROLS: [what: string, sent: (target: Target) => Sent][] = [
  ['by its words', ({ secrets }) => search(`${secrets.titleWord} ${secrets.commentWord}`)],
  ['by its code', ({ secrets }) => search(`What is in the file ${secrets.code}?`)],
  ['by its id', ({ taskId }) => search(`What does TASK ${taskId} say?`)],
  [
    'by a question',
    ({ taskId }) => ({ method: 'POST', path: '/v1/ask', body: { question: `What does TASK ${taskId} say?` } }),
  ],
  ['as a source', ({ taskId }) => ({ method: 'GET', path: `/v1/sources/task/${taskId}` })],
  ['as a record', ({ taskId }) => ({ method: 'GET', path: `/v1/tasks/${taskId}` })],
];

/** Has owners look for their own records, and who sees everything for all; notes the calls in which a record was seen. */
export async function runControls(
  exchange: Exchange,
  people: Person[],
  targets: Target[],
  scanner: Scanner,
): Promise<Control[]> {
  const controls: Control[] = [];
  for (const target of targets) {
    const mayFind = people.filter(({ employeeId, seesEverything }) => seesEverything || employeeId === target.ownerId);
    for (const { employeeId, token } of mayFind) {
      for (const [what, make] of CONTROLS) {
        const response = await exchange.send(token, make(target));
        // As if anybody else had got it: what is not seen here would not be seen in a leak either.
        const seen = scanner.leaks(response, NOBODY, '').filter(({ ownerId }) => ownerId === target.ownerId);
        const isMet = response.status === 200 && (seen.length > 0 || isAnswerWithoutIt(what, response));
        controls.push({ what, askerId: employeeId, taskId: target.taskId, isMet });
        const callId = fieldOf(response.json, 'callId');
        if (typeof callId === 'string' && fieldOf(response.json, 'answer') !== undefined) target.callIds.push(callId);
      }
    }
  }
  return controls;
}

/** No employee's id. */
const NOBODY = 0;

/** A model may say that a record does not answer a question; that it was found is what the searches show. */
const isAnswerWithoutIt = (what: string, { json }: Exchanged) =>
  what === 'by a question' && fieldOf(json, 'outcome') === 'not_found';
