import { describe, expect, test, vi } from 'vitest';
import { openScratchSchema, oracleServer } from '../support/oracle-server.ts';

// What the hoisted mock needs, and a test fills.
const { stand } = vi.hoisted(() => ({ stand: { driver: {} as object } }));
vi.mock('../../functions/adapters/oracle/driver.ts', () => ({ loadDriver: async () => stand.driver }));
const { FakeOracle } = await import('../support/oracle/driver.ts');
const { FakeOracleError } = await import('../support/oracle/errors.ts');
const { Recorder } = await import('../support/oracle/recorder.ts');

const SERVER = { connectString: 'localhost:1521/FREEPDB1', user: 'SYSTEM', password: 'secret' };

describe('the Oracle Database of the environment', () => {
  test('is there when all three variables are set', () => {
    const env = {
      TEST_ORACLE_CONNECT_STRING: SERVER.connectString,
      TEST_ORACLE_USER: SERVER.user,
      TEST_ORACLE_PASSWORD: SERVER.password,
    };
    expect(oracleServer(env)).toEqual(SERVER);
    expect(oracleServer({})).toBeNull();
    expect(oracleServer({ TEST_ORACLE_CONNECT_STRING: '', TEST_ORACLE_USER: '', TEST_ORACLE_PASSWORD: '' })).toBeNull();
    for (const name of Object.keys(env)) {
      expect(() => oracleServer({ ...env, [name]: undefined })).toThrow(/TEST_ORACLE_CONNECT_STRING, _USER, _PASSWORD/);
    }
  });
});

describe('a scratch schema', () => {
  function onStandIn() {
    const oracle = new FakeOracle(new Recorder());
    stand.driver = oracle.driver;
    return { oracle, sent: () => oracle.recorder.all().map(({ sql }) => sql) };
  }

  /** What statements make outside the schemas of users: by kind and name. */
  const madeBy = (statements: string[], verb: RegExp) =>
    new Set(
      statements.flatMap((sql) =>
        [...sql.matchAll(verb)].map(([, kind = '', name = '']) => `${kind} ${name}`.toUpperCase()),
      ),
    );
  const CREATED =
    /\bCREATE (?:OR REPLACE )?(USER|CONTEXT|PROFILE|ROLE|DIRECTORY|PUBLIC SYNONYM) (?:IF NOT EXISTS )?(\w+)/gi;
  const DROPPED = /\bDROP (USER|CONTEXT|PROFILE|ROLE|DIRECTORY|PUBLIC SYNONYM) (\w+)/gi;

  test('is made by the product’s own statements, under names of its own of at most 30 characters', async () => {
    const { oracle, sent } = onStandIn();
    await openScratchSchema(SERVER);
    await openScratchSchema(SERVER);

    const users = [...madeBy(sent(), CREATED)].filter((made) => made.startsWith('USER ')).map((made) => made.slice(5));
    expect(users).toHaveLength(4);
    for (const user of users) expect(user).toMatch(/^RAG_TEST_\w{1,21}$/);
    expect(oracle.catalog.objects.has('RAG_CHUNK')).toBe(true);
    expect(oracle.catalog.columns).toContain('EMBEDDING_64');
  });

  test('leaves nothing when it is dropped, and begins with the same', async () => {
    const { oracle, sent } = onStandIn();
    const { drop } = await openScratchSchema(SERVER);
    const made = madeBy(sent(), CREATED);
    const droppedFirst = madeBy(sent(), DROPPED);
    oracle.catalog.failAt(/^DROP USER/, () => new FakeOracleError('ORA-01940', 'cannot drop a connected user'));
    oracle.catalog.failAt(/^DROP CONTEXT/, () => new FakeOracleError('ORA-04043', 'does not exist'));
    await drop();

    expect(made.size).toBe(5);
    expect(droppedFirst).toEqual(made);
    expect(madeBy(sent(), DROPPED)).toEqual(made);
  });

  test('that cannot be dropped says so', async () => {
    const { oracle } = onStandIn();
    const { drop } = await openScratchSchema(SERVER);
    oracle.catalog.failAt(/^DROP PROFILE/, () => new FakeOracleError('ORA-01031', 'insufficient privileges'));
    await expect(drop()).rejects.toThrow(/insufficient privileges/);
  });
});
