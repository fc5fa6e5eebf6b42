import { createRequire } from 'node:module';

interface DriverStatement {
  _prepare(sql: string): void;
  bindInfoList: { bindName: string }[];
  isQuery: boolean;
  isPlSql: boolean;
  isDml: boolean;
  isDdl: boolean;
}

const { Statement } = createRequire(import.meta.url)('oracledb/lib/thin/statement.js') as {
  Statement: new () => DriverStatement;
};

/** What the driver's own parser makes of a statement: its kind, and the names of its binds in upper case, each once. */
export function parseStatement(sql: string): DriverStatement & { names: string[] } {
  const statement = new Statement();
  statement._prepare(sql);
  const names = [...new Set(statement.bindInfoList.map(({ bindName }) => bindName))];
  return Object.assign(statement, { names });
}
