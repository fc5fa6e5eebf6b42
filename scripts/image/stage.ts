import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildFunctions, bundle, EXTERNAL } from '../build.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** In OCI, files are in its own Object Storage. */
const ELSEWHERE = ['@aws-sdk/client-s3'];
/** What the bundles and each other find in node_modules; the plugin is for a login by token. */
const PACKAGES = [...EXTERNAL.filter((name) => !ELSEWHERE.includes(name)), 'oci-identitydataplane'];
const MODULES = [...PACKAGES, 'oracledb/plugins/token/extensionOci'];

export interface StagedImage {
  folder: string;
  /** Of names and contents: the first 12 hexadecimal digits of their SHA-256. */
  hash: string;
  bytes: number;
  /** Sorted, from the folder. */
  files: string[];
}

/**
 * Makes a folder anew that holds all that the image is built from. A package is one file there, as a function is, with
 * everything that it needs: that is a tenth of its bytes, and starts sooner.
 */
export async function stageImage(folder: string): Promise<StagedImage> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const inputs = await Promise.all([
    buildFunctions(folder),
    ...MODULES.map(stageModule(folder)),
    ...['Dockerfile', 'entry.cjs', 'code-cache.cjs', 'warm.cjs'].map(async (name) => {
      await copyFile(join(import.meta.dirname, name), join(folder, name));
      return [];
    }),
    ...['oracle', 'oracle-users'].map(async (name) => {
      await cp(join(ROOT, 'migrations', name), join(folder, 'migrations', name), { recursive: true });
      return [];
    }),
    writeManifest(folder).then(() => []),
  ]);
  await copyLicences(folder, inputs.flat());
  return digest(folder);
}

/** Bundles a package into one file that is found by its name. */
const stageModule = (folder: string) => async (name: string) => {
  const to = join(folder, 'node_modules', name);
  const others = PACKAGES.filter((other) => other !== name);
  const inputs = await bundle({ index: name }, to, others);
  await rename(join(to, 'index.cjs'), join(to, 'index.js'));
  return inputs;
};

async function writeManifest(folder: string): Promise<void> {
  const { name, version, license } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ name, version, license, private: true })}\n`);
}

const LICENCE = /^(licen[cs]e|copying|notice|third_party_licenses)/i;

/** The licences of every package that something was taken from, and the product's own. */
async function copyLicences(folder: string, inputs: string[]): Promise<void> {
  const taken = inputs.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  for (const source of ['', ...new Set(taken)]) {
    const to = join(folder, 'licenses', source === '' ? 'oci-rag' : source.replaceAll('node_modules/', ''));
    for (const name of await readdir(join(ROOT, source))) {
      if (!LICENCE.test(name)) continue;
      await mkdir(to, { recursive: true });
      await copyFile(join(ROOT, source, name), join(to, name.replace(/\.(md|markdown)$/i, '.txt')));
    }
  }
}

async function digest(folder: string): Promise<StagedImage> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const hash = createHash('sha256');
  let bytes = 0;
  for (const name of files) {
    const content = await readFile(join(folder, name));
    bytes += content.length;
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return { folder, hash: hash.digest('hex').slice(0, 12), bytes, files };
}

if (process.argv[1] === import.meta.filename) {
  const { folder, hash, bytes, files } = await stageImage(join(ROOT, 'dist', 'image'));
  process.stdout.write(`${folder}  ${hash}  ${files.length} files, ${(bytes / 1e6).toFixed(1)} MB\n`);
}
