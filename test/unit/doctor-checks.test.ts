import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PROBES } from '../../scripts/doctor/probes/all.ts';
import { fitDatabase } from './doctor-fit-database.ts';
import { oracleError, StandIn } from './doctor-stand-in.ts';
import { ENV, everythingTold, HOST, PASSWORD, tell } from './doctor-world.ts';

test('without --probe it says that Node, the settings and the connection are fit, and the version', async () => {
  const database = new StandIn(fitDatabase());

  const told = await tell(database, []);

  expect(told.code).toBe(0);
  expect(told.out).toContain(`ok      Node: ${process.versions.node}\n`);
  expect(told.out).toContain(
    'ok      database settings: an Oracle database without a wallet, the model RAG_OWNER.ALL_MINILM_L12_V2\n',
  );
  expect(told.out).toContain('ok      database connection: Oracle Database 23.26.2.0.0, as RAG_OWNER\n');
  expect(database.sent).toEqual([]);
  expect(database.closed).toBe(1);
  expect(database.connectOptions[0]).toMatchObject({
    user: 'RAG_OWNER',
    connectString: ENV.RAG_DATABASE.slice('oracle:'.length),
    sslServerDNMatch: true,
  });
});

test.each([['--probe'], []])(
  'a database that cannot be reached is one clear line and exit code 1 (%s)',
  async (...argv) => {
    const database = new StandIn();
    database.refusal = oracleError('ORA-01017', `invalid credential ${PASSWORD} at ${HOST}`);

    const told = await tell(database, argv.filter(Boolean));

    expect(told.code).toBe(1);
    expect(told.out + told.err).toContain(
      'the database cannot be reached: ORA-01017: the user name or the password is wrong\n',
    );
    expect(everythingTold(told)).not.toContain(PASSWORD);
    expect(everythingTold(told)).not.toContain(HOST);
    expect(told.report).toBe('');
  },
);

test('all that is wrong with the settings is told at once, and no value', async () => {
  const env = {
    RAG_DATABASE: `user/${PASSWORD}@${HOST}/db`,
    RAG_DATABASE_PASSWORD: PASSWORD,
    RAG_EMBEDDING_MODEL: 'a model',
    RAG_EMBEDDING_WINDOW: '12',
  };

  for (const argv of [[], ['--probe']]) {
    const told = await tell(new StandIn(), argv, { env });

    expect(told.code).toBe(1);
    expect(told.out + told.err).toContain('RAG_DATABASE must be oracle: and a connect string');
    expect(told.out + told.err).toContain('RAG_DATABASE_USER is missing');
    expect(told.out + told.err).toContain('RAG_EMBEDDING_MODEL must be an Oracle name');
    expect(told.out + told.err).toContain('RAG_EMBEDDING_WINDOW must be a whole number');
    expect(told.out + told.err).not.toContain('RAG_DATABASE_PASSWORD');
    expect(everythingTold(told)).not.toContain(PASSWORD);
  }
});

test('of a PostgreSQL address it says alone that the doctor is for Oracle', async () => {
  const env = { RAG_DATABASE: `postgres://user:${PASSWORD}@${HOST}/db` };

  for (const argv of [[], ['--probe']]) {
    const told = await tell(new StandIn(), argv, { env });

    expect(told.code).toBe(1);
    expect(told.out + told.err).toContain(
      'RAG_DATABASE is a PostgreSQL address: the doctor and its probes are for Oracle Database only\n',
    );
    expect(told.out + told.err).not.toContain('is missing');
    expect(everythingTold(told)).not.toContain(PASSWORD);
  }
});

test('a password that is in the vault cannot be read here, and is asked for', async () => {
  const told = await tell(new StandIn(), [], { env: { ...ENV, RAG_DATABASE_PASSWORD: 'vault:ocid1.vaultsecret.x' } });

  expect(told.code).toBe(1);
  expect(told.out).toContain('set the password itself');
  expect(told.out).not.toContain('ocid1');
});

test('what nobody foresaw is told without secrets too', async () => {
  const database = new StandIn();
  Object.defineProperty(database, 'driver', {
    get() {
      throw new Error(`no driver for ${ENV.RAG_DATABASE} and ${PASSWORD}`);
    },
  });

  const told = await tell(database, ['--probe']);

  expect(told.code).toBe(1);
  expect(told.err).toContain('no driver for *** and ***');
  expect(everythingTold(told)).not.toContain(HOST);
});

test('a wallet without the file that the driver reads is named before the driver fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wallet-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));

  const told = await tell(new StandIn(), [], { env: { ...ENV, RAG_DATABASE_WALLET: folder } });

  expect(told.code).toBe(1);
  expect(told.out).toContain('there is no ewallet.pem in it');
});

test('--help names every probe with the rights it needs', async () => {
  const told = await tell(new StandIn(), ['--help'], { env: {} });

  expect(told.code).toBe(0);
  const help = told.out.replace(/\s+/g, ' ');
  for (const { id, needs } of PROBES) expect(help).toContain(` ${id} ${needs}`);
  expect(Math.max(...told.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
});

test.each([
  [['--prob'], "Unknown option '--prob'; see --help"],
  [['--report', 'x.json'], '--report goes with --probe; see --help'],
  [['--probe', '--only', 'P1,P77'], 'there is no probe "P77"; see --help'],
  [['--probe', '--sessions', '0'], '--sessions must be a whole number from 1 to 100'],
  [['--probe', '--model-source', 'http://host/secret'], '--model-source must be https://… or DIRECTORY:file'],
])('%j is refused', async (argv, fault) => {
  const told = await tell(new StandIn(), argv);

  expect(told.code).toBe(1);
  expect(told.err).toBe(`${fault}\n`);
});
