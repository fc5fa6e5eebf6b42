import { type AppError, Conflict, SetupFailed } from '../../core/errors.ts';
import { sha256Hex } from '../../core/hash.ts';
import type { Migration, Migrator } from '../../ports/database.ts';
import type { Connection, Driver } from './driver.ts';
import { isConnectionLost, oracleNumber, unreachable } from './errors.ts';
import { withLock } from './lock.ts';
import { contextOf, requireName, type SchemaNames } from './names.ts';
import type { Session } from './session.ts';
import { splitStatements } from './statements.ts';

export interface OracleMigratorOptions extends SchemaNames {
  driver: Driver;
  /** Logs in as the owner. */
  connect(): Promise<Connection>;
  /** Told of an optional migration that this database refuses; the next bootstrap tries it again. */
  onSkipped?(name: string, error: AppError): void;
}

/** How the text of a migration begins that the functions can do without. */
const OPTIONAL = '-- Optional: ';

/** The name is taken, the column is indexed: what a statement answers that was carried out, but not yet recorded as done. */
const ALREADY_THERE = new Set([955, 1408, 1430, 29879]);

/**
 * Runs migration files as the schema's owner. Each statement of DDL is a transaction of its own in Oracle, so progress is
 * recorded after each: a file that failed halfway goes on, when it is mended, where it stopped.
 */
export class OracleMigrator implements Migrator {
  readonly #options: OracleMigratorOptions;

  constructor(options: OracleMigratorOptions) {
    this.#options = options;
  }

  apply(migrations: Migration[]): Promise<string[]> {
    return withLock(this.#options, async (session) => {
      await createRecord(session);
      const placeholders = await readPlaceholders(session, this.#options);
      const applied: string[] = [];
      for (const migration of [...migrations].sort((a, b) => a.version - b.version)) {
        try {
          if (await applyOne(session, migration, placeholders)) applied.push(migration.name);
        } catch (error) {
          if (!(error instanceof SetupFailed && migration.sql.startsWith(OPTIONAL))) throw error;
          this.#options.onSkipped?.(migration.name, error);
        }
      }
      return applied;
    });
  }
}

async function createRecord(session: Session): Promise<void> {
  await session.run([
    {
      kind: 'change',
      sql: `CREATE TABLE IF NOT EXISTS rag_migration (
        version NUMBER(9) CONSTRAINT rag_migration_pk PRIMARY KEY,
        name VARCHAR2(200) NOT NULL,
        checksum VARCHAR2(64) NOT NULL,
        statements_done NUMBER(9) NOT NULL,
        done_checksum VARCHAR2(64) NOT NULL,
        applied_at TIMESTAMP WITH TIME ZONE)`,
      binds: {},
    },
  ]);
}

/** Values of the `\${NAME}`s in a migration. */
async function readPlaceholders(session: Session, names: SchemaNames): Promise<Record<string, string>> {
  const [longest] = await session.run([
    { kind: 'query', sql: "SELECT LENGTHB(RPAD('x', 32767, 'x')) AS bytes FROM dual", binds: {} },
  ]);
  return {
    OWNER: requireName(names.owner),
    RUNTIME: requireName(names.runtime),
    CONTEXT: contextOf(names),
    TEXT_BYTES: String(longest?.rows[0]?.bytes),
  };
}

/** The statements of a migration file with its placeholders filled in. */
export function statementsOf(sql: string, placeholders: Record<string, string>): string[] {
  return splitStatements(sql).map((statement) =>
    statement.replace(/\$\{([A-Z_]+)\}/g, (_, name: string) => {
      const value = placeholders[name];
      if (value === undefined) throw new Error(`\${${name}} is not known`);
      return value;
    }),
  );
}

interface Progress {
  checksum: string;
  statements_done: number;
  done_checksum: string;
  finished: number;
}

