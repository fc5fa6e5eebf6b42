/** A token bucket for each client: `perSecond` requests on average, as many at once after a quiet second. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Takes one request of a client; false when it has none left. `now` is in milliseconds. */
  take(client: string, now: number): boolean {
    const bucket = this.#buckets.get(client) ?? { tokens: this.#perSecond, at: now };
    bucket.tokens = Math.min(this.#perSecond, bucket.tokens + ((now - bucket.at) / 1000) * this.#perSecond);
    bucket.at = now;
    this.#buckets.set(client, bucket);
    if (this.#buckets.size > 10_000) this.#forgetFull(now);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #forgetFull(now: number): void {
    for (const [client, { at }] of this.#buckets) if (now - at > 1000) this.#buckets.delete(client);
  }
}
