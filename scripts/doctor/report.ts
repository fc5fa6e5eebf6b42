import { writeFile } from 'node:fs/promises';
import type { Connection, Driver } from '../../functions/adapters/oracle/driver.ts';
import { Session } from '../../functions/adapters/oracle/session.ts';
import { UserError } from '../user-error.ts';
import type { ProbeResult } from './finding.ts';
import type { ScratchObject } from './scratch.ts';

const VERSION = 'SELECT version_full FROM product_component_version WHERE ROWNUM = 1';
const VERSION_MS = 20_000;

interface DatabaseVersion {
  /** As the data dictionary says it, with the release update; null where it does not. */
  versionFull: string | null;
  /** As the driver learned it when it connected. */
  serverVersion: string;
}

export async function readVersion(driver: Driver, connection: Connection): Promise<DatabaseVersion> {
  const session = new Session(driver, connection, new Date(Date.now() + VERSION_MS));
  const [found] = await session.run([{ kind: 'query', sql: VERSION, binds: {} }]).catch(() => []);
  const versionFull = found?.rows[0]?.version_full;
  return {
    versionFull: typeof versionFull === 'string' ? versionFull : null,
    serverVersion: connection.oracleServerVersionString,
  };
}

interface Report {
  database: DatabaseVersion;
  model: string;
  startedAt: Date;
  interrupted: boolean;
  probes: ProbeResult[];
  leftovers: ScratchObject[];
}

/** So that what is settled for a version stays known. */
export async function writeReport(file: string, report: Report): Promise<void> {
  const content = { node: process.versions.node, ...report, finishedAt: new Date() };
  try {
    await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
  } catch (error) {
    throw new UserError(`the report could not be written: ${(error as Error).message}`);
  }
}
