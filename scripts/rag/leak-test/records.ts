import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkResult, SourceState } from '../../../functions/shapes.ts';
import { UserError } from '../../user-error.ts';
import { type Api, ApiError } from '../api.ts';
import { withRetries } from '../import/retry.ts';
import type { Canary } from './canaries.ts';

const PATIENCE = { limitMs: 60_000, onWait() {} };
const POLL_MS = 250;
/** Records that have not been indexed by then are not waited for any longer. */
const INDEXED_WITHIN_MS = 10 * 60_000;

type Line = { op: 'put' | 'delete'; type: string; id: number; taskId?: number; data?: object };

/** The test's own records in a deployment: what was written is known, so that it can be removed, whatever comes. */
export class TestRecords {
  readonly #api: Api;
  readonly #written: Line[] = [];

  /** `api` with a token that may write. */
  constructor(api: Api) {
    this.#api = api;
  }

  /** Throws where there is anything under the ids that the records are to have. */
  async refuseToOverwrite(canaries: Canary[]): Promise<void> {
    for (const { taskId } of canaries) {
      if ((await this.#stateOf(taskId)) !== null) {
        throw new UserError(`There is a task ${taskId} already: nothing is overwritten; take another --seed`);
      }
    }
  }

  /** What is there to be removed, by kind and id. */
  tell(): string {
    const kept = this.#written.filter(({ type }) => type !== 'comment');
    return kept.map(({ type, id }) => `${type} ${id}`).join(', ');
  }

  writePeople(ids: number[]): Promise<void> {
    return this.#write(
      ids.map((id, i) => ({
        op: 'put',
        type: 'employee',
        id,
        data: { firstName: 'Leak', lastName: `Test ${i + 1}`, role: 'developer' },
      })),
    );
  }

  writeCanaries(canaries: Canary[]): Promise<void> {
    return this.#write(
      canaries.flatMap(({ taskId, ownerId, title, description, comment }): Line[] => [
        { op: 'put', type: 'task', id: taskId, data: { title, description, assigneeId: ownerId } },
        { op: 'put', type: 'comment', taskId, id: 1, data: { text: comment } },
      ]),
    );
  }

  /** Resolves to the number of their chunks once all of them can be found. */
  async untilIndexed(canaries: Canary[], signal: AbortSignal): Promise<number> {
    let chunks = 0;
    const giveUpAt = Date.now() + INDEXED_WITHIN_MS;
    for (const { taskId } of canaries) {
      for (;;) {
        const state = await this.#stateOf(taskId);
        if (state?.state === 'failed') throw new UserError(`Task ${taskId} could not be indexed; see the server's log`);
        if (state?.state === 'ready') {
          chunks += state.chunkCount;
          break;
        }
        if (Date.now() > giveUpAt) throw new UserError('The records were not indexed within ten minutes');
        await sleep(POLL_MS, undefined, { signal });
      }
    }
    return chunks;
  }

  /** Removes everything that was written; what has gone already is as well. */
  async remove(): Promise<void> {
    const lines = this.#written
      .filter(({ type }) => type !== 'comment')
      .reverse()
      .map(({ type, id }): Line => ({ op: 'delete', type, id }));
    await this.#send(lines, new Set([202, 404]));
    this.#written.length = 0;
  }

  async #write(lines: Line[]): Promise<void> {
    // Noted first: what an interrupted call has written is to be removed as well.
    this.#written.push(...lines);
    await this.#send(lines, new Set([202]));
  }

  async #send(lines: Line[], accepted: Set<number>): Promise<void> {
    if (lines.length === 0) return;
    const body = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
    await withRetries(PATIENCE, async () => {
      const { results } = await this.#api.call<BulkResult>('POST', '/v1/records', body);
      const refused = results.find(({ status }) => !accepted.has(status));
      if (refused === undefined) return;
      const detail = refused.error?.detail ?? `status ${refused.status}`;
      throw new ApiError(
        `A record of the test was refused: ${detail}`,
        refused.status,
        refused.error?.code ?? 'unknown',
      );
    });
  }

  async #stateOf(taskId: number): Promise<SourceState | null> {
    try {
      return await withRetries(PATIENCE, () => this.#api.call<SourceState>('GET', `/v1/sources/task/${taskId}`));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }
}
