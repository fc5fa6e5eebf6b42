import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Resources } from '../../infra/free-tier.ts';
import type { Missing } from '../../infra/placeholders.ts';
import type { Deployment } from '../../infra/settings.ts';
import { synthesize } from '../../infra/synthesize.ts';

/** A deployment to which nothing is missing but the model's file. */
export const ENV = {
  HOME: '/nonexistent',
  DEPLOY_TENANCY: 'ocid1.tenancy.oc1..tenancy',
  DEPLOY_COMPARTMENT: 'ocid1.compartment.oc1..compartment',
  DEPLOY_REGION: 'eu-frankfurt-1',
  DEPLOY_AUTH_ISSUER: 'https://issuer.example.com/',
  DEPLOY_AUTH_AUDIENCE: 'rag',
  DEPLOY_AUTH_JWKS: 'https://issuer.example.com/jwks',
  FUNCTION_IMAGE: 'eu-frankfurt-1.ocir.io/space/oci-rag:1',
};

export interface Synthesized {
  text: string;
  missing: Missing[];
  resource: Resources;
  output: Record<string, { value: string }>;
  terraform: { backend: Record<string, Record<string, string>>; required_providers: Record<string, object> };
  provider: Record<string, Record<string, unknown>[]>;
}

/** The size of what stands for the model's file. */
const MODEL_BYTES = 4;

/** What `npm run synth` writes for a deployment, parsed. */
export async function synth(
  env: Record<string, string> = ENV,
  given: Deployment = {},
  modelFolder = '/nonexistent',
  stateFolder = '/nonexistent',
): Promise<Synthesized> {
  const outputFolder = await mkdtemp(join(tmpdir(), 'oci-rag-synth-'));
  try {
    const { folder, missing } = await synthesize(given, env, {
      outputFolder,
      modelFolder,
      modelBytes: MODEL_BYTES,
      imageFolder: join(outputFolder, 'image'),
      stateFolder,
    });
    const text = await readFile(join(folder, 'cdk.tf.json'), 'utf8');
    return { text, missing, ...JSON.parse(text) };
  } finally {
    await rm(outputFolder, { recursive: true });
  }
}

type Arguments = Record<string, unknown>;

/** The one resource of a type, or the one whose logical id begins so. */
export function only(synthesized: Synthesized, type: string, prefix = ''): Arguments {
  const found = Object.entries(synthesized.resource[type] ?? {}).filter(([id]) => id.startsWith(prefix));
  if (found.length !== 1) throw new Error(`${found.length} resources ${type}.${prefix}`);
  return found[0]?.[1] ?? {};
}
