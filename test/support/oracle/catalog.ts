import type { BindUnit } from '../../../functions/adapters/oracle/driver.ts';
import { FakeOracleError } from './errors.ts';

type Row = Record<string, unknown>;
export type Answer = { rows?: Row[]; rowsAffected?: number; warning?: Error };

export interface StoredModel {
  vectorInfo: string | null;
  /** What the model makes of a text; for the self-test. */
  embed(text: string): Float32Array;
}

interface MigrationRow {
  name: string;
  checksum: string;
  done: number;
  doneChecksum: string;
  isFinished: boolean;
}

const CREATE =
  /^CREATE (?:OR REPLACE )?(?:UNIQUE |VECTOR |SEARCH )?(TABLE|INDEX|USER|PROFILE)\s+(IF NOT EXISTS )?(\w+)/i;
const ADD_COLUMN = /^ALTER TABLE (\w+) ADD \((\w+) (.+)\)$/i;

/**
 * The part of an Oracle database that no other stands in for: its schema and its models, as bootstrap sees them. What a
 * test wants to go wrong, it names.
 */
export class FakeCatalog {
  readonly objects = new Set<string>();
  /** Those added to RAG_CHUNK by their names, those of other tables with the table's before it. */
  readonly columns = new Set<string>();
  readonly models = new Map<string, StoredModel>();
  readonly migrations = new Map<number, MigrationRow>();
  readonly vectorIndexes = new Map<string, { name: string; rows: number; status: string }>();
  readonly passwords = new Map<string, string>();
  /** The row of RAG_SETTING. */
  sqlSettings: Row | null = null;
  /** Thrown instead of what a statement does, while it matches. */
  readonly failures: { matches: RegExp; error: () => Error; once: boolean }[] = [];
  /** What does not compile, though it is kept. */
  invalid: RegExp | null = null;
  /** The bytes of the longest VARCHAR2. */
  textBytes = 32_767;
  /** What a load leaves behind under a model's name. */
  loaded: StoredModel = { vectorInfo: 'VECTOR(384,FLOAT32)', embed: () => new Float32Array(384) };
  #lockHolder: object | null = null;
  readonly #lockWaiters: (() => void)[] = [];

  failAt(matches: RegExp, error: () => Error, once = true): void {
    this.failures.push({ matches, error, once });
  }

  throwIfTold(sql: string): void {
    const at = this.failures.findIndex(({ matches }) => matches.test(sql));
    const failure = this.failures[at];
    if (failure === undefined) return;
    if (failure.once) this.failures.splice(at, 1);
    throw failure.error();
  }

