import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statementsOf } from '../../../functions/adapters/oracle/migrator.ts';
import { readMigrations } from '../../../functions/bootstrap/migrations.ts';
import type { Migration } from '../../../functions/ports/database.ts';
import { MIGRATIONS } from '../database-process.ts';

export const PLACEHOLDERS = {
  OWNER: 'RAG_OWNER',
  RUNTIME: 'RAG_RUNTIME',
  CONTEXT: 'RAG_OWNER_CTX',
  TEXT_BYTES: '32767',
};

export const oracleMigrations = (): Promise<Migration[]> => readMigrations(join(MIGRATIONS, 'oracle'));
export const oracleUsers = (): Promise<Migration[]> => readMigrations(join(MIGRATIONS, 'oracle-users'));

/** What the migrations make: the columns of each table, the procedures of each package, and the other names. */
export interface Schema {
  tables: Map<string, Set<string>>;
  packages: Map<string, Set<string>>;
  indexes: Set<string>;
}

const TABLE = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)\s*\(([\s\S]*)\)\s*$/i;
const ADDED_COLUMN = /^ALTER TABLE (\w+) ADD \((\w+) /i;
const PACKAGE = /^CREATE OR REPLACE PACKAGE (?!BODY)(\w+)/i;
const INDEX = /^CREATE (?:UNIQUE |VECTOR )?INDEX (\w+)/i;

/** Tables that the adapter makes for itself, outside of the migrations. */
const OWN_TABLES = ['migrator.ts', 'lock.ts'].map((file) =>
  readFileSync(join(import.meta.dirname, '../../../functions/adapters/oracle', file), 'utf8'),
);

export async function readSchema(): Promise<Schema> {
  const schema: Schema = { tables: new Map(), packages: new Map(), indexes: new Set() };
  const statements = (await oracleMigrations()).flatMap(({ sql }) => statementsOf(sql, PLACEHOLDERS));
  const own = OWN_TABLES.flatMap((text) =>
    [...text.matchAll(/CREATE TABLE IF NOT EXISTS[^`']*(?=[`'])/g)].map(([m]) => m),
  );
  for (const statement of [...statements, ...own]) {
    const table = TABLE.exec(statement);
    if (table !== null) {
      const columns = splitList(table[2] ?? '').filter((item) => !/^CONSTRAINT\b/i.test(item));
      schema.tables.set(name(table[1]), new Set(columns.map((item) => name(item.split(/\s/)[0]))));
    }
    const added = ADDED_COLUMN.exec(statement);
    if (added !== null) schema.tables.get(name(added[1]))?.add(name(added[2]));
    const pack = PACKAGE.exec(statement);
    if (pack !== null) {
      const members = [...statement.matchAll(/\b(?:PROCEDURE|FUNCTION|TYPE)\s+(\w+)/gi)].map((match) => name(match[1]));
      schema.packages.set(name(pack[1]), new Set(members));
    }
    const index = INDEX.exec(statement);
    if (index !== null) schema.indexes.add(name(index[1]));
  }
  return schema;
}

const name = (text: string | undefined) => (text ?? '').toLowerCase();

/** The items between commas that are in no parentheses. */
function splitList(text: string): string[] {
  const items = [''];
  let depth = 0;
  for (const letter of text.replace(/--[^\n]*/g, '')) {
    if (letter === '(') depth++;
    if (letter === ')') depth--;
    if (letter === ',' && depth === 0) items.push('');
    else items[items.length - 1] += letter;
  }
  return items.map((item) => item.trim()).filter((item) => item !== '');
}
