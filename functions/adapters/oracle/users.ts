import { SetupFailed } from '../../core/errors.ts';
import type { Migration } from '../../ports/database.ts';
import type { Connection, Driver } from './driver.ts';
import { isConnectionLost, oracleCode, oracleNumber, translate, unreachable } from './errors.ts';
import { failed, statementsOf } from './migrator.ts';
import { requireName, type SchemaNames } from './names.ts';
import { Session } from './session.ts';

interface UsersOptions extends SchemaNames {
  driver: Driver;
  /** Logs in as an administrator. */
  connectAdmin(): Promise<Connection>;
  /** Logs in as one of the two users. */
  connectAs(user: string): Promise<Connection>;
  /** The users' passwords; null for one that logs in otherwise. */
  passwords: { owner: string | null; runtime: string | null };
}

/** The password is wrong, the account is locked or its password has expired: what setting the password mends. */
const WRONG_LOGIN = new Set([1005, 1017, 1045, 28000, 28001, 28002]);

/** Makes the owner and the runtime user where they are missing, and gives them their passwords where these do not fit. */
export async function prepareUsers(options: UsersOptions, statements: Migration[]): Promise<void> {
  const { owner, runtime, passwords, driver } = options;
  const admin = new Session(
    driver,
    await options.connectAdmin().catch((error: unknown) => {
      throw unreachable(error);
    }),
    null,
  );
  try {
    const placeholders = { OWNER: requireName(owner), RUNTIME: requireName(runtime) };
    for (const { name, sql } of statements) {
      for (const statement of statementsOf(sql, placeholders)) {
        await admin.run([{ kind: 'block', sql: statement, binds: {} }]).catch((error: unknown) => {
          throw failed(name, statement, error);
        });
      }
    }
    for (const [user, password] of [
      [owner, passwords.owner],
      [runtime, passwords.runtime],
    ] as const) {
      if (password === null) continue;
      const isNew = await hasNoPassword(admin, user);
      if (isNew || !(await canLogIn(options, user))) await setPassword(admin, user, password);
    }
  } catch (error) {
    throw translate(error);
  } finally {
    await admin.release();
  }
}

async function hasNoPassword(admin: Session, user: string): Promise<boolean> {
  const sql = 'SELECT authentication_type FROM dba_users WHERE username = :username';
  const [found] = await admin.run([{ kind: 'query', sql, binds: { username: user } }]);
  return found?.rows[0]?.authentication_type === 'NONE';
}

async function canLogIn({ connectAs }: UsersOptions, user: string): Promise<boolean> {
  try {
    await (await connectAs(user)).close();
    return true;
  } catch (error) {
    if (WRONG_LOGIN.has(oracleNumber(error) ?? 0)) return false;
    throw unreachable(error);
  }
}

/** DDL takes no binds: the password stands in the statement, which therefore is in no error. */
async function setPassword(admin: Session, user: string, password: string): Promise<void> {
  if (!/^[^"\p{Cc}]{1,1024}$/u.test(password)) {
    throw new SetupFailed(`The password of ${user} has a quotation mark or a control character, is empty or too long`);
  }
  const sql = `ALTER USER ${requireName(user)} IDENTIFIED BY "${password}" ACCOUNT UNLOCK`;
  await admin.run([{ kind: 'block', sql, binds: {} }]).catch((error: unknown) => {
    if (isConnectionLost(error)) throw unreachable(error);
    throw new SetupFailed(
      `The password of ${user} was refused (${oracleCode(error) || 'no code'}); see the database's password rules`,
    );
  });
}
