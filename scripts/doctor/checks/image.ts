import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Region } from 'oci-common';
import { UserError } from '../../user-error.ts';
import { findDeployRegion } from '../oci/profile.ts';
import type { Check, CheckContext } from './check.ts';

const FORM = /^([a-z0-9-]+)\.ocir\.io\/[a-z0-9_-]+\/[a-z0-9][a-z0-9._/-]*:[\w][\w.-]*(@sha256:[0-9a-f]{64})?$/;

export const image: Check = {
  name: 'image',
  async run(context) {
    const given = context.env.FUNCTION_IMAGE ?? '';
    return given === '' ? checkBuild(context) : checkImage(given, findDeployRegion(context));
  },
};

function checkImage(image: string, deployRegion: string | null): string {
  const [, region] = FORM.exec(image) ?? [];
  if (region === undefined) {
    throw new UserError(
      'FUNCTION_IMAGE must be <region>.ocir.io/<namespace>/<repository>:<tag>, with or without @sha256:<digest>',
    );
  }
  // Functions pull from the registry of their own region alone; its host may be written with the region's key.
  const known = deployRegion === null ? undefined : Region.fromRegionId(deployRegion);
  if (known !== undefined && region !== deployRegion && region !== known.regionCode) {
    throw new UserError(
      `FUNCTION_IMAGE is in ${region}, but functions in ${deployRegion} pull from ${deployRegion}.ocir.io alone; ` +
        'push it there, or change DEPLOY_REGION',
    );
  }
  return image;
}

async function checkBuild(context: CheckContext): Promise<string> {
  const ran = await context.run('docker', ['info', '--format', '{{.ServerVersion}}']);
  const version = ran?.code === 0 ? ran.stdout.trim() : '';
  if (version === '') {
    const what = ran === null ? 'there is no docker in the PATH' : 'the Docker engine does not run';
    throw new UserError(
      `FUNCTION_IMAGE is not set, and ${what}; set FUNCTION_IMAGE to an image that is pushed, or start Docker`,
    );
  }
  const region = findDeployRegion(context);
  if (region !== null && !isLoggedIn(context, `${region}.ocir.io`)) {
    throw new UserError(
      `Docker ${version} runs, but is not logged in to push the image: docker login ${region}.ocir.io, as ` +
        '<namespace>/<user name> with an auth token of that user (in the console: My profile, Auth tokens)',
    );
  }
  return `the deploy builds and pushes the image with Docker ${version}`;
}

/** Whether Docker's own file knows a login, as the deploy's push needs it. */
function isLoggedIn({ env, home }: CheckContext, registry: string): boolean {
  try {
    const file = join(env.DOCKER_CONFIG || join(home, '.docker'), 'config.json');
    const { auths, credHelpers } = JSON.parse(readFileSync(file, 'utf8'));
    return [auths, credHelpers].some((logins) => logins?.[registry] !== undefined);
  } catch {
    return false;
  }
}
