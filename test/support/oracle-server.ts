import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OracleDatabase } from '../../functions/adapters/oracle/database.ts';
import { type Connection, loadDriver } from '../../functions/adapters/oracle/driver.ts';
import { oracleNumber } from '../../functions/adapters/oracle/errors.ts';
import { contextOf } from '../../functions/adapters/oracle/names.ts';
import { type OracleSettings, openOracleOwner } from '../../functions/adapters/oracle/open.ts';
import { connectOptions, createPool } from '../../functions/adapters/oracle/pool.ts';
import { readMigrations } from '../../functions/bootstrap/migrations.ts';
import type { Database, Migrator } from '../../functions/ports/database.ts';
import { MIGRATIONS } from './database-process.ts';

/** An Oracle Database, and who may make users in it. */
interface OracleServer {
  connectString: string;
  user: string;
  password: string;
}

export const HOW_TO_NAME_ONE = 'set TEST_ORACLE_CONNECT_STRING, _USER, _PASSWORD';

/** The database that the environment names; null where it names none. */
export function oracleServer(env: Record<string, string | undefined>): OracleServer | null {
  const values = [env.TEST_ORACLE_CONNECT_STRING, env.TEST_ORACLE_USER, env.TEST_ORACLE_PASSWORD];
  const [connectString, user, password] = values;
  if (connectString && user && password) return { connectString, user, password };
  if (values.some((value) => value)) throw new Error(`Of the three, one is missing: ${HOW_TO_NAME_ONE}`);
  return null;
}

/** The dimensions that tests embed with, besides that of RAG_CHUNK.EMBEDDING. */
const OTHER_DIMENSIONS = [64];

let schemas = 0;

/** Users of their own, migrated as bootstrap does it; with `drop` they and all that is theirs go. */
export async function openScratchSchema(server: OracleServer): Promise<{
  migrator: Migrator;
  connect(): Database;
  drop(): Promise<void>;
}> {
  const driver = await loadDriver();
  const prefix = `RAG_TEST_${process.pid}_${++schemas}`;
  const [owner, runtime] = [`${prefix}_OWNER`, `${prefix}_RUNTIME`];
  const password = async () => secret;
  const secret = `Rag1_${randomBytes(10).toString('hex')}`;
  const settings: OracleSettings = {
    connectString: server.connectString,
    wallet: '',
    walletPassword: async () => '',
    owner,
    ownerPassword: password,
    runtime,
    runtimePassword: password,
    tokenScope: '',
    admin: server.user,
    adminPassword: async () => server.password,
    poolMax: 4,
    sourceOf: async () => '',
    log: { info() {}, warn() {}, error() {} },
    trace: false,
  };
  const address = { connectString: server.connectString, wallet: '', walletPassword: '' };
  const drop = async () => {
    const admin = await driver.getConnection(connectOptions(address, server));
    try {
      await dropAll(admin, owner, runtime);
    } finally {
      await admin.close();
    }
  };

  // What a run of the same process id has left that was cut off.
  await drop();
  const readUsers = () => readMigrations(join(MIGRATIONS, 'oracle-users'));
  const { migrator, modelStore } = await openOracleOwner(settings, readUsers);
  await migrator.apply(await readMigrations(join(MIGRATIONS, 'oracle')));
  for (const dimension of OTHER_DIMENSIONS) await modelStore.prepare({ model: 'any', dimension, inDatabase: false });

  return {
    // The users are there.
    migrator: (await openOracleOwner({ ...settings, admin: '' }, readUsers)).migrator,
    connect() {
      const connect = connectOptions(address, { user: runtime, password: secret });
      const pool = createPool(driver, { connect, poolMax: settings.poolMax, owner });
      return new OracleDatabase({
        driver,
        owner,
        pool: {
          getConnection: async () => (await pool).getConnection(),
          close: async (drainTime) => (await pool).close(drainTime),
        },
      });
    },
    drop,
  };
}

const STILL_CONNECTED = 1940;
/** No such user, context or profile. */
const GONE = new Set([1918, 4043, 2380]);

/** The users with their schemas, and what migrations make that is in no schema. */
async function dropAll(admin: Connection, owner: string, runtime: string): Promise<void> {
  for (const sql of [
    `DROP USER ${runtime} CASCADE`,
    `DROP USER ${owner} CASCADE`,
    `DROP CONTEXT ${contextOf({ owner, runtime })}`,
    `DROP CONTEXT ${owner}_SQL`,
    `DROP PROFILE ${owner}_SERVICE CASCADE`,
  ]) {
    for (let attempt = 1; ; attempt++) {
      try {
        await admin.execute(sql);
        break;
      } catch (error) {
        if (GONE.has(oracleNumber(error) ?? 0)) break;
        // The sessions of a pool that was closed end a moment later.
        if (oracleNumber(error) !== STILL_CONNECTED || attempt === 20) throw error;
        await sleep(500);
      }
    }
  }
}
