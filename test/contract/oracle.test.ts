import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { OracleDatabase } from '../../functions/adapters/oracle/database.ts';
import { OracleVectorIndex } from '../../functions/adapters/oracle/vector-index.ts';
import { retrieve } from '../../functions/ask/retrieve.ts';
import { DeadlineExceeded, Unavailable } from '../../functions/core/errors.ts';
import type { Hit } from '../../functions/core/fusion.ts';
import { drain } from '../../functions/drain/drain.ts';
import { DEFAULT_CUTTING } from '../../functions/drain/plan.ts';
import { tendVectorIndex } from '../../functions/drain/vector-index.ts';
import { applyChange } from '../../functions/ingest/ingest.ts';
import { type Database, DuplicateKey, type Transaction } from '../../functions/ports/database.ts';
import { readEmployee } from '../../functions/store/employees.ts';
import { countVectors } from '../../functions/store/models.ts';
import { HashingDatabaseEmbedder, hashVector } from '../support/hashing-embedder.ts';
import { callerOf, letPass, readQueueRows } from '../support/inspect.ts';
import { searchNearest } from '../support/nearest.ts';
import { connectFakeOracle, FakeOracle, OWNER } from '../support/oracle/driver.ts';
import { FakeOracleError } from '../support/oracle/errors.ts';
import { compareWithGolden } from '../support/oracle/golden.ts';
import { Recorder } from '../support/oracle/recorder.ts';
import { askContext } from '../support/questions.ts';
import { put } from '../support/records.ts';
import { startTemplate } from '../support/template.ts';

const CLAIM = { maxAttempts: 5, leaseSeconds: 60, lost: false };
const MANAGER = callerOf(1, 'manager');

let behind: Awaited<ReturnType<typeof startTemplate>>;
let oracle: FakeOracle;
let database: OracleDatabase;
const embedder = new HashingDatabaseEmbedder();

beforeAll(async () => {
  behind = await startTemplate(inject('templateFolder'));
  oracle = new FakeOracle(new Recorder(), behind.url);
  oracle.embed = (text) => Float32Array.from(hashVector(text));
  database = connectFakeOracle(oracle);
});
afterAll(async () => {
  await oracle.close();
  await behind.stop();
  compareWithGolden(oracle.recorder);
});
beforeEach(async () => {
  await database.transaction('system', async (tx) => {
    for (const table of ['rag_dirty', 'rag_chunk', 'rag_source', 'task_comment', 'task', 'project', 'employee']) {
      await tx.execute(`DELETE FROM ${table}`);
    }
  });
});
afterEach(() => expect(oracle.leftBehind).toEqual([]));

const writeProjects = async (count: number, name = 'Ledger') => {
  for (let id = 1; id <= count; id++) await applyChange(database, put.project(id, { name: `${name} ${id}` }));
};

const drainContext = () => ({
  callId: 'test',
  database,
  embedder,
  next: null,
  metrics: { count: () => {} },
  log: { info: () => {}, warn: () => {}, error: () => {} },
});

const drainAll = () =>
  drain(drainContext(), { batchSize: 32, maxAttempts: 5, leaseSeconds: 60, deadline: null, cutting: DEFAULT_CUTTING });

describe('claims on Oracle', () => {
  /** Claims in a transaction that is held open until `release` is called. */
  function claimAndHold(db: Database, limit: number) {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let done: Promise<unknown> = Promise.resolve();
    const claimed = new Promise<number[]>((resolve, reject) => {
      done = db
        .transaction('system', async (tx: Transaction) => {
          resolve((await tx.dialect.claim(tx, { ...CLAIM, limit })).map((row) => row.dirtyId));
          await held;
        })
        .catch(reject);
    });
    return {
      claimed,
      async finish() {
        release();
        await done;
      },
    };
  }

  test('that are open at once take different rows, each as many as it asked for', async () => {
    await writeProjects(10);
    const pools = [connectFakeOracle(oracle), connectFakeOracle(oracle), connectFakeOracle(oracle)];
    const claims = pools.map((pool) => claimAndHold(pool, 4));
    const taken: number[][] = [];
    for (const { claimed } of claims) taken.push(await claimed);
    for (const { finish } of claims) await finish();

    expect(taken.map((rows) => rows.length)).toEqual([4, 4, 2]);
    expect(new Set(taken.flat()).size).toBe(10);
    expect(taken.flat()).toEqual([...taken.flat()].sort((a, b) => a - b));
  });

  test('lock no row that they do not return', async () => {
    await writeProjects(5);
    const first = claimAndHold(connectFakeOracle(oracle), 1);
    await first.claimed;
    const second = claimAndHold(connectFakeOracle(oracle), 10);
    expect(await second.claimed).toHaveLength(4);
    await first.finish();
    await second.finish();
  });

  test('that were never committed give their rows back', async () => {
    await writeProjects(3);
    const thrown = new Error('killed');
    const claim = (db: Database, after: () => void) =>
      db.transaction('system', async (tx) => {
        const rows = await tx.dialect.claim(tx, { ...CLAIM, limit: 3 });
        after();
        return rows.length;
      });
    await expect(
      claim(database, () => {
        throw thrown;
      }),
    ).rejects.toBe(thrown);
    expect(await claim(database, () => {})).toBe(3);
  });
});

