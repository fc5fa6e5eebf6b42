import { DeploymentError, readDeployment } from '../../../infra/settings.ts';
import { UserError } from '../../user-error.ts';
import type { Check } from './check.ts';
import { ociConfig } from './oci-config.ts';

/** The settings that `npx cdktf deploy` will read. */
export const deployment: Check = {
  name: 'deployment',
  after: [ociConfig],
  async run({ env, home }) {
    try {
      // The image has a check of its own.
      const { FUNCTION_IMAGE: _, ...others } = env;
      const { name, region, compartmentId, missing } = readDeployment({}, { ...others, HOME: home });
      if (missing.length > 0) throw new UserError(missing.map(({ what }) => `missing is ${what}`).join('\n'));
      return `${name} in ${region}, ${compartmentId}`;
    } catch (error) {
      if (error instanceof DeploymentError) throw new UserError(error.faults.join('\n'));
      throw error;
    }
  },
};
