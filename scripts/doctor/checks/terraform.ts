import { UserError } from '../../user-error.ts';
import { isOlder } from '../version.ts';
import type { Check } from './check.ts';

/** What CDKTF writes for. */
const OLDEST = '1.5';
/** The first with the backend `oci`. */
const OLDEST_WITH_BACKEND = '1.12';
// Without https://, since addresses are taken out of what is printed.
const WHERE = 'developer.hashicorp.com/terraform/install';

export const terraform: Check = {
  name: 'Terraform',
  async run({ env, run }) {
    const ran = await run('terraform', ['version', '-json']);
    if (ran === null) throw new UserError(`there is no terraform in the PATH; install it from ${WHERE}`);
    const version = versionIn(ran.stdout);
    if (version === null) throw new UserError(`\`terraform version -json\` fails; install Terraform from ${WHERE}`);
    const hasBucket = (env.DEPLOY_STATE_BUCKET ?? '') !== '';
    const oldest = hasBucket ? OLDEST_WITH_BACKEND : OLDEST;
    if (isOlder(version, oldest)) {
      const why = hasBucket ? ', which DEPLOY_STATE_BUCKET needs' : '';
      throw new UserError(`${version} is too old; install ${oldest} or newer${why}, from ${WHERE}`);
    }
    return version;
  },
};

function versionIn(json: string): string | null {
  try {
    const { terraform_version: version } = JSON.parse(json);
    return typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}
