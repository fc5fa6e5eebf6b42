import { afterAll, beforeAll, beforeEach } from 'vitest';
import { documentQuery } from '../../functions/core/kinds/document.ts';
import type { BucketContext } from '../../functions/ingest/bucket.ts';
import { writeDocument } from '../../functions/ingest/documents.ts';
import { bucketOf, hearEvents } from '../../functions/ingest/events.ts';
import { readDocument } from '../../functions/ingest/extraction/read-document.ts';
import type { Database } from '../../functions/ports/database.ts';
import { FunctionBench } from './functions.ts';
import { MemoryStore } from './memory-store.ts';
import { put } from './records.ts';

const TABLES =
  'source_reader resolution diagnostic document object_note rag_chore rag_dirty rag_source rag_chunk'.split(' ');

interface Row {
  path: string;
  content: string | null;
  empty_reason: string | null;
  audience: string;
  origin: string;
}

/** As OCI sends it. */
export const bucketEvent = (
  resourceName: string,
  { type = 'createobject', bucketName = 'bucket', namespace = 'space' } = {},
) => ({
  eventType: `com.oraclecloud.objectstorage.${type}`,
  cloudEventsVersion: '0.1',
  eventTypeVersion: '2.0',
  source: 'ObjectStorage',
  eventTime: '2026-11-30T12:00:00Z',
  contentType: 'application/json',
  data: {
    compartmentId: 'ocid1.compartment.oc1..a',
    resourceName,
    resourceId: `/n/${namespace}/b/${bucketName}/o/${resourceName}`,
    additionalDetails: { bucketName, namespace, eTag: 'of then' },
  },
  eventID: 'e1',
});

/** Files with an object store in memory, both empty at the start of each test; employees 1 (a manager) and 2, and project 7. */
export class FileBench {
  readonly bucket = bucketOf('oci:space/bucket');
  store = new MemoryStore();
  logged: { event: string; fields: Record<string, unknown> | undefined }[] = [];
  #bench: FunctionBench | undefined;

  /** For the tests of a file, or of a describe. */
  static open(): FileBench {
    const files = new FileBench();
    beforeAll(async () => {
      files.#bench = await FunctionBench.open();
      await files.bench.write(put.employee(1, { role: 'manager' }), put.employee(2), put.project(7));
    });
    beforeEach(async () => {
      files.store = new MemoryStore();
      files.logged = [];
      for (const table of TABLES) await files.bench.database.execute('system', `DELETE FROM ${table}`);
    });
    afterAll(() => files.#bench?.close());
    return files;
  }

  get bench(): FunctionBench {
    if (this.#bench === undefined) throw new Error('there is a bench within tests alone');
    return this.#bench;
  }

  context(settings: Partial<BucketContext> = {}): BucketContext {
    const note = (event: string, fields?: Record<string, unknown>) => void this.logged.push({ event, fields });
    return {
      database: this.bench.database,
      objects: this.store,
      log: { info: note, warn: note, error: (event, _, fields) => note(event, fields) },
      deadline: null,
      maxBytes: 1000,
      audience: 'organization',
      readDocument,
      ...settings,
    };
  }

  hear(name: string, options?: Parameters<typeof bucketEvent>[1]) {
    return hearEvents(this.context(), this.bucket, Buffer.from(JSON.stringify(bucketEvent(name, options))));
  }

  writeByCall(path: string, text: string, query: object = {}) {
    const file = { bytes: Buffer.from(text), contentType: 'text/plain' };
    return writeDocument(this.context(), path, file, documentQuery.parse(query));
  }

  documents(): Promise<Row[]> {
    return this.bench.rows('SELECT path, content, empty_reason, audience, origin FROM document ORDER BY path');
  }

  /** The texts of the documents by their paths. */
  async contents(): Promise<Record<string, string | null>> {
    return Object.fromEntries((await this.documents()).map(({ path, content }) => [path, content]));
  }

  /** The database, with something done before each transaction. */
  withTransactions(begins: () => unknown): Database {
    const { database } = this.bench;
    const transaction: Database['transaction'] = async (actor, work) => {
      await begins();
      return database.transaction(actor, work);
    };
    return withTransaction(database, transaction);
  }

  /** The database, with the table of each row told that is locked by a query, and each transaction that begins. */
  withLocks(told: (table: string) => void, begins = () => {}): Database {
    const { database } = this.bench;
    const transaction: Database['transaction'] = (actor, work) => {
      begins();
      return database.transaction(actor, (tx) =>
        work({
          dialect: tx.dialect,
          rows(sql, binds) {
            const [, table] = /\bFROM (\w+) .*\bFOR UPDATE$/s.exec(sql) ?? [];
            if (table !== undefined) told(table);
            return tx.rows(sql, binds);
          },
          execute: (sql, binds) => tx.execute(sql, binds),
          executeMany: (sql, many) => tx.executeMany(sql, many),
          defer: (sql, many) => tx.defer(sql, many),
        }),
      );
    };
    return withTransaction(database, transaction);
  }
}

const withTransaction = (database: Database, transaction: Database['transaction']): Database => ({
  dialect: database.dialect,
  transaction,
  rows: database.rows.bind(database),
  execute: database.execute.bind(database),
  hold: database.hold.bind(database),
  within: database.within.bind(database),
  close: database.close.bind(database),
});
