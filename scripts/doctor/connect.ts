import type { Connection, Driver } from '../../functions/adapters/oracle/driver.ts';
import { connectHint } from '../../functions/adapters/oracle/errors.ts';
import { connectOptions } from '../../functions/adapters/oracle/pool.ts';
import { UserError } from '../user-error.ts';
import type { DoctorSettings } from './settings.ts';

/** Logs in, with the driver's own errors. */
export async function login(driver: Driver, { address, user, password }: DoctorSettings): Promise<Connection> {
  const connection = await driver.getConnection(connectOptions(address, { user, password }));
  connection.module = 'oci-rag doctor';
  return connection;
}

/** The first login: one line says why it failed, and nothing of what was sent. */
export const firstLogin = (driver: Driver, settings: DoctorSettings): Promise<Connection> =>
  login(driver, settings).catch((error: unknown) => {
    throw new UserError(`the database cannot be reached: ${connectHint(error)}`);
  });
