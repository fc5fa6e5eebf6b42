import type { ClaimedRow } from '../core/queue.ts';
import type { Caller } from '../core/scope.ts';
import type { EmbeddingModel } from './embedder.ts';

/**
 * As whom the database sees a statement: the system (its own database role, which sees every row) or an employee,
 * whom the row security of the database binds whatever the statement says.
 */
export type Actor = 'system' | Caller;

/** A vector is a Float32Array. */
export type Bind = string | number | null | Float32Array;
export type Binds = Record<string, Bind>;

/** One open transaction. `:name` in SQL is a bind; a name may occur more than once. */
export interface Transaction {
  readonly dialect: Dialect;
  /** Rows with their column names in lower case. */
  rows<T>(sql: string, binds?: Binds): Promise<T[]>;
  /** The number of rows affected. */
  execute(sql: string, binds?: Binds): Promise<number>;
  /**
   * One statement (INSERT … VALUES, UPDATE or DELETE) for many bind sets in one round trip; the rows affected by all.
   * No two bind sets may touch the same row.
   */
  executeMany(sql: string, many: Binds[]): Promise<number>;
  /** As executeMany, for a change whose outcome nobody waits for: sent at the end, before the commit. */
  defer(sql: string, many: Binds[]): void;
}

export interface Database {
  readonly dialect: Dialect;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(actor: Actor, work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * One query in a transaction of its own, sent in one round trip: of columns without long texts, which a database may
   * bring in another.
   */
  rows<T>(actor: Actor, sql: string, binds?: Binds): Promise<T[]>;
  /** One change in a transaction of its own, sent in one round trip; the number of rows affected. */
  execute(actor: Actor, sql: string, binds?: Binds): Promise<number>;
  /** Lends one connection to all that the work does, one thing after the other. */
  hold<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** The same database, whose calls end with DeadlineExceeded when the deadline has passed. */
  within(deadline: Date | null): Database;
  close(): Promise<void>;
}

/** Two writers inserted the same key at once; the transaction may be run again. */
export class DuplicateKey extends Error {}

interface ClaimOptions {
  limit: number;
  maxAttempts: number;
  leaseSeconds: number;
  /** True: rows whose claim ran out because their drain died. False: rows that wait and are due. */
  lost: boolean;
}

/** The parts of one query block that looks for terms. */
interface TextSearch {
  /** Which rows may have them. */
  where: string;
  /** How well a row matches: above 0, where it does, and the more the better; not to be compared between questions. */
  score: string;
  /** Best first, for ORDER BY. */
  order: string;
}

/** What the two databases do not say alike. Everything else is SQL that both run. */
export interface Dialect {
  readonly name: 'oracle' | 'postgres';
  /** The column of RAG_CHUNK that holds the vectors of a model. */
  vectorColumn(model: EmbeddingModel): string;
  /** The vector of a passage from the bind that an Embedder made for it. */
  passageVector(model: EmbeddingModel, bind: string): string;
  /** The cosine distance between a column and the question's vector. */
  distanceTo(model: EmbeddingModel, column: string, bind: string): string;
  /** The row limit of a search that must equal a full scan of the permitted rows. */
  exactFirst(bind: string): string;
  /** The row limit of a search that filters nothing and may use an index that misses a few; null where there is none. */
  approximateFirst(bind: string): string | null;
  /** How passages are found by the terms of a question, of which there is at least one; each is letters and digits alone. */
  textSearch(column: string, bind: string): TextSearch;
  /** The bind's value for {@link textSearch}: passages with any of the terms. */
  textQuery(terms: string[]): string;
  /** Claims queue rows in (ENQUEUED_AT, DIRTY_ID) order, passing over rows that others hold, and counts the attempt. */
  claim(tx: Transaction, options: ClaimOptions): Promise<ClaimedRow[]>;
}

/** A migration file: its version, name and text. */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}

export interface Migrator {
  /** Applies what is missing, in order and under a lock; stops at an applied file that has changed, naming it. */
  apply(migrations: Migration[]): Promise<string[]>;
}
