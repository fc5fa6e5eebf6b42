import type { ConnectOptions, Driver, Pool } from './driver.ts';
import { requireName } from './names.ts';

export interface OracleAddress {
  /** A descriptor, an easy connect string, or an alias of the tnsnames.ora in the wallet's folder. */
  connectString: string;
  /** The folder that holds ewallet.pem, for mutual TLS; '' for TLS without a wallet. */
  wallet: string;
  walletPassword: string;
}

/** How a user logs in: with a password, or with a token of the function's resource principal. */
export type OracleLogin =
  | { user: string; password: string }
  /** urn:oracle:db::id::<compartment>::<database>: the one database that the token is for. */
  | { tokenScope: string };

/** A descriptor of an Autonomous Database asks for a minute of retries, and goes before the options below. */
const RETRIES = /\(\s*retry_(count|delay)\s*=\s*\d+\s*\)/gi;

/** What one login to one address needs, with waits that end within a function's time. */
export function connectOptions(
  { connectString, wallet, walletPassword }: OracleAddress,
  login: OracleLogin,
): ConnectOptions {
  return {
    connectString: connectString.replace(RETRIES, ''),
    ...(wallet === '' ? {} : { walletLocation: wallet, configDir: wallet, walletPassword }),
    ...('tokenScope' in login
      ? { externalAuth: true, tokenAuthConfigOci: { authType: 'resourcePrincipal', scope: login.tokenScope } }
      : login),
    sslServerDNMatch: true,
    connectTimeout: 10,
    transportConnectTimeout: 5,
    retryCount: 1,
    retryDelay: 1,
    expireTime: 2,
  };
}

/**
 * A pool for a function's process: none open at rest, few at most (an Always Free database has 30 sessions for all),
 * and none trusted after an idle while, since a frozen process wakes up with dead sockets.
 */
export function createPool(
  driver: Driver,
  options: { connect: ConnectOptions; poolMax: number; owner: string },
): Promise<Pool> {
  return driver.createPool({
    ...options.connect,
    homogeneous: true,
    poolMin: 0,
    poolMax: options.poolMax,
    poolIncrement: 1,
    poolTimeout: 60,
    poolPingInterval: 15,
    poolPingTimeout: 3000,
    queueTimeout: 8000,
    queueMax: 20,
    stmtCacheSize: 60,
    sessionCallback(connection, _tag, done) {
      // Both travel with the connection's first call.
      connection.currentSchema = requireName(options.owner);
      connection.module = 'oci-rag';
      done();
    },
  });
}
