import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Recorded, Recorder } from './recorder.ts';

/** A statement as reviewed: its text, and the one type of each bind. */
export interface GoldenStatement {
  sql: string;
  binds: Record<string, string>;
}

const FILE = join(import.meta.dirname, '..', '..', 'golden', 'oracle-statements.json');

export const readGolden = (): GoldenStatement[] =>
  existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as GoldenStatement[]) : [];

/**
 * Fails for every statement of the product that is not in the file of reviewed ones, or has other binds there. With
 * UPDATE_GOLDEN=1 they are put into it instead, to be reviewed.
 */
export function compareWithGolden(recorder: Recorder, statements: Recorded[] = recorder.product()): void {
  const sent = statements.map(toGolden);
  if (process.env.UPDATE_GOLDEN === '1') {
    update(sent);
    return;
  }
  const golden = new Map(readGolden().map((statement) => [statement.sql, statement]));
  const unknown = sent.filter((statement) => !golden.has(statement.sql)).map(({ sql }) => sql);
  expect(unknown, 'statements that nobody has reviewed; see CONTRIBUTING.md').toEqual([]);
  for (const { sql, binds } of sent) {
    expect(golden.get(sql)?.binds, `the types of the binds of: ${sql}`).toMatchObject(binds);
  }
}

function toGolden({ sql, binds }: Recorded): GoldenStatement {
  const typed = [...binds].map(([name, types]) => [name, oneOf(types, name, sql)] as [string, string]);
  // A list stands as one of two, also where none was longer than one.
  for (const [, name] of sql.matchAll(/\(:([a-z_]+)0, :\1\d+\)/g)) {
    const first = typed.find(([bound]) => bound === `${name}0`);
    if (first !== undefined && !binds.has(`${name}1`)) typed.push([`${name}1`, first[1]]);
  }
  return { sql, binds: Object.fromEntries(typed.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** A long text goes as a CLOB and a shorter one as a VARCHAR; anything else would make another cursor for each type. */
function oneOf(types: Set<string>, name: string, sql: string): string {
  const sorted = [...types].sort().join(' or ');
  expect(['NUMBER', 'VARCHAR', 'VECTOR', 'CLOB', 'CLOB or VARCHAR'], `:${name} in: ${sql}`).toContain(sorted);
  return types.has('CLOB') ? 'VARCHAR' : sorted;
}

function update(sent: GoldenStatement[]): void {
  const merged = new Map(readGolden().map((statement) => [statement.sql, statement]));
  for (const statement of sent) {
    merged.set(statement.sql, { ...statement, binds: { ...merged.get(statement.sql)?.binds, ...statement.binds } });
  }
  const sorted = [...merged.values()].sort((a, b) => (a.sql < b.sql ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}
