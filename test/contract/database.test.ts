import { describe, expect, test } from 'vitest';
import { PostgresDatabase } from '../../functions/adapters/postgres/database.ts';
import { Unavailable } from '../../functions/core/errors.ts';
import { DuplicateKey, type Transaction } from '../../functions/ports/database.ts';
import { callerOf } from '../support/inspect.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const INSERT = 'INSERT INTO project (project_id, name, status, description) VALUES (:id, :name, :status, :description)';

const project = (id: number, name = 'A project', description: string | null = null) => ({
  id,
  name,
  status: 'active',
  description,
});

const asSystem = <T>(bench: Bench, work: (tx: Transaction) => Promise<T>) => bench.database.transaction('system', work);

const stored = (bench: Bench) =>
  asSystem(bench, (tx) =>
    tx.rows<{ project_id: number; name: string; description: string | null }>(
      'SELECT project_id, name, description FROM project ORDER BY project_id',
    ),
  );

/** Texts that the writing of lists and arrays could break. */
const ODD_TEXTS = ['NULL', 'null', '{}', '{a,b}', ',', '"', '""', "'", '\\', '\\"', '\n', ' ', '[]', '$1', ':id', '🚀'];

forEachDatabase('the database', (bench) => {
  describe('a statement for many bind sets', () => {
    test('inserts every set, in order', async () => {
      const count = await asSystem(bench, (tx) =>
        tx.executeMany(
          INSERT,
          ODD_TEXTS.map((text, i) => project(i + 1, text, text)),
        ),
      );

      expect(count).toBe(ODD_TEXTS.length);
      expect(await stored(bench)).toEqual(
        ODD_TEXTS.map((text, i) => ({ project_id: i + 1, name: text, description: text })),
      );
    });

    test('updates with every set, and tells how many rows it met', async () => {
      const sql = 'UPDATE project SET name = :name, description = :description WHERE project_id = :id';
      await asSystem(bench, (tx) =>
        tx.executeMany(
          INSERT,
          [...ODD_TEXTS.keys()].map((i) => project(i, 'Old', 'Old')),
        ),
      );
      const count = await asSystem(bench, (tx) =>
        tx.executeMany(sql, [
          { id: 998, name: 'None', description: null },
          ...ODD_TEXTS.map((text, id) => ({ id, name: text, description: id === 0 ? null : text })),
          { id: 999, name: 'None', description: null },
        ]),
      );

      expect(count).toBe(ODD_TEXTS.length);
      expect(await stored(bench)).toEqual(
        ODD_TEXTS.map((text, id) => ({ project_id: id, name: text, description: id === 0 ? null : text })),
      );
    });

    test('deletes with every set, and tells how many rows it met', async () => {
      const sql = 'DELETE FROM project WHERE name = :name AND project_id <= :id';
      await asSystem(bench, (tx) =>
        tx.executeMany(INSERT, [project(1, 'a'), project(2, 'a'), project(3, 'a'), project(4, 'b'), project(5, 'c')]),
      );
      const count = await asSystem(bench, (tx) =>
        tx.executeMany(sql, [
          { name: 'a', id: 2 },
          { name: 'b', id: 3 },
          { name: 'c', id: 5 },
        ]),
      );

      expect(count).toBe(3);
      expect((await stored(bench)).map((row) => row.project_id)).toEqual([3, 4]);
    });

    test.each([0, 1])('does the same for %d sets', async (count) => {
      const sets = Array.from({ length: count }, (_, i) => project(i + 1));

      expect(await asSystem(bench, (tx) => tx.executeMany(INSERT, sets))).toBe(count);
      expect(await stored(bench)).toHaveLength(count);
    });

    test('takes more values than a statement may have parameters', async () => {
      const sets = Array.from({ length: 20_000 }, (_, i) => project(i + 1));
      const inserted = await asSystem(bench, (tx) => tx.executeMany(INSERT, sets));
      const [row] = await bench.database.rows('system', 'SELECT COUNT(*) AS n, MAX(project_id) AS last FROM project');

      expect(inserted).toBe(20_000);
      expect(row).toEqual({ n: 20_000, last: 20_000 });
    });

    test('of which one makes a key twice is a DuplicateKey, and keeps nothing', async () => {
      await asSystem(bench, (tx) => tx.execute(INSERT, project(2)));
      const insert = asSystem(bench, (tx) => tx.executeMany(INSERT, [project(1), project(2), project(3)]));

      await expect(insert).rejects.toThrow(DuplicateKey);
      expect((await stored(bench)).map((row) => row.project_id)).toEqual([2]);
    });
  });

  describe('a transaction', () => {
    test('is kept when its work resolves, with what the work returns', async () => {
      const returned = await asSystem(bench, async (tx) => {
        await tx.execute(INSERT, project(1));
        return 'done';
      });

      expect(returned).toBe('done');
      expect(await stored(bench)).toHaveLength(1);
    });

    test('is rolled back when its work throws, and passes on what was thrown', async () => {
      const thrown = new Error('not today');
      const caught = await asSystem(bench, async (tx) => {
        await tx.execute(INSERT, project(1));
        throw thrown;
      }).catch((error: unknown) => error);

      expect(caught).toBe(thrown);
      expect(await stored(bench)).toEqual([]);
    });

    test('that claims to be kept is kept, even where its work has swallowed the failure of a statement', async () => {
      const outcome = await asSystem(bench, async (tx) => {
        await tx.execute(INSERT, project(1));
        await tx.execute('UPDATE project SET no_such_column = 1').catch(() => {});
      }).then(
        () => 'kept',
        () => 'refused',
      );

      expect(await stored(bench)).toHaveLength(outcome === 'kept' ? 1 : 0);
    });

    test('makes what was deferred last, in the order in which it was asked for', async () => {
      await asSystem(bench, async (tx) => {
        tx.defer(INSERT, [project(1), project(2)]);
        tx.defer('UPDATE project SET name = :name WHERE project_id = :id', [{ name: 'Later', id: 2 }]);
        tx.defer(INSERT, []);
        expect(await tx.rows('SELECT project_id FROM project')).toEqual([]);
      });

      expect((await stored(bench)).map((row) => row.name)).toEqual(['A project', 'Later']);
    });

    test('of which something deferred fails is rolled back, and says why', async () => {
      const failing = asSystem(bench, async (tx) => {
        await tx.execute(INSERT, project(1));
        tx.defer(INSERT, [project(2), project(1)]);
      });

      await expect(failing).rejects.toThrow(DuplicateKey);
      expect(await stored(bench)).toEqual([]);
    });

    test('that defers something and then throws leaves nothing of it', async () => {
      await asSystem(bench, async (tx) => {
        tx.defer(INSERT, [project(1)]);
        throw new Error('not today');
      }).catch(() => {});

      expect(await stored(bench)).toEqual([]);
    });

    test('sees the same whether one connection is held for many or not, and a failure of one spoils no other', async () => {
      const seen = await bench.database.hold(async (held) => {
        await held.transaction('system', (tx) => tx.execute(INSERT, project(1)));
        await held.transaction('system', (tx) => tx.execute(INSERT, project(1))).catch(() => {});
        await held.rows('system', 'SELECT no_such_column FROM project').catch(() => {});
        const asReader = await held.rows(callerOf(1), 'SELECT project_id FROM project');
        await held.execute('system', INSERT, project(2));
        return [asReader, await held.rows('system', 'SELECT project_id FROM project ORDER BY project_id')];
      });

      expect(seen).toEqual([[{ project_id: 1 }], [{ project_id: 1 }, { project_id: 2 }]]);
    });

    test('leaves its connection fit for the next, however it ended', async () => {
      for (let i = 0; i < 12; i++) {
        await asSystem(bench, (tx) => tx.rows('SELECT no_such_column FROM project')).catch(() => {});
        await bench.database.rows('system', 'SELECT :a FROM dual', { b: 1 }).catch(() => {});
        await asSystem(bench, async () => {
          throw new Error('before any statement');
        }).catch(() => {});
      }

      await asSystem(bench, (tx) => tx.execute(INSERT, project(1)));
      expect(await stored(bench)).toHaveLength(1);
    });
  });

  test('a single change is kept, and tells how many rows it met', async () => {
    const sql = 'UPDATE project SET status = :status WHERE project_id <= :id';
    await asSystem(bench, (tx) => tx.executeMany(INSERT, [project(1), project(2), project(3)]));

    expect(await bench.database.execute('system', sql, { status: 'completed', id: 2 })).toBe(2);
    expect(await bench.database.execute('system', sql, { status: 'completed', id: 0 })).toBe(0);
    await expect(bench.database.execute('system', INSERT, project(1))).rejects.toThrow(DuplicateKey);
    expect(await bench.database.rows('system', "SELECT COUNT(*) AS n FROM project WHERE status = 'completed'")).toEqual(
      [{ n: 2 }],
    );
  });

  test('a query that fails says why, and not what came after it', async () => {
    await expect(bench.database.rows('system', 'SELECT no_such_column FROM project')).rejects.toThrow(
      /no_such_column/i,
    );
  });

  test('numbers come as numbers, the greatest id to the last digit', async () => {
    await asSystem(bench, (tx) => tx.execute(INSERT, project(Number.MAX_SAFE_INTEGER)));

    expect(
      await bench.database.rows(
        'system',
        'SELECT project_id, 1.25 AS x, COUNT(*) AS n FROM project GROUP BY project_id',
      ),
    ).toEqual([{ project_id: Number.MAX_SAFE_INTEGER, x: 1.25, n: 1 }]);
  });

  test.runIf(bench.concurrent && bench.inPostgres)(
    'a connection that breaks within a transaction is Unavailable, and is replaced',
    async () => {
      const work = asSystem(bench, async (tx) => {
        await tx.rows("SELECT set_config('role', 'none', true) FROM dual");
        await tx.rows('SELECT pg_terminate_backend(pg_backend_pid()) FROM dual');
      });

      await expect(work).rejects.toThrow(Unavailable);
      expect(await stored(bench)).toEqual([]);
    },
  );

  test('a database that is not there is Unavailable', async () => {
    const nowhere = PostgresDatabase.open({
      connectionString: 'postgresql://postgres@localhost/postgres?host=/nowhere',
      poolMax: 1,
      textIndex: 'bm25',
      onIdleError: () => {},
    });

    await expect(nowhere.rows('system', 'SELECT 1 FROM dual')).rejects.toThrow(Unavailable);
    await nowhere.close();
  });
});
