import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the answer is there; gives up with what the test waited for. */
export async function until<T>(what: string, ask: () => T | Promise<T>, patienceMs = 30_000): Promise<NonNullable<T>> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > giveUpAt) throw new Error(`waited in vain until ${what}`);
    await sleep(25);
  }
}