describe('round trips to Oracle', () => {
  test('are one for a retrieval, whoever asks', async () => {
    await writeProjects(20);
    await drainAll();
    for (const caller of [MANAGER, callerOf(2)]) {
      const search = { question: 'Where is the ledger?', model: embedder, topK: 8 };
      let hits: unknown[] = [];
      const trips = await oracle.recorder.during(async () => {
        hits = await searchNearest(database, caller, search);
      });
      expect(hits).toHaveLength(8);
      expect(trips).toBe(1);
    }
  });

  test('are one also for one by words, names and a filter', async () => {
    await writeProjects(20);
    await drainAll();
    for (const caller of [MANAGER, callerOf(2)]) {
      const context = askContext({ database, embedder }, { caller, filters: { sourceTypes: ['project', 'task'] } });
      let hits: Hit[] = [];
      const trips = await oracle.recorder.during(async () => {
        hits = (await retrieve(context, 'What has the ledger to do with PROJECT 7 and KB-201?', context.retrieval))
          .hits;
      });
      expect(hits[0]).toMatchObject({ sourceId: '7', naming: 'source' });
      expect(hits).toHaveLength(8);
      expect(trips).toBe(1);
    }
  });

  test('are at most 6 for a drained batch of unchanged sources, at most 9 for one of changed or new ones', async () => {
    const idle = await oracle.recorder.during(drainAll);
    const batch = async () => (await oracle.recorder.during(drainAll)) - idle;
    await writeProjects(32);
    const fresh = await batch();
    await writeProjects(32);
    const unchanged = await batch();
    await writeProjects(32, 'Journal');
    const changed = await batch();

    expect(
      { unchanged: unchanged <= 6, changed: changed <= 9, fresh: fresh <= 9 },
      `${unchanged} ${changed} ${fresh}`,
    ).toEqual({
      unchanged: true,
      changed: true,
      fresh: true,
    });
  });
});

describe('a search by way of the index', () => {
  const search = { question: 'Ledger 7', model: embedder, topK: 3, approximate: true };
  const searched = (found: { sql: string }[]) => found.filter(({ sql }) => sql.includes('FETCH APPROX')).length;

  test('is made only for who sees everything, and finds what an exact one finds', async () => {
    await writeProjects(20);
    await drainAll();
    const before = searched(oracle.recorder.all());
    await searchNearest(database, callerOf(2), search);
    expect(searched(oracle.recorder.all())).toBe(before);

    const approximate = await searchNearest(database, MANAGER, search);
    expect(searched(oracle.recorder.all())).toBe(before + 1);
    const exact = await searchNearest(database, MANAGER, { ...search, approximate: false });
    // Of those that are equally near, either may be chosen.
    expect(approximate.map(({ distance }) => distance)).toEqual(exact.map(({ distance }) => distance));
    expect(approximate[0]).toEqual(exact[0]);
  });

  test('is made again, exact, where it finds too few', async () => {
    await writeProjects(2);
    await drainAll();
    let hits: unknown[] = [];
    const trips = await oracle.recorder.during(async () => {
      hits = await searchNearest(database, MANAGER, search);
    });
    expect(hits).toHaveLength(2);
    expect(trips).toBe(2);
  });
});

