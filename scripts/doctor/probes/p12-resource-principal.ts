import { refusalOf } from '../errors.ts';
import { NotTried } from '../finding.ts';
import type { Probe } from '../probe.ts';

const IDENTITY_PROVIDER = "SELECT value FROM v$parameter WHERE name = 'identity_provider_type'";

export const resourcePrincipal: Probe = {
  id: 'P12',
  question: 'Can a function log in without a password, by its resource principal?',
  needs: 'to be run from within a function; SELECT on SYS.V_$PARAMETER for what is configured',
  means: {
    holds: 'RAG_DATABASE_PASSWORD may be left out of the functions',
    differs: 'the functions log in with a password from the vault',
    open: 'the functions log in with a password, which is the default',
  },
  async run(context) {
    const session = await context.open();
    const configured = await session.value(IDENTITY_PROVIDER).then(
      (value) => `the database's identity provider is ${value === null ? 'none' : String(value)}`,
      (error) => `whether the database takes tokens cannot be read (${refusalOf(error, session.signal)})`,
    );
    throw new NotTried(`there is no resource principal outside of a function; ${configured}`);
  },
};
