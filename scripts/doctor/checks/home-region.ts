import { IdentityClient, type models } from 'oci-identity';
import { UserError } from '../../user-error.ts';
import { ask, type Refusal } from '../oci/ask.ts';
import { type Profile, readProfile } from '../oci/profile.ts';
import type { Check, CheckContext } from './check.ts';
import { ociConfig } from './oci-config.ts';

/** Above it OCI refuses every signature. */
const CLOCK_MINUTES = 5;

/** As the deploy itself reads it. */
export const isAlwaysFree = ({ env }: CheckContext): boolean => env.DEPLOY_ALWAYS_FREE !== 'false';

export const homeRegion: Check = {
  name: 'home region',
  after: [ociConfig],
  async run(context) {
    const profile = readProfile(context);
    const { provider, region, deployRegion, tenancy } = profile;
    const { items } = await ask(
      { Client: IdentityClient, provider, region, endpoint: context.endpoints.identity },
      (client) => client.listRegionSubscriptions({ tenancyId: tenancy }),
    ).catch((refusal: Refusal) => {
      throw new UserError(explain(refusal, profile));
    });
    return verdict(items, deployRegion, isAlwaysFree(context));
  },
};

function verdict(subscriptions: models.RegionSubscription[], deployRegion: string, isFree: boolean): string {
  const home = subscriptions.find(({ isHomeRegion }) => isHomeRegion);
  if (isFree && home?.regionName !== deployRegion) {
    throw new UserError(
      `the deploy goes to ${deployRegion}, but Always Free databases exist in the tenancy's home region alone; ` +
        `set DEPLOY_REGION=${home?.regionName}`,
    );
  }
  const target = subscriptions.find(({ regionName }) => regionName === deployRegion);
  if (target === undefined) {
    throw new UserError(`the tenancy is not subscribed to ${deployRegion}; in the console: Manage regions`);
  }
  if (target.status !== 'READY') {
    throw new UserError(`${deployRegion} is ${target.status}; wait until the console shows it as READY`);
  }
  return `${deployRegion}, READY`;
}

function explain({ status, message, minutesBehind }: Refusal, { fingerprint, name }: Profile): string {
  if (status === 401 && Math.abs(minutesBehind) > CLOCK_MINUTES) {
    const direction = minutesBehind > 0 ? 'behind' : 'ahead';
    return `${message}: this machine's clock is ${Math.abs(minutesBehind)} minutes ${direction}; set it (OCI allows 5)`;
  }
  if (status === 401) {
    return (
      `${message}: OCI does not know the key; upload its public half (in the console: My profile, API keys, ` +
      `fingerprint ${fingerprint}), and compare user and tenancy of profile ${name}. A new key takes a minute or two`
    );
  }
  if (status === 0) return `OCI cannot be reached (${message}); look at the network, the proxy and the region's name`;
  return `OCI does not tell the tenancy's regions (${message}); look at tenancy and user of profile ${name}`;
}
