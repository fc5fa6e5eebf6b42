import { expect, test } from 'vitest';
import { documentQuery } from '../../functions/core/kinds/document.ts';
import type { Binds, Database } from '../../functions/ports/database.ts';
import { putDocument } from '../../functions/store/documents.ts';
import { indexedText } from '../support/inspect.ts';
import { lines } from '../support/swap.ts';
import { forEachDatabase } from './databases.ts';

/** The database, which notes how many characters of texts each transaction has read. */
function measured(database: Database): { database: Database; read: number[] } {
  const read: number[] = [];
  const noting: Database = {
    dialect: database.dialect,
    rows: (actor, sql, binds) => database.rows(actor, sql, binds),
    execute: (actor, sql, binds) => database.execute(actor, sql, binds),
    transaction: (actor, work) =>
      database.transaction(actor, (tx) => {
        const at = read.push(0) - 1;
        const rowsOf = tx.rows.bind(tx);
        async function rows<T>(sql: string, binds?: Binds): Promise<T[]> {
          const found = await rowsOf<T & { content?: string | null }>(sql, binds);
          for (const { content } of found) read[at] = (read[at] ?? 0) + (content?.length ?? 0);
          return found;
        }
        return work(Object.assign(tx, { rows }));
      }),
    within: () => noting,
    hold: (work) => work(noting),
    close: async () => {},
  };
  return { database: noting, read };
}

forEachDatabase('a batch with long files', (bench) => {
  test('reads each of them by itself, and the short ones together', async () => {
    const long = lines('long', 1200);
    const texts = {
      'a.txt': `a ${long}`,
      'b.txt': `b ${long}`,
      'c.txt': 'short',
      'd.txt': `d ${long}`,
      'e.txt': 'too',
    };
    const query = documentQuery.parse({});
    await bench.database.transaction('system', async (tx) => {
      for (const [path, content] of Object.entries(texts)) {
        await putDocument(tx, {
          path,
          title: path,
          contentType: 'text/plain',
          charset: 'utf-8',
          bytes: content.length,
          digest: 'd',
          textFormat: 'plain',
          content,
          emptyReason: null,
          readers: query.audience,
          projectId: null,
          labels: [],
          origin: 'api',
          objectEtag: null,
        });
      }
    });
    const { database, read } = measured(bench.database);

    expect(await bench.drain({}, { database })).toMatchObject({ embedded: 5, failed: 0 });
    expect(Math.max(...read)).toBe(long.length + 2);
    expect(read.filter((characters) => characters > 0)).toContain('short'.length + 'too'.length);
    for (const path of Object.keys(texts)) expect(await indexedText(bench.database, `document/${path}`)).not.toBe('');
  });
});
