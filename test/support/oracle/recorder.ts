import type { BindUnit, DbType } from '../../../functions/adapters/oracle/driver.ts';

/** A statement that was sent, with the type of each of its binds. */
export interface Recorded {
  sql: string;
  /** By bind name; more than one type where it changed between calls. */
  binds: Map<string, Set<string>>;
}

/** Everything that was sent to the stand-in, each text once, and how often somebody waited for it. */
export class Recorder {
  roundTrips = 0;
  readonly #sent = new Map<string, Recorded>();
  readonly #product = new Set<string>();

  note(sql: string, types: Record<string, DbType>): void {
    const text = normalize(sql);
    const recorded = this.#sent.get(text) ?? { sql: text, binds: new Map() };
    this.#sent.set(text, recorded);
    for (const [name, type] of Object.entries(types)) {
      if (!text.includes(`:${name}`)) continue;
      const known = recorded.binds.get(name) ?? new Set();
      recorded.binds.set(name, known.add(typeName(type)));
    }
  }

  noteUnits(sql: string, binds: Record<string, BindUnit>): void {
    this.note(sql, Object.fromEntries(Object.entries(binds).map(([name, { type }]) => [name, type])));
  }

  /** A statement that the product has asked for. */
  noteProduct(sql: string): void {
    this.#product.add(normalize(sql));
  }

  isProduct(sql: string): boolean {
    return this.#product.has(normalize(sql));
  }

  /** The product's statements, those of the row security's package among them. */
  product(): Recorded[] {
    return [...this.#sent.values()].filter(({ sql }) => this.#product.has(sql) || sql.includes('.rag_security.'));
  }

  all(): Recorded[] {
    return [...this.#sent.values()];
  }

  /** The round trips of some work. */
  async during(work: () => Promise<unknown>): Promise<number> {
    const before = this.roundTrips;
    await work();
    return this.roundTrips - before;
  }
}

const typeName = (type: DbType) => String((type as { name?: string }).name ?? type).replace('DB_TYPE_', '');

/** An IN list of any length, as one of two. */
const IN_LIST = /\(:([a-z_]+)0(?:, :\1\d+)*\)/g;

/** On one line, since nothing but blanks and the lengths of lists differ between the places where a statement is written. */
export const normalize = (sql: string): string =>
  sql
    .replace(/\s+/g, ' ')
    .trim()
    .replace(IN_LIST, (_, name: string) => `(:${name}0, :${name}1)`);