async function applyOne(
  session: Session,
  { version, name, sql }: Migration,
  placeholders: Record<string, string>,
): Promise<boolean> {
  const checksum = sha256Hex(sql);
  const statements = statementsOf(sql, placeholders);
  const doneChecksum = (count: number) => sha256Hex(statements.slice(0, count).join('\n;\n'));
  const record = await readProgress(session, version);
  if (record?.finished === 1 && record.checksum === checksum) return false;
  const done = record?.statements_done ?? 0;
  if (record !== undefined && (record.finished === 1 || record.done_checksum !== doneChecksum(done))) {
    throw new Conflict(`The migration ${name} was applied with another content; restore the file and add a new one`);
  }
  if (record === undefined) {
    await write(
      session,
      `INSERT INTO rag_migration (version, name, checksum, statements_done, done_checksum)
       VALUES (:version, :name, :checksum, 0, :done_checksum)`,
      { version, name, checksum, done_checksum: doneChecksum(0) },
    );
  }
  for (const [i, statement] of statements.entries()) {
    if (i < done) continue;
    try {
      const [outcome] = await session.run([{ kind: 'block', sql: statement, binds: {} }]);
      if (outcome?.isInvalid) throw new Error(await readCompileErrors(session));
    } catch (error) {
      // The first one after an earlier run may have been carried out just before that run ended.
      const isResumed = record !== undefined && i === done;
      if (!(isResumed && ALREADY_THERE.has(oracleNumber(error) ?? 0)))
        throw failed(`${name}, statement ${i + 1}`, statement, error);
    }
    await write(
      session,
      'UPDATE rag_migration SET statements_done = :done, done_checksum = :done_checksum WHERE version = :version',
      { version, done: i + 1, done_checksum: doneChecksum(i + 1) },
    );
  }
  await write(
    session,
    'UPDATE rag_migration SET checksum = :checksum, applied_at = CURRENT_TIMESTAMP WHERE version = :version',
    { version, checksum },
  );
  return true;
}

/** Stored code that does not compile is kept all the same, and would fail whoever needs it. */
async function readCompileErrors(session: Session): Promise<string> {
  const [found] = await session.run([
    {
      kind: 'query',
      sql: `SELECT name, type, line, text FROM user_errors WHERE attribute = 'ERROR'
            ORDER BY name, type, sequence FETCH FIRST 5 ROWS ONLY`,
      binds: {},
    },
  ]);
  const told = (found?.rows ?? []).map(({ name, type, line, text }) => `${type} ${name}, line ${line}: ${text}`);
  return `does not compile: ${told.join('; ').replace(/\s+/g, ' ')}`;
}

async function readProgress(session: Session, version: number): Promise<Progress | undefined> {
  const [found] = await session.run([
    {
      kind: 'query',
      sql: `SELECT checksum, statements_done, done_checksum, CASE WHEN applied_at IS NULL THEN 0 ELSE 1 END AS finished
            FROM rag_migration WHERE version = :version`,
      binds: { version },
    },
  ]);
  return found?.rows[0] as Progress | undefined;
}

async function write(session: Session, sql: string, binds: Record<string, string | number>): Promise<void> {
  await session.run([{ kind: 'change', sql, binds }, { kind: 'commit' }]);
}

/** What a failure means where it is not of the statement's own making. */
const HINTS: Record<number, string> = {
  439: 'this database has no row-level security (DBMS_RLS), without which rights would rest on the functions alone',
  1031: 'the login lacks a right: the owner gets its rights by an administrator (RAG_DATABASE_ADMIN_USER), and an administrator other than SYS or ADMIN may need SYS to pass them on (GRANT … WITH GRANT OPTION)',
  1919: 'this database has no Oracle Text (a "slim" image?)',
  6550: 'a package is missing, or the owner may not use it: Oracle Text (a "slim" image?), DBMS_RLS, DBMS_VECTOR',
  28110: 'a policy function does not compile',
  29833: 'this database has no Oracle Text (a "slim" image?)',
};

/** A statement of a migration that failed: which it is, and what the database said of it, in one line. */
export function failed(name: string, statement: string, cause: unknown): AppError {
  if (isConnectionLost(cause)) return unreachable(cause);
  const head = statement.split('\n', 1)[0] ?? '';
  const said = (cause as Error).message.split('\n', 1)[0];
  const hint = HINTS[oracleNumber(cause) ?? 0];
  return new SetupFailed(`${name}: ${head}: ${said}${hint === undefined ? '' : ` - ${hint}`}`, { cause });
}
