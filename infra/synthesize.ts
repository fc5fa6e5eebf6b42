import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { modelDigest } from '../scripts/model/digest.ts';
import { MODEL_BYTES, MODEL_FILE } from '../scripts/model/model-file.ts';
import { type ImageSource, NO_IMAGE } from './constructs/image.ts';
import { type ModelFile, NO_MODEL } from './constructs/model-bundle.ts';
import { App } from './framework.ts';
import { freeTierFaults, type Resources } from './free-tier.ts';
import { usesGenerativeAi } from './models.ts';
import { endangered, type Missing } from './placeholders.ts';
import { RagStack } from './rag-stack.ts';
import { type Deployment, DeploymentError, hasDocker, nameOf, readDeployment } from './settings.ts';
import { stateFile } from './state.ts';

const ROOT = join(import.meta.dirname, '..');
const MODEL_MISSING = `the model file .models/${MODEL_FILE}, whole: npm run model:fetch`;
const IMAGE_MISSING = 'the image: set FUNCTION_IMAGE, or start Docker, and it is built and pushed';

interface Synthesis {
  /** Where cdk.tf.json is. */
  folder: string;
  /** What stands for something that is not there. */
  missing: Missing[];
}

/** Writes the Terraform JSON of a deployment; throws a {@link DeploymentError} for all that is wrong with it. */
export async function synthesize(
  given: Deployment,
  env: Record<string, string | undefined>,
  options: {
    outputFolder?: string;
    modelFolder?: string;
    modelBytes?: number;
    imageFolder?: string;
    stateFolder?: string;
  } = {},
): Promise<Synthesis> {
  const outdir = options.outputFolder ?? (env.CDKTF_OUTDIR || join(ROOT, 'cdktf.out'));
  const folder = join(outdir, 'stacks', nameOf(given, env));
  const file = join(folder, 'cdk.tf.json');
  // What this deployment was must not be taken for what it is now, where that is wrong.
  await rm(file, { force: true });
  const deployment = readDeployment(given, env);
  const missing = [...deployment.missing];
  const model = await findModel(options.modelFolder ?? join(ROOT, '.models'), options.modelBytes ?? MODEL_BYTES);
  if (model === null) missing.push({ what: MODEL_MISSING, placeholder: NO_MODEL });
  const image = await findImage(deployment.functionImage, env, options.imageFolder ?? join(ROOT, 'dist', 'image'));
  if (image === null) missing.push({ what: IMAGE_MISSING, placeholder: NO_IMAGE });
  const state = {
    file: join(options.stateFolder ?? ROOT, stateFile(deployment.name)),
    isRemote: deployment.stateBucket !== '',
  };
  const lost = deployment.placeholders ? [] : await endangered(missing, state);
  if (lost.length > 0) {
    const remedy = 'a deploy would put a placeholder in place of what is there; DEPLOY_PLACEHOLDERS=true lets it';
    throw new DeploymentError(lost.map(({ what }) => `missing is ${what} (${remedy})`));
  }

  const app = new App({ outdir });
  new RagStack(app, deployment.name, {
    deployment,
    image,
    model,
    migrations: await digestOf(join(ROOT, 'migrations')),
  });
  app.synth();

  if (deployment.alwaysFree) {
    const { resource } = JSON.parse(await readFile(file, 'utf8')) as { resource: Resources };
    const faults = freeTierFaults(resource, { ...deployment, generativeAi: usesGenerativeAi(deployment) });
    if (deployment.homeRegion !== deployment.region) {
      faults.push(
        `the region is ${deployment.region}; Always Free databases are in the home region alone, ${deployment.homeRegion}`,
      );
    }
    if (faults.length > 0) {
      await rm(file);
      throw new DeploymentError(faults.map((fault) => `not Always Free: ${fault}`));
    }
  }
  return { folder, missing };
}

async function findModel(folder: string, bytes: number): Promise<ModelFile | null> {
  const path = join(folder, MODEL_FILE);
  const size = (await stat(path).catch(() => null))?.size;
  if (size !== bytes) return null;
  const sha256 = await modelDigest(path);
  return sha256 === null ? null : { path, sha256 };
}

async function findImage(named: string, env: Record<string, string | undefined>, folder: string): Promise<ImageSource> {
  if (named !== '') {
    const [image = '', digest = null] = named.split('@');
    return { image, digest };
  }
  if (!hasDocker(env)) return null;
  // Its bundler is loaded where an image is built alone.
  const { stageImage } = await import('../scripts/image/stage.ts');
  const { hash } = await stageImage(folder);
  return { folder, hash, loginFile: env.DOCKER_CONFIG ? join(env.DOCKER_CONFIG, 'config.json') : null };
}

const DIGEST_CHARACTERS = 12;

/** Stands for names and contents of all files of a folder. */
async function digestOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sql')).sort();
  for (const name of names)
    hash
      .update(`${name}\0`)
      .update(await readFile(join(folder, name)))
      .update('\0');
  return hash.digest('hex').slice(0, DIGEST_CHARACTERS);
}