describe('the vector index', () => {
  const logged: unknown[] = [];
  const log = {
    info: (_: string, fields?: object) => logged.push(fields),
    warn: () => {},
    error: (event: string) => logged.push(event),
  };
  const tend = (rows: number) => {
    // As many vectors as the test says there are.
    const counting = { ...database, dialect: database.dialect, rows: async () => [{ n: rows }] } as unknown as Database;
    return tendVectorIndex(counting, new OracleVectorIndex(database, OWNER), embedder, log);
  };
  const state = () => new OracleVectorIndex(database, OWNER).state(embedder);

  test('is built when there is enough to choose its centroids from, and anew at ten times as much', async () => {
    expect(await state()).toEqual({ status: 'absent', builtRows: 0, builtAt: null });
    await tend(9_999);
    expect((await state()).status).toBe('absent');
    await tend(10_000);
    expect(await state()).toMatchObject({ status: 'ready', builtRows: 10_000 });
    await tend(99_999);
    expect((await state()).builtRows).toBe(10_000);
    await tend(100_000);
    expect((await state()).builtRows).toBe(100_000);
    expect(logged).toEqual([
      { step: 'build', rows: 10_000 },
      { step: 'rebuild', rows: 100_000 },
    ]);
  });

  test('that is unusable is built anew, and one that cannot be built is told and does no harm', async () => {
    logged.length = 0;
    const index = oracle.catalog.vectorIndexes.get('EMBEDDING');
    if (index !== undefined) index.status = 'UNUSABLE';
    expect((await state()).status).toBe('unusable');
    oracle.catalog.failAt(
      /rag_index\.rebuild/,
      () => new FakeOracleError('ORA-51962', 'vector memory area is out of space'),
    );
    await tend(100_000);
    expect((await state()).status).toBe('unusable');
    await tend(100_000);
    expect((await state()).status).toBe('ready');
    expect(logged).toEqual(['vector_index_failed', { step: 'rebuild', rows: 100_000 }]);
  });
});

test('how many vectors there are, and who an employee is, is asked of the database itself', async () => {
  await writeProjects(3);
  await drainAll();
  await applyChange(database, put.employee(7, { role: 'developer' }));
  expect(await countVectors(database, embedder.model)).toBe(3);
  expect(await countVectors(database, 'another')).toBe(0);
  expect(await readEmployee(database, MANAGER, 7)).toMatchObject({ id: 7 });
  expect(await readEmployee(database, callerOf(7), 7)).toMatchObject({ id: 7 });
  expect(await readEmployee(database, callerOf(8), 7)).toBeNull();
});

test('a database that hangs costs no source an attempt where time is left to give the claims back', async () => {
  await writeProjects(3);
  let hang = false;
  oracle.onCall = () => {};
  oracle.catalog.failAt(/^INSERT INTO rag_chunk/, () => {
    hang = true;
    return new FakeOracleError('NJS-123', 'call timeout');
  });
  const failed = drain(
    { ...drainContext(), database, rescue: database },
    { batchSize: 32, maxAttempts: 5, leaseSeconds: 60, deadline: null, cutting: DEFAULT_CUTTING },
  );
  await expect(failed).rejects.toThrow(DeadlineExceeded);
  expect(hang).toBe(true);
  expect(await readQueueRows(database)).toMatchObject([1, 2, 3].map(() => ({ attempts: 0, claimed: false })));
  expect(await drainAll()).toMatchObject({ embedded: 3 });
});

