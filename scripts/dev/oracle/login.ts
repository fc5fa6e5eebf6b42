import { setTimeout as sleep } from 'node:timers/promises';
import { loadDriver } from '../../../functions/adapters/oracle/driver.ts';
import { connectHint, oracleNumber } from '../../../functions/adapters/oracle/errors.ts';
import { connectOptions } from '../../../functions/adapters/oracle/pool.ts';
import { UserError } from '../../user-error.ts';
import { SHOW_LOG } from './container.ts';
import { type ContainerSettings, connectStringOf } from './settings.ts';

const WRONG_PASSWORD = 1017;
const PAUSE_MS = 1000;

/** Logs in to the container's database as SYSTEM, and out again. */
async function logIn(container: ContainerSettings): Promise<void> {
  const driver = await loadDriver();
  const address = { connectString: connectStringOf(container), wallet: '', walletPassword: '' };
  const connection = await driver.getConnection(
    connectOptions(address, { user: 'SYSTEM', password: container.password }),
  );
  await connection.close();
}

/** Waits until SYSTEM can log in: the listener hears of a database that has just opened a little later. */
export async function waitForLogin(container: ContainerSettings, patienceMs = 60_000, attempt = logIn): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    try {
      return await attempt(container);
    } catch (error) {
      if (oracleNumber(error) === WRONG_PASSWORD) {
        throw new UserError(
          "ORACLE_PASSWORD is not the password of the container's database, which keeps the one that it was made with. " +
            'Give that one; or set this one: docker compose exec oracle resetPassword <password>; or begin anew with --reset',
        );
      }
      if (Date.now() > giveUpAt) {
        throw new UserError(
          `The container runs, but its database does not answer at ${connectStringOf(container)} ` +
            `(${connectHint(error)}); \`${SHOW_LOG}\` may say why`,
        );
      }
    }
    await sleep(PAUSE_MS);
  }
}
