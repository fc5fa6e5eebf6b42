import { LimitsClient, type models } from 'oci-limits';
import { UserError } from '../../user-error.ts';
import { ask, Refusal } from '../oci/ask.ts';
import { readProfile } from '../oci/profile.ts';
import type { Check, CheckContext, Warning } from './check.ts';
import { homeRegion, isAlwaysFree } from './home-region.ts';

interface Limit {
  what: string;
  service: string;
  name: string;
  /** What the limit is found by where it has another name. */
  pattern: RegExp;
  /** Only a deploy within Always Free takes from it. */
  isFree?: true;
}

const LIMITS: Limit[] = [
  {
    what: 'Always Free databases',
    service: 'database',
    name: 'adb-free-count',
    pattern: /^(?=.*free)(?=.*(adb|autonomous))/,
    isFree: true,
  },
  { what: 'Functions applications', service: 'faas', name: 'application-count', pattern: /application.*count/ },
  { what: 'API gateways', service: 'api-gateway', name: 'gateway-count', pattern: /gateway.*count/ },
  { what: 'VCNs', service: 'vcn', name: 'vcn-count', pattern: /^vcn.*count/ },
  { what: 'NAT gateways', service: 'vcn', name: 'nat-gateway-count', pattern: /nat.*gateway.*count/ },
  { what: 'reserved public IPs', service: 'vcn', name: 'reserved-public-ip-count', pattern: /reserved.*ip.*count/ },
];

/** One check for each limit that a deploy takes from. */
export const limits: Check[] = LIMITS.map((limit) => ({
  name: limit.what,
  unused: (context) => (limit.isFree && !isAlwaysFree(context) ? 'not used: DEPLOY_ALWAYS_FREE is false' : null),
  after: [homeRegion],
  async run(context) {
    try {
      return verdict(limit, await readLimit(limit, context));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { warning: `could not be asked (${error.message}); ${where(limit)}` };
    }
  },
}));

interface Found {
  available?: number | undefined;
  used?: number | undefined;
  /** The limit alone, where the service does not count what is in use. */
  value?: number;
}

function verdict(limit: Limit, { available, used, value }: Found): string | Warning {
  if (available === undefined && value === undefined) return { warning: `has no limit of that name; ${where(limit)}` };
  if ((available ?? value ?? 0) > 0) {
    return available === undefined
      ? `the limit is ${value}; how many are in use is not told`
      : `${available} left, ${used ?? 0} in use`;
  }
  // The deployment may be one of them; it then takes no other.
  if ((used ?? 0) > 0) {
    return {
      warning: `all are in use (${used}); a first deploy needs one: delete one or ask for more; ${where(limit)}`,
    };
  }
  throw new UserError(
    'the tenancy may have none of it (a trial that ended, a tenancy that is not upgraded, a quota); upgrade it to ' +
      `pay as you go, or ask for a higher limit; ${where(limit)}`,
  );
}

const where = ({ service, name }: Limit): string =>
  `in the console: Limits, Quotas and Usage, service ${service}, ${name}`;

async function readLimit({ service, name, pattern }: Limit, context: CheckContext): Promise<Found> {
  const { provider, deployRegion: region, tenancy } = readProfile(context);
  const question = { Client: LimitsClient, provider, region, endpoint: context.endpoints.limits };
  const availabilityOf = async (limitName: string): Promise<Found> => {
    const { resourceAvailability } = await ask(question, (client) =>
      client.getResourceAvailability({ serviceName: service, limitName, compartmentId: tenancy }),
    );
    return resourceAvailability;
  };
  /** 404: no such limit, or one that is not counted; 400: one for each availability domain. */
  const orNothing = (error: unknown): Found => {
    if (error instanceof Refusal && (error.status === 404 || error.status === 400)) return {};
    throw error;
  };

  const asked = await availabilityOf(name).catch(orNothing);
  if (asked.available !== undefined) return asked;
  const values = await ask(question, async (client) => {
    const found: models.LimitValueSummary[] = [];
    const request = { serviceName: service, compartmentId: tenancy };
    for await (const value of client.listLimitValuesRecordIterator(request)) found.push(value);
    return found;
  });
  const called = (is: (limitName: string) => boolean) => values.filter((value) => is(value.name ?? ''));
  const exact = called((limitName) => limitName === name);
  const [first, ...others] = exact.length > 0 ? exact : called((limitName) => pattern.test(limitName));
  if (first?.name === undefined) return {};
  const counted = first.name === name ? {} : await availabilityOf(first.name).catch(orNothing);
  if (counted.available !== undefined) return counted;
  const sameName = [first, ...others.filter((other) => other.name === first.name)];
  return { value: Math.max(...sameName.map(({ value = 0 }) => value)) };
}
