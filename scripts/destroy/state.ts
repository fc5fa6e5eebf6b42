import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { UserError } from '../user-error.ts';

/** What this script needs to know of a deployment. */
export interface DeploymentState {
  region: string;
  buckets: { namespace: string; name: string; holdsDocuments: boolean }[];
}

/** Terraform's own form of a state, as far as it is read here. */
interface State {
  outputs: Record<string, { value: unknown } | undefined>;
  resources: { type: string; name: string; instances: { attributes: Record<string, unknown> }[] }[];
}

/** The documents' bucket has this name in the stack, whatever construct it is in. */
const DOCUMENTS = 'documents';
const folderOf = (name: string) => join('cdktf.out', 'stacks', name);
const initOf = (name: string) => `terraform -chdir=${folderOf(name)} init`;
const MAX_STATE_BYTES = 2 ** 28;

/**
 * What the deployment made, from Terraform's state; null where the state holds nothing. The resources tell the buckets,
 * since outputs are gone from a deployment of which only the data was kept, or that was destroyed by half.
 */
export async function readState(root: string, name: string): Promise<DeploymentState | null> {
  const stack = await readFile(join(root, folderOf(name), 'cdk.tf.json'), 'utf8').catch(() => {
    throw new UserError(
      `There is no ${folderOf(name)}, which says where Terraform's state is. Where the deployment was made elsewhere, run ` +
        `\`npx cdktf synth\` with its settings, and \`${initOf(name)}\``,
    );
  });
  const text = await pull(root, name);
  const { outputs, resources } = (text === '' ? { outputs: {}, resources: [] } : JSON.parse(text)) as State;
  if (resources.length === 0) return null;
  return {
    region: String(outputs.region?.value ?? regionOf(stack)),
    buckets: resources
      .filter(({ type }) => type === 'oci_objectstorage_bucket')
      .flatMap(({ name, instances }) =>
        instances.map(({ attributes }) => ({
          namespace: String(attributes.namespace),
          name: String(attributes.name),
          holdsDocuments: name === DOCUMENTS,
        })),
      ),
  };
}

/** Needs neither the provider nor a file of its own, wherever the state is kept. */
async function pull(root: string, name: string): Promise<string> {
  try {
    const options = { cwd: root, maxBuffer: MAX_STATE_BYTES };
    return (
      await promisify(execFile)('terraform', [`-chdir=${folderOf(name)}`, 'state', 'pull'], options)
    ).stdout.trim();
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    throw new UserError(
      code === 'ENOENT'
        ? 'There is no `terraform` on the PATH; install Terraform'
        : `Terraform's state cannot be read (where it was never initialized here: \`${initOf(name)}\`):\n` +
            stripVTControlCharacters(stderr ?? '').trim(),
    );
  }
}

/** Of the provider that is not for the home region alone. */
function regionOf(stack: string): string | undefined {
  const { provider } = JSON.parse(stack) as { provider: { oci: { alias?: string; region: string }[] } };
  return provider.oci.find(({ alias }) => alias === undefined)?.region;
}