  /** The outcome of a statement that is about schema, migrations or models; null for any other. */
  async answer(session: object, sql: string, binds: Record<string, BindUnit>): Promise<Answer | null> {
    const value = (name: string) => binds[name]?.val;
    if (/rag_bootstrap_lock .*FOR UPDATE WAIT \d+$/s.test(sql)) {
      await this.#lock(session);
      return { rows: [{ LOCK_ID: 1 }] };
    }
    if (/INTO rag_bootstrap_lock/.test(sql)) return { rowsAffected: 0 };
    if (/^SELECT 1 AS alive/.test(sql)) return { rows: [{ ALIVE: 1 }] };
    if (/^DELETE FROM rag_setting\b/.test(sql)) return { rowsAffected: this.sqlSettings === null ? 0 : 1 };
    if (/^INSERT INTO rag_setting\b/.test(sql)) {
      this.sqlSettings = Object.fromEntries(Object.entries(binds).map(([name, { val }]) => [name, val]));
      return { rowsAffected: 1 };
    }
    if (/LENGTHB\(RPAD/.test(sql)) return { rows: [{ BYTES: this.textBytes }] };
    if (/\brag_migration\b/.test(sql) && !/^CREATE/.test(sql)) return this.#migration(sql, value);
    if (/user_errors/.test(sql)) {
      const error = {
        NAME: 'RAG_X',
        TYPE: 'PACKAGE BODY',
        LINE: 3,
        TEXT: 'PLS-00231: function may not be used in SQL',
      };
      return { rows: [error] };
    }
    if (/dba_users/.test(sql)) {
      const password = this.passwords.get(String(value('username')));
      return { rows: [{ AUTHENTICATION_TYPE: password === undefined ? 'NONE' : 'PASSWORD' }] };
    }
    if (this.invalid?.test(sql))
      return { warning: new FakeOracleError('NJS-700', 'creation succeeded with compilation errors') };
    if (/user_tab_columns/.test(sql)) {
      const column = String(value('column_name'));
      const isThere = column === 'EMBEDDING' || this.columns.has(column);
      return { rows: isThere ? [{ COLUMN_NAME: column }] : [] };
    }
    if (/user_mining_model/.test(sql)) return this.#readModel(sql, String(value('model_name')));
    if (/LOAD_ONNX_MODEL/.test(sql)) return this.#load(String(value('model_name')));
    if (/DROP_ONNX_MODEL/.test(sql)) {
      this.models.delete(String(value('model_name')));
      return {};
    }
    if (/^WITH v AS .*VECTOR_EMBEDDING/s.test(sql)) return this.#selfTest(sql, value);
    if (/rag_index\.(re)?build/.test(sql)) {
      const column = String(value('column_name'));
      this.vectorIndexes.set(column, { name: `RAG_CHUNK_IVF`, rows: Number(value('row_count')), status: 'VALID' });
      return {};
    }
    if (/\ball_indexes\b/.test(sql)) {
      const index = this.vectorIndexes.get(String(value('column_name')));
      const row = { STATUS: index?.status, BUILT_ROWS: index?.rows, BUILT_AT: '2026-01-01T00:00:00Z' };
      return { rows: index === undefined ? [] : [row] };
    }
    return this.#ddl(sql);
  }

  /** The session's transaction has ended, and its locks with it. */
  release(session: object): void {
    if (this.#lockHolder !== session) return;
    this.#lockHolder = null;
    this.#lockWaiters.shift()?.();
  }

  async #lock(session: object): Promise<void> {
    while (this.#lockHolder !== null && this.#lockHolder !== session) {
      await new Promise<void>((resolve) => this.#lockWaiters.push(resolve));
    }
    this.#lockHolder = session;
  }

  #migration(sql: string, value: (name: string) => unknown): Answer {
    const version = Number(value('version'));
    const row = this.migrations.get(version);
    if (/^SELECT/.test(sql)) {
      if (row === undefined) return { rows: [] };
      const { checksum, done, doneChecksum, isFinished } = row;
      const found = { CHECKSUM: checksum, STATEMENTS_DONE: done, DONE_CHECKSUM: doneChecksum };
      return { rows: [{ ...found, FINISHED: isFinished ? 1 : 0 }] };
    }
    if (/^INSERT/.test(sql)) {
      this.migrations.set(version, {
        name: String(value('name')),
        checksum: String(value('checksum')),
        done: 0,
        doneChecksum: String(value('done_checksum')),
        isFinished: false,
      });
    } else if (row !== undefined && /SET statements_done/.test(sql)) {
      row.done = Number(value('done'));
      row.doneChecksum = String(value('done_checksum'));
    } else if (row !== undefined) {
      row.checksum = String(value('checksum'));
      row.isFinished = true;
    }
    return { rowsAffected: 1 };
  }

  #readModel(sql: string, name: string): Answer {
    const model = this.models.get(name);
    if (model === undefined) return { rows: [] };
    if (!/vector_info/.test(sql)) return { rows: [{ MODEL_NAME: name }] };
    return { rows: model.vectorInfo === null ? [] : [{ VECTOR_INFO: model.vectorInfo }] };
  }

  #load(name: string): Answer {
    if (!this.models.has(name)) this.models.set(name, this.loaded);
    return {};
  }

  #selfTest(sql: string, value: (name: string) => unknown): Answer {
    const name = /VECTOR_EMBEDDING\((\w+) /.exec(sql)?.[1] ?? '';
    const model = this.models.get(name);
    if (model === undefined) throw new FakeOracleError('ORA-40284', 'model does not exist');
    const embed = (bind: string) => model.embed(String(value(bind)));
    const [text, near, far] = [embed('text'), embed('near_text'), embed('far_text')];
    return {
      rows: [
        {
          DIMENSION: text.length,
          NEAR_DISTANCE: cosineDistance(text, near),
          FAR_DISTANCE: cosineDistance(text, far),
        },
      ],
    };
  }

  #ddl(sql: string): Answer | null {
    const created = CREATE.exec(sql);
    if (created !== null) {
      const [, , ifNotExists, name = ''] = created;
      const key = name.toUpperCase();
      if (this.objects.has(key) && ifNotExists === undefined) {
        throw new FakeOracleError('ORA-00955', 'name is already used by an existing object');
      }
      this.objects.add(key);
      return {};
    }
    const added = ADD_COLUMN.exec(sql);
    if (added !== null) {
      const [, table = '', name = ''] = added;
      const column = (/^rag_chunk$/i.test(table) ? name : `${table}.${name}`).toUpperCase();
      if (this.columns.has(column))
        throw new FakeOracleError('ORA-01430', 'column being added already exists in table');
      this.columns.add(column);
      return {};
    }
    const password = /^ALTER USER (\w+) IDENTIFIED BY "(.*)"/.exec(sql);
    if (password !== null) this.passwords.set(password[1] ?? '', password[2] ?? '');
    const isDdl = /^(?:CREATE|ALTER|DROP|GRANT|COMMENT)\b/i.test(sql);
    const isBlockOfDdl =
      /^(?:BEGIN|DECLARE)\b/i.test(sql) && /EXECUTE IMMEDIATE|DBMS_RLS|CTX_DDL|DBMS_SESSION/.test(sql);
    return isDdl || isBlockOfDdl ? {} : null;
  }
}

function cosineDistance(a: Float32Array, b: Float32Array): number {
  const dot = a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
  return 1 - dot / (Math.hypot(...a) * Math.hypot(...b) || 1);
}
