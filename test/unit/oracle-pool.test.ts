import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { inspect } from 'node:util';
import oracledb from 'oracledb';
import { afterEach, describe, expect, test } from 'vitest';
import type { Connection, Driver, PoolOptions } from '../../functions/adapters/oracle/driver.ts';
import { type OracleSettings, openOracle } from '../../functions/adapters/oracle/open.ts';
import { connectOptions, createPool } from '../../functions/adapters/oracle/pool.ts';
import { traceCalls } from '../../functions/adapters/oracle/trace.ts';
import { Unavailable } from '../../functions/core/errors.ts';

const ADDRESS = { connectString: 'host:1521/service', wallet: '', walletPassword: '' };
const SCOPE = 'urn:oracle:db::id::ocid1.compartment.oc1..c::ocid1.autonomousdatabase.oc1..d';

describe('the pool', () => {
  async function optionsOf(login: Parameters<typeof connectOptions>[1], address = ADDRESS): Promise<PoolOptions> {
    let options: PoolOptions | undefined;
    const driver = { createPool: async (given: PoolOptions) => (options = given) } as unknown as Driver;
    await createPool(driver, { connect: connectOptions(address, login), poolMax: 2, owner: 'RAG_OWNER' });
    if (options === undefined) throw new Error('no pool was made');
    return options;
  }

  test('holds nothing at rest, little at most, trusts no idle connection, and waits within a function’s time', async () => {
    const options = await optionsOf({ user: 'RAG_RUNTIME', password: 'x' });
    expect(options).toMatchObject({ poolMin: 0, poolMax: 2, homogeneous: true, sslServerDNMatch: true });
    expect(options.poolPingInterval).toBeLessThanOrEqual(30);
    const longest = (options.connectTimeout ?? 0) * ((options.retryCount ?? 0) + 1) * 1000 + options.queueTimeout;
    expect(longest).toBeLessThan(30_000);
  });

  test('tries again as often as it says, not as the descriptor of an Autonomous Database does', async () => {
    const connectString = '(description= (retry_count=20)(retry_delay=3)(address=(protocol=tcps)(port=1521)(host=a)))';
    const { connectString: used } = await optionsOf(
      { user: 'RAG_RUNTIME', password: 'x' },
      { ...ADDRESS, connectString },
    );
    expect(used).toBe('(description= (address=(protocol=tcps)(port=1521)(host=a)))');
  });

  test('looks names up in the owner’s schema before any statement', async () => {
    const connection = { currentSchema: '', module: '' } as Connection;
    await new Promise<void>((resolve) =>
      optionsOf({ user: 'RAG_RUNTIME', password: 'x' }).then((options) =>
        options.sessionCallback(connection, '', () => resolve()),
      ),
    );
    expect(connection).toMatchObject({ currentSchema: 'RAG_OWNER', module: 'oci-rag' });
  });

  test('logs in by a token for one database, and then with neither user nor password', async () => {
    const options = await optionsOf({ tokenScope: SCOPE });
    expect(options).toMatchObject({
      externalAuth: true,
      tokenAuthConfigOci: { authType: 'resourcePrincipal', scope: SCOPE },
    });
    expect(options).not.toHaveProperty('user');
    expect(options).not.toHaveProperty('password');
  });

  test('takes a wallet’s folder for its aliases too', async () => {
    const options = await optionsOf(
      { user: 'U', password: 'x' },
      { ...ADDRESS, wallet: '/wallet', walletPassword: 'w' },
    );
    expect(options).toMatchObject({ walletLocation: '/wallet', configDir: '/wallet', walletPassword: 'w' });
  });
});

describe('the real driver', () => {
  let server: Server | undefined;
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server?.close();
  });

  async function listen(onConnection: (socket: Socket) => void): Promise<number> {
    const listening = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      onConnection(socket);
    });
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    return (listening.address() as AddressInfo).port;
  }

  const settings = (connectString: string): OracleSettings => ({
    connectString,
    wallet: '',
    walletPassword: async () => '',
    owner: 'RAG_OWNER',
    ownerPassword: async () => 'Owner-Secret-1',
    runtime: 'RAG_RUNTIME',
    runtimePassword: async () => 'Runtime-Secret-1',
    tokenScope: '',
    admin: '',
    adminPassword: async () => '',
    poolMax: 1,
    sourceOf: async () => '',
    log: { info() {}, warn() {}, error() {} },
    trace: false,
  });

  async function failure(connectString: string): Promise<Unavailable> {
    const opened = await openOracle(settings(connectString)).catch((error: Unavailable) => error);
    if (opened instanceof Error) return opened;
    const { database } = opened;
    try {
      return (await database
        .rows('system', 'SELECT 1 AS one FROM dual')
        .catch((error: unknown) => error)) as Unavailable;
    } finally {
      await database.close();
    }
  }

  const descriptor = (port: number) =>
    `(description=(retry_count=0)(connect_timeout=1)(transport_connect_timeout=1)(address=(protocol=tcp)(host=127.0.0.1)(port=${port}))(connect_data=(service_name=x)))`;

  test.each([
    ['nobody listens', async () => descriptor(1), /^NJS-/],
    ['the listener hangs up', async () => descriptor(await listen((socket) => socket.end())), /^NJS-/],
    ['the listener never answers', async () => descriptor(await listen(() => {})), /^NJS-/],
    [
      'the listener speaks something else',
      async () => descriptor(await listen((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))),
      /^NJS-/,
    ],
    ['the connect string is none', async () => '(description=', /^NJS-/],
    ['the alias is not known', async () => 'no_such_alias', /^NJS-/],
    ['the host is not known', async () => 'no-such-host:1521/x', /^NJS-/],
  ])('says what is wrong where %s, and no password', async (_, connectString, code) => {
    const error = await failure(await connectString());
    expect(error).toBeInstanceOf(Unavailable);
    expect(error.message).toBe('The database cannot be reached');
    expect((error.cause as Error).message).toMatch(code);
    expect(inspect(error, { depth: 10 })).not.toMatch(/Secret-1/);
  });

  test('asks for a token as the function’s resource principal, and says where there is none', async () => {
    const opened = openOracle({ ...settings(descriptor(1)), tokenScope: SCOPE });
    const error = (await opened.catch((thrown: unknown) => thrown)) as Unavailable;
    expect(error).toBeInstanceOf(Unavailable);
    expect(inspect(error.cause)).toMatch(/NJS-168.*RAG_DATABASE_TOKEN_SCOPE/s);
    expect(inspect(error.cause)).toMatch(/resource principal/i);
  });

  test('has calls traced by its own hook: names, times and codes, neither statements nor values', () => {
    const lines: unknown[] = [];
    const log = {
      info: (event: string, fields?: object) => lines.push({ event, ...fields }),
      warn: () => {},
      error: () => {},
    };
    traceCalls(oracledb, log);
    const { traceHandler } = oracledb as unknown as {
      traceHandler: { getTraceInstance(): { onEnterFn(c: object): void; onExitFn(c: object): void; disable(): void } };
    };
    const trace = traceHandler.getTraceInstance();
    const context = {
      operation: 'oracledb.execute',
      error: { code: 'ORA-00942' },
      callLevelConfig: { statement: 'ALTER USER x IDENTIFIED BY "secret"', values: ['secret'] },
    };
    trace.onEnterFn(context);
    trace.onExitFn(context);
    trace.disable();
    expect(lines).toEqual([
      { event: 'database_call', operation: 'oracledb.execute', ms: expect.any(Number), error: 'ORA-00942' },
    ]);
  });
});
