import { parseId } from '../../../functions/core/ids.ts';
import { RECORDS, type RecordType } from '../../../functions/route.ts';
import { UserError } from '../../user-error.ts';

/** How a CSV row becomes a record: which column each field is read from, and the fields that are the same in all. */
export interface Mapping {
  type: RecordType;
  /** Null: the columns that have a field's name. */
  columns: Record<string, string> | null;
  fixed: Record<string, string>;
}

/** A line for POST /v1/records. */
export interface RecordLine {
  type: RecordType;
  id?: unknown;
  data: Record<string, unknown>;
}

export type Row = Record<string, string>;

/** The fields of each type, besides `id`. */
const FIELDS = Object.fromEntries(
  await Promise.all(Object.values(RECORDS).map(async ({ type, input }) => [type, Object.keys((await input()).shape)])),
) as Record<RecordType, string[]>;

const isRecordType = (value: string): value is RecordType => Object.hasOwn(FIELDS, value);

/** Reads --type, --map and --set; a field that the type does not have is refused by name. */
export function parseMapping(options: { type?: string; map?: string[]; set?: string[] }): Mapping {
  const type = options.type ?? 'task';
  if (!isRecordType(type)) {
    throw new UserError(`--type must be one of ${Object.keys(FIELDS).join(', ')}, got ${type}`);
  }
  const columns = parsePairs('--map', 'column', type, options.map ?? []);
  const fixed = parsePairs('--set', 'value', type, options.set ?? []);
  if ('id' in fixed) throw new UserError('--set cannot give every record the same id');
  for (const field of Object.keys(fixed)) {
    if (columns !== null && field in columns) throw new UserError(`${field} is named by both --map and --set`);
  }
  return { type, columns: options.map === undefined ? null : columns, fixed };
}

function parsePairs(option: string, what: string, type: RecordType, values: string[]): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const pair of values.flatMap(splitPairs)) {
    const at = pair.indexOf('=');
    const field = pair.slice(0, at).trim();
    const value = pair.slice(at + 1).trim();
    if (at < 1 || value === '') throw new UserError(`${option} takes field=${what},… pairs, got "${pair}"`);
    if (field !== 'id' && !FIELDS[type].includes(field)) {
      throw new UserError(`${option}: a ${type} has no field ${field}; it has ${['id', ...FIELDS[type]].join(', ')}`);
    }
    if (field in pairs) throw new UserError(`${option} names ${field} twice`);
    pairs[field] = value;
  }
  return pairs;
}

/** Only a comma before a further `field=` divides, so that a value or a column's name may have commas in it. */
const splitPairs = (text: string) => text.split(/,(?=\s*[A-Za-z]+=)/);

/** The mapping for a file's header: every field with its column. Columns that the file has not are refused by name. */
export function bindToHeader(mapping: Mapping, header: string[]): Mapping & { columns: Record<string, string> } {
  const columns =
    mapping.columns ??
    Object.fromEntries(['id', ...FIELDS[mapping.type]].filter((f) => header.includes(f)).map((f) => [f, f]));
  const shown = `it has ${header.map((name) => `"${name}"`).join(', ')}`;
  for (const column of Object.values(columns)) {
    if (!header.includes(column)) throw new UserError(`The file has no column "${column}"; ${shown}`);
  }
  if (!('id' in columns)) {
    throw new UserError(`The file has no column "id"; say which one holds the keys, as in --map id=key,…; ${shown}`);
  }
  return { ...mapping, columns };
}

/** Makes a record of a row. A cell that does not fit its field is passed on as it is, for the server to name it. */
export function toRecord({ type, columns, fixed }: Mapping, row: Row): RecordLine {
  const data: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fixed)) data[field] = toValue(field, value);
  let id: unknown;
  for (const [field, column] of Object.entries(columns ?? {})) {
    const cell = row[column] ?? '';
    if (isEmpty(cell)) continue;
    if (field === 'id') id = toId(cell);
    else data[field] = toValue(field, cell);
  }
  return { type, ...(id === undefined ? {} : { id }), data };
}

const isEmpty = (cell: string) => cell.trim() === '' || cell.trim() === 'NULL';

const AMOUNTS = new Set(['storyPoints', 'estimatedHours']);

function toValue(field: string, cell: string): unknown {
  if (field.endsWith('Id')) return toId(cell);
  return AMOUNTS.has(field) ? toNumber(cell) : cell;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function toNumber(cell: string): number | string {
  return NUMBER.test(cell.trim()) ? Number(cell) : cell;
}

/** A number as it is; of a key such as CLOV-1086 the number that it ends with, or else the last one in it. */
function toId(cell: string): number | string {
  if (NUMBER.test(cell.trim())) return Number(cell);
  const digits = cell.match(/\d+/g)?.at(-1);
  if (digits === undefined) return cell;
  return parseId(digits.replace(/^0+/, '')) ?? cell;
}
