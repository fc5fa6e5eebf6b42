import type { Nudge } from '../../ports/platform.ts';
import { postJson } from './http-json.ts';

const TIMEOUT_MS = 2000;

/** Starts a detached drain through an address that answers as soon as the call is taken. */
export class HttpNudge implements Nudge {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async drain(): Promise<void> {
    await postJson(this.#url, { reason: 'a write' }, TIMEOUT_MS);
  }
}