describe('a connection to Oracle', () => {
  const closed = () => new FakeOracleError('NJS-500', 'connection to the Oracle Database was broken', true);

  test('that turns out dead before anything is done is replaced once, unnoticed', async () => {
    await writeProjects(1);
    for (const fault of [closed(), FakeOracleError.sessionEnded(3113), new FakeOracleError('NJS-521', 'end of file')]) {
      oracle.nextFaults.push(fault);
      expect(await database.rows('system', 'SELECT COUNT(*) AS n FROM project')).toEqual([{ n: 1 }]);
      oracle.nextFaults.push(fault);
      expect(await database.transaction('system', (tx) => tx.rows('SELECT COUNT(*) AS n FROM project'))).toEqual([
        { n: 1 },
      ]);
    }
  });

  test('that is dead twice is Unavailable', async () => {
    oracle.nextFaults.push(closed(), closed());
    await expect(database.rows('system', 'SELECT 1 AS one FROM dual')).rejects.toThrow(Unavailable);
    oracle.nextFaults.length = 0;
  });

  test('that dies within a transaction ends it, without a second try that would repeat half of it', async () => {
    let runs = 0;
    const work = database.transaction('system', async (tx) => {
      runs++;
      await tx.rows('SELECT COUNT(*) AS n FROM project');
      oracle.nextFaults.push(closed());
      await tx.rows('SELECT COUNT(*) AS n FROM task');
    });
    await expect(work).rejects.toThrow(Unavailable);
    expect(runs).toBe(1);
    oracle.nextFaults.length = 0;
  });

  test('whose server failed otherwise (ORA-00600) is not tried again, though the driver calls it closed', async () => {
    const fault = Object.assign(new FakeOracleError('NJS-500', 'closed'), { errorNum: 600, isRecoverable: false });
    oracle.nextFaults.push(fault);
    const before = oracle.connectionsOpened;
    await expect(database.rows('system', 'SELECT 1 AS one FROM dual')).rejects.toBe(fault);
    expect(oracle.connectionsOpened - before).toBeLessThanOrEqual(1);
    oracle.nextFaults.length = 0;
  });

  test.each([
    ['ORA-00060', Unavailable],
    ['ORA-00054', Unavailable],
    ['NJS-123', DeadlineExceeded],
    ['ORA-01013', DeadlineExceeded],
  ] as const)('answering %s is told as what it is', async (code, expected) => {
    oracle.nextFaults.push(new FakeOracleError(code, 'something'));
    await expect(database.rows('system', 'SELECT 1 AS one FROM dual')).rejects.toThrow(expected);
    oracle.nextFaults.length = 0;
  });

  test('gets the time that the deadline leaves, and no call begins after it', async () => {
    const timeouts: number[] = [];
    oracle.onCall = (connection) => timeouts.push(connection.callTimeout);
    await database.within(new Date(Date.now() + 5000)).rows('system', 'SELECT 1 AS one FROM dual');
    await database.rows('system', 'SELECT 1 AS one FROM dual');
    oracle.onCall = () => {};
    expect(timeouts[0]).toBeGreaterThan(4000);
    expect(timeouts[0]).toBeLessThanOrEqual(5000);
    expect(timeouts.at(-1)).toBe(0);
    await expect(database.within(new Date(Date.now() - 1)).rows('system', 'SELECT 1 AS one FROM dual')).rejects.toThrow(
      DeadlineExceeded,
    );
  });

  test('that does not answer in time is left to itself, and the next call gets another', async () => {
    let hang = true;
    oracle.onCallWait = () => (hang ? new Promise(() => {}) : Promise.resolve());
    const late = database.within(new Date(Date.now() + 100)).rows('system', 'SELECT 1 AS one FROM dual');
    await expect(late).rejects.toThrow(DeadlineExceeded);
    hang = false;
    expect(await database.rows('system', 'SELECT 1 AS one FROM dual')).toEqual([{ one: 1 }]);
  });
});

