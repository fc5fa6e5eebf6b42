import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Prepared, Value } from './binds.ts';

/** PostgreSQL takes no more parameters in one statement. */
const MAX_PARAMETERS = 65_535;

const INSERT_VALUES = /^(\s*INSERT\s+INTO\s[\s\S]*?\bVALUES\s*)(\([\s\S]*\))\s*$/i;
const UPDATE = /^\s*UPDATE\s+\w+\s+SET\s([\s\S]*?)\sWHERE\s/i;
const DELETE = /^\s*DELETE\s+FROM\s+\w+\s+WHERE\s/i;

/**
 * Runs a statement for many value sets as one set-based statement, which costs PostgreSQL a fraction of as many single
 * ones: an INSERT gets one VALUES list a set, an UPDATE or DELETE is joined with the sets. Returns the rows affected.
 */
export async function runAsSet(client: pg.PoolClient, prepared: Prepared, sets: Value[][]): Promise<number> {
  const insert = INSERT_VALUES.exec(prepared.text);
  return insert === null ? joined(client, prepared, sets) : inserted(client, insert, prepared.names.length, sets);
}

async function inserted(
  client: pg.PoolClient,
  [, head = '', tuple = '']: RegExpExecArray,
  width: number,
  sets: Value[][],
): Promise<number> {
  const perStatement = Math.floor(MAX_PARAMETERS / Math.max(1, width));
  for (let start = 0; start < sets.length; start += perStatement) {
    const part = sets.slice(start, start + perStatement);
    const tuples = part.map((_, i) => tuple.replace(/\$(\d+)/g, (__, n: string) => `$${i * width + Number(n)}`));
    await client.query(head + tuples.join(', '), part.flat());
  }
  return sets.length;
}

async function joined(client: pg.PoolClient, prepared: Prepared, sets: Value[][]): Promise<number> {
  const text = joinedTexts.get(prepared.text) ?? (await toJoined(client, prepared));
  const columns = prepared.names.map((_, n) => sets.map((values) => values[n] ?? null));
  return (await client.query(text, columns)).rowCount ?? 0;
}

const joinedTexts = new Map<string, string>();

/** The statement over sets: its parameters become columns of an unnested array each, of the types it infers for them. */
async function toJoined(client: pg.PoolClient, { text, names }: Prepared): Promise<string> {
  // A name of its own: a prepared statement outlives its transaction, and a shared session its clients.
  const name = `rag_types_${randomBytes(8).toString('hex')}`;
  await client.query(`PREPARE ${name} AS ${text}`);
  const { rows } = await client.query<{ types: string[] }>(
    `SELECT CAST(parameter_types AS text[]) AS types FROM pg_prepared_statements WHERE name = '${name}'`,
  );
  await client.query(`DEALLOCATE ${name}`);
  const types = rows[0]?.types ?? [];
  const arrays = names.map((_, n) => `CAST($${n + 1} AS ${types[n]}[])`).join(', ');
  const sets = `unnest(${arrays}) AS sets(${names.map((_, n) => `p${n + 1}`).join(', ')})`;
  const body = text.replace(/\$(\d+)/g, 'sets.p$1');
  const joinedText = UPDATE.test(body)
    ? body.replace(/\sWHERE\s/i, ` FROM ${sets} WHERE `)
    : DELETE.test(body)
      ? body.replace(/\sWHERE\s/i, ` USING ${sets} WHERE `)
      : null;
  if (joinedText === null) throw new Error(`cannot be run for many bind sets: ${text}`);
  joinedTexts.set(text, joinedText);
  return joinedText;
}
