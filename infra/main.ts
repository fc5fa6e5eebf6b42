// The CDKTF app: npm run synth, npx cdktf deploy.
import { stderr, stdout } from 'node:process';
import { deployment } from './deployment.ts';
import { DeploymentError } from './settings.ts';
import { synthesize } from './synthesize.ts';

try {
  const { missing, folder } = await synthesize(deployment, process.env);
  if (missing.length > 0) {
    stderr.write(
      `Written with placeholders, and not to be deployed so. Missing are:\n${missing.map(({ what }) => `  - ${what}\n`).join('')}`,
    );
  }
  stdout.write(`${folder}\n`);
} catch (error) {
  if (!(error instanceof DeploymentError)) throw error;
  stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