describe('a unit of work on Oracle', () => {
  const INSERT = "INSERT INTO project (project_id, name, status) VALUES (:id, :name, 'active')";
  const count = async () => (await database.rows<{ n: number }>('system', 'SELECT COUNT(*) AS n FROM project'))[0]?.n;

  test('of which a statement has failed keeps nothing, also where the work has swallowed the failure', async () => {
    const work = database.transaction('system', async (tx) => {
      await tx.execute(INSERT, { id: 1, name: 'One' });
      await tx.execute(INSERT, { id: 1, name: 'Again' }).catch(() => {});
      tx.defer(INSERT, [{ id: 2, name: 'Two' }]);
    });
    await expect(work).rejects.toThrow(DuplicateKey);
    expect(await count()).toBe(0);
  });

  test('that ends while statements are under way leaves none of them behind', async () => {
    for (const failing of [true, false]) {
      const work = database.transaction('system', async (tx) => {
        tx.execute(INSERT, { id: 1, name: 'Nobody waits' });
        tx.rows('SELECT no_such_column FROM project');
        if (failing) throw new Error('not today');
      });
      await expect(work).rejects.toThrow();
    }
    expect(await count()).toBe(0);
  });

  test('cannot be added to when it has ended', async () => {
    let kept: Transaction | undefined;
    await database.transaction('system', async (tx) => {
      kept = tx;
    });
    await expect(kept?.rows('SELECT 1 AS one FROM dual')).rejects.toThrow('has ended');
  });

  test('never acts for the one before it on a held connection, though it failed before anything was sent', async () => {
    await applyChange(database, put.employee(2, { role: 'developer' }));
    await applyChange(database, put.task(1, { assigneeId: 2 }));
    await applyChange(database, put.task(2));
    const seen = await database.hold(async (held) => {
      await held.rows('system', 'SELECT COUNT(*) AS n FROM task');
      const tooLong = [1, 2].map((id) => ({ id, name: 'x'.repeat(40_000) }));
      await held.transaction(callerOf(2), (tx) => tx.executeMany(INSERT, tooLong)).catch(() => {});
      return held.rows(callerOf(2), 'SELECT task_id FROM task');
    });
    expect(seen).toEqual([{ task_id: 1 }]);
  });

  test('has a held connection to itself: another at the same time is refused, not run as somebody else', async () => {
    await applyChange(database, put.employee(2, { role: 'developer' }));
    await applyChange(database, put.task(1, { assigneeId: 2 }));
    await applyChange(database, put.task(2));
    await database.hold(async (held) => {
      const developer = held.transaction(callerOf(2), async (tx) => {
        await tx.rows('SELECT 1 AS one FROM dual');
        await expect(held.rows('system', 'SELECT task_id FROM task')).rejects.toThrow('one thing after the other');
        return tx.rows('SELECT task_id FROM task');
      });
      expect(await developer).toEqual([{ task_id: 1 }]);
      const before = oracle.connectionsOpened;
      const both = await Promise.allSettled([1, 2].map(() => held.rows('system', 'SELECT 1 AS one FROM dual')));
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(oracle.connectionsOpened - before).toBeLessThanOrEqual(1);
    });
  });

  test('sees by its role as well as by its person, on one held connection', async () => {
    await applyChange(database, put.employee(2, { role: 'developer' }));
    await applyChange(database, put.task(1, { assigneeId: 2 }));
    await applyChange(database, put.task(2));
    const seen = await database.hold(async (held) => {
      const counts = [];
      for (const who of [callerOf(2, 'manager'), callerOf(2), callerOf(3), callerOf(2, 'admin')]) {
        counts.push((await held.rows(who, 'SELECT task_id FROM task')).length);
      }
      return counts;
    });
    expect(seen).toEqual([2, 1, 0, 2]);
  });

  test('that commits is never repeated, though its connection was lost', async () => {
    oracle.nextFaults.push(new FakeOracleError('NJS-500', 'connection to the Oracle Database was broken', true));
    const before = oracle.recorder.roundTrips;
    await expect(database.execute('system', INSERT, { id: 1, name: 'One' })).rejects.toThrow(Unavailable);
    expect(oracle.recorder.roundTrips - before).toBe(1);
    oracle.nextFaults.push(new FakeOracleError('NJS-500', 'connection to the Oracle Database was broken', true));
    const deferred = database.transaction('system', async (tx) => tx.defer(INSERT, [{ id: 1, name: 'One' }]));
    await expect(deferred).rejects.toThrow(Unavailable);
    expect(await count()).toBe(0);
  });

  test('that a deadline has cut off before its commit is undone, and its connection is used by nobody', async () => {
    let calls = 0;
    oracle.onCallWait = () => (++calls === 2 ? new Promise(() => {}) : Promise.resolve());
    const late = database.within(new Date(Date.now() + 150)).transaction('system', async (tx) => {
      await tx.execute(INSERT, { id: 1, name: 'One' });
    });
    await expect(late).rejects.toThrow(DeadlineExceeded);
    oracle.onCallWait = async () => {};
    expect(await count()).toBe(0);
  });
});

test('the driver still has the part by which a connection is cut off', () => {
  const { NetworkSession } = createRequire(import.meta.url)('oracledb/lib/thin/sqlnet/networkSession.js') as {
    NetworkSession: { prototype: { forceDisconnect?: unknown } };
  };
  expect(NetworkSession.prototype.forceDisconnect).toBeTypeOf('function');
});

describe('what is sent to Oracle', () => {
  test('a text longer than a VARCHAR2 takes goes as a CLOB, and comes back whole', async () => {
    const text = 'Straße '.repeat(10_000);
    await applyChange(database, put.project(1, { description: text }));
    const [row] = await database.transaction('system', (tx) =>
      tx.rows<{ description: string }>('SELECT description FROM project'),
    );
    expect(row?.description === text).toBe(true);
  });

  test('more rows than one fetch brings come whole, under the caller’s context', async () => {
    const many = Array.from({ length: 700 }, (_, i) => ({ id: i + 1, name: `P${i}` }));
    await database.transaction('system', (tx) =>
      tx.executeMany("INSERT INTO project (project_id, name, status) VALUES (:id, :name, 'active')", many),
    );
    expect(await database.rows(callerOf(2), 'SELECT project_id FROM project')).toHaveLength(700);
  });

  test('a name that is no Oracle name never reaches a statement', () => {
    const bad = { model: "x') --", dimension: 384, inDatabase: true };
    expect(() => database.dialect.passageVector(bad, 'vector')).toThrow('not an Oracle name');
    expect(() => database.dialect.distanceTo(bad, 'c.embedding', 'question')).toThrow('not an Oracle name');
  });

  test('a claim of a drain that died is taken by the next', async () => {
    await writeProjects(2);
    await database.transaction('system', (tx) => tx.dialect.claim(tx, { ...CLAIM, limit: 2 }));
    expect((await drainAll()).embedded).toBe(0);
    await letPass(database, 'lease');
    expect((await drainAll()).embedded).toBe(2);
  });
});
