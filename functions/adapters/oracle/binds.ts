import type { Bind, Binds } from '../../ports/database.ts';
import type { BindDefinition, BindUnit, DbType, Driver } from './driver.ts';

/** The longest text that Oracle takes as VARCHAR2 (MAX_STRING_SIZE = EXTENDED), in bytes; longer ones go as CLOB. */
const MAX_VARCHAR_BYTES = 32_767;

/** Binds that hold a number where they hold anything: a null says of itself only that it is a VARCHAR2. */
const NULLABLE_NUMBERS = new Set([
  'amount',
  'assignee_id',
  'estimated_hours',
  'owner_employee_id',
  'project_id',
  'section',
  'sprint_id',
  'story_points',
]);

/** The sizes that texts of a batch are declared with, in bytes: few, so that few cursors are made of one statement. */
const TEXT_SIZES = [64, 512, 4000, MAX_VARCHAR_BYTES];

/** Types values for oracledb: numbers as NUMBER, vectors as VECTOR, texts as VARCHAR2 and, beyond its limit, as CLOB. */
export class BindTypes {
  readonly #driver: Driver;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  typed(binds: Binds): Record<string, BindUnit> {
    return Object.fromEntries(
      Object.entries(binds).map(([name, val]) => [name, { val, type: this.#typeOf(name, val) }]),
    );
  }

  hasLob(units: Record<string, BindUnit>): boolean {
    return Object.values(units).some(({ type }) => type === this.#driver.DB_TYPE_CLOB);
  }

  /** One type for each name over all bind sets. */
  definitions(many: Binds[]): Record<string, BindDefinition> {
    const [first = {}] = many;
    return Object.fromEntries(Object.keys(first).map((name) => [name, this.#definition(name, many)]));
  }

  #definition(name: string, many: Binds[]): BindDefinition {
    const values = many.map((binds) => binds[name] ?? null);
    const type = this.#typeOf(name, values.find((value) => value !== null) ?? null);
    if (type === this.#driver.DB_TYPE_NUMBER || type === this.#driver.DB_TYPE_VECTOR) return { type };
    const longest = Math.max(...values.map((value) => Buffer.byteLength(String(value ?? ''))));
    const maxSize = TEXT_SIZES.find((size) => size >= longest);
    if (maxSize === undefined) {
      throw new RangeError(`${name}: a text of ${longest} bytes is over the ${MAX_VARCHAR_BYTES} of a batch`);
    }
    return { type: this.#driver.DB_TYPE_VARCHAR, maxSize };
  }

  #typeOf(name: string, value: Bind): DbType {
    const driver = this.#driver;
    if (value instanceof Float32Array) return driver.DB_TYPE_VECTOR;
    if (typeof value === 'number') return driver.DB_TYPE_NUMBER;
    if (typeof value === 'string' && Buffer.byteLength(value) > MAX_VARCHAR_BYTES) return driver.DB_TYPE_CLOB;
    return value === null && NULLABLE_NUMBERS.has(name) ? driver.DB_TYPE_NUMBER : driver.DB_TYPE_VARCHAR;
  }
}
