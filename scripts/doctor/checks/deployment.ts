import { devNull } from 'node:os';
import { DeploymentError, readDeployment } from '../../../infra/settings.ts';
import { UserError } from '../../user-error.ts';
import type { Check } from './check.ts';

/** The settings that `npx cdktf deploy` will read. */
export const deployment: Check = {
  name: 'deployment',
  async run({ env }) {
    try {
      // The image and the OCI configuration have checks of their own.
      const { FUNCTION_IMAGE: _, DEPLOY_PROFILE: __, ...others } = env;
      const { name, missing } = readDeployment({}, { ...others, OCI_CLI_CONFIG_FILE: devNull });
      const own = missing.filter(({ what }) => !/^the (tenancy|region)/.test(what));
      if (own.length > 0) throw new UserError(own.map(({ what }) => `missing is ${what}`).join('\n'));
      return name;
    } catch (error) {
      if (error instanceof DeploymentError) throw new UserError(error.faults.join('\n'));
      throw error;
    }
  },
};
