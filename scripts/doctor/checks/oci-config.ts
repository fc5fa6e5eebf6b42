import { readProfile } from '../oci/profile.ts';
import type { Check } from './check.ts';

export const ociConfig: Check = {
  name: 'OCI config',
  async run(context) {
    const { name, region, deployRegion } = readProfile(context);
    const where = region === deployRegion ? region : `${region}, the deploy goes to ${deployRegion}`;
    return `profile ${name}, its key has the profile's fingerprint, region ${where}`;
  },
};
