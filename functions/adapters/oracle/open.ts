import type { Database, Migration, Migrator } from '../../ports/database.ts';
import type { ModelStore } from '../../ports/model-store.ts';
import type { Log } from '../../ports/platform.ts';
import type { VectorIndex } from '../../ports/vector-index.ts';
import { OracleDatabase } from './database.ts';
import { type Driver, loadDriver } from './driver.ts';
import { unreachable } from './errors.ts';
import { OracleMigrator } from './migrator.ts';
import { OracleModelStore } from './model-store.ts';
import { connectOptions, createPool, type OracleAddress, type OracleLogin } from './pool.ts';
import { type SqlSettings, writeSqlSettings } from './sql-settings.ts';
import { traceCalls } from './trace.ts';
import { prepareUsers } from './users.ts';
import { OracleVectorIndex } from './vector-index.ts';

/** A setting that may be kept elsewhere: read when it is needed; '' where it is not set. */
type Secret = () => Promise<string>;

export interface OracleSettings {
  connectString: string;
  /** The wallet's folder; '' for none. */
  wallet: string;
  walletPassword: Secret;
  /** Who owns tables and model. */
  owner: string;
  ownerPassword: Secret;
  /** As whom the functions log in. */
  runtime: string;
  runtimePassword: Secret;
  /** The database that the runtime user logs in to by a token instead; '' for a password. */
  tokenScope: string;
  /** Who makes the two users; '' where they are there. */
  admin: string;
  adminPassword: Secret;
  poolMax: number;
  /** Where an embedding model can be had; '' where it is there. */
  sourceOf(model: string): Promise<string>;
  log: Log;
  /** Logs each call of the driver. */
  trace: boolean;
}

/** What makes a database fit for the functions: for bootstrap alone, which logs in as the owner. */
export interface OracleOwner {
  migrator: Migrator;
  modelStore: ModelStore;
  /** Tells the package RAG, which answers those who live in SQL, what it goes by. */
  writeSqlSettings(settings: SqlSettings): Promise<void>;
}

/** As the functions log in. */
export async function openOracle(settings: OracleSettings): Promise<{ database: Database; vectorIndex: VectorIndex }> {
  const driver = await loadDriver();
  if (settings.trace) traceCalls(driver, settings.log);
  const login: OracleLogin =
    settings.tokenScope === ''
      ? { user: settings.runtime, password: await settings.runtimePassword() }
      : { tokenScope: settings.tokenScope };
  // Registers itself with the driver, and loads what it needs to ask for a token.
  if ('tokenScope' in login) await import('oracledb/plugins/token/extensionOci/index.js');
  const connect = connectOptions(await addressOf(settings), login);
  // Connects to nothing yet, but reads the connect string.
  const pool = await createPool(driver, { connect, poolMax: settings.poolMax, owner: settings.owner }).catch(
    (error: unknown) => {
      throw unreachable(error);
    },
  );
  const database = new OracleDatabase({ driver, pool, owner: settings.owner });
  return { database, vectorIndex: new OracleVectorIndex(database, settings.owner) };
}

/** As the owner logs in; where there is an administrator, the users are made first. */
export async function openOracleOwner(
  settings: OracleSettings,
  readUserStatements: () => Promise<Migration[]>,
): Promise<OracleOwner> {
  const driver = await loadDriver();
  const names = { owner: settings.owner, runtime: settings.runtime };
  const connect = () => connectAs(driver, settings, settings.owner, settings.ownerPassword);
  const migrator = new OracleMigrator({
    driver,
    ...names,
    connect,
    onSkipped: (name, error) => settings.log.warn('migration_skipped', { name, reason: error.message }),
  });
  return {
    modelStore: new OracleModelStore({ driver, ...names, connect, sourceOf: settings.sourceOf }),
    writeSqlSettings: (sqlSettings) => writeSqlSettings({ driver, connect }, sqlSettings),
    migrator: {
      async apply(migrations) {
        if (settings.admin !== '') await makeUsers(driver, settings, await readUserStatements());
        return migrator.apply(migrations);
      },
    },
  };
}

async function makeUsers(driver: Driver, settings: OracleSettings, statements: Migration[]): Promise<void> {
  const { owner, runtime, admin, tokenScope } = settings;
  const passwords = {
    owner: await settings.ownerPassword(),
    runtime: tokenScope === '' ? await settings.runtimePassword() : null,
  };
  await prepareUsers(
    {
      driver,
      owner,
      runtime,
      passwords,
      connectAdmin: () => connectAs(driver, settings, admin, settings.adminPassword),
      connectAs: (user) =>
        connectAs(driver, settings, user, user === owner ? settings.ownerPassword : settings.runtimePassword),
    },
    statements,
  );
}

async function connectAs(driver: Driver, settings: OracleSettings, user: string, password: Secret) {
  return driver.getConnection(connectOptions(await addressOf(settings), { user, password: await password() }));
}

async function addressOf({ connectString, wallet, walletPassword }: OracleSettings): Promise<OracleAddress> {
  return { connectString, wallet, walletPassword: wallet === '' ? '' : await walletPassword() };
}
