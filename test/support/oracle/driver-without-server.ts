import { createRequire } from 'node:module';
import type { Connection } from '../../../functions/adapters/oracle/driver.ts';

const require = createRequire(import.meta.url);
const RealConnection = require('oracledb/lib/connection.js') as { prototype: object };
const ThinConnection = require('oracledb/lib/thin/connection.js') as { prototype: object };
const StatementCache = require('oracledb/lib/thin/statementCache.js') as new (size: number) => object;

/**
 * A connection of the real driver (26.0.0) whose messages go nowhere and are answered by silence: everything up to the
 * wire is the driver's own, the checks of options and binds and the making of results.
 */
export function connectionWithoutServer(): { connection: Connection; isCutOff(): boolean } {
  let isCutOff = false;
  const silent = async () => {};
  const impl = Object.assign(Object.create(ThinConnection.prototype) as object, {
    _protocol: {
      readBuf: { resetPackets() {} },
      connInProgress: false,
      callTimeout: 0,
      txnInProgress: false,
      _encodeMessage: silent,
      _processMessage: silent,
      endPipeline: silent,
      _processCallStatus: silent,
    },
    nscon: {
      pipeliningSupport: true,
      forceDisconnect() {
        isCutOff = true;
      },
    },
    statementCache: new StatementCache(30),
    _tempLobsToClose: [],
    _tempLobsTotalSize: 0,
    _partialDbObjectTypes: [],
    inProgress: false,
    _acquireLock: silent,
    _releaseLock() {},
  });
  const connection = Object.create(RealConnection.prototype) as Connection & { _impl: object };
  Object.defineProperty(connection, '_impl', { value: impl });
  return { connection, isCutOff: () => isCutOff };
}
