/** Chance that is the same again for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `min` to `max`. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.int(0, items.length - 1)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  /** So many digits, no 0 first. */
  digits(count: number): string {
    return Array.from({ length: count }, (_, i) => this.int(i === 0 ? 1 : 0, 9)).join('');
  }

  /** A word of ten letters that is in no language. */
  word(): string {
    return Array.from({ length: 5 }, () => this.pick([...'bdfgklmprtvz']) + this.pick([...'aeiou'])).join('');
  }
}
