import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { FUNCTIONS } from '../functions/routes.ts';

const ROOT = join(import.meta.dirname, '..');

/** Installed beside the bundles: what finds its own parts on the disk, or is large and read by few calls. */
export const EXTERNAL = [
  '@aws-sdk/client-s3',
  'mammoth',
  'oracledb',
  'oci-common',
  'oci-functions',
  'oci-generativeaiinference',
  'oci-monitoring',
  'oci-objectstorage',
  'oci-secrets',
  'unpdf',
];

/** The program of the thread in which ingest reads a PDF or a DOCX; it is beside the functions. */
const DOCUMENT_WORKER = 'read-document';

/**
 * Bundles each function into one file of a folder: a cold start reads one file. Beside them, the thread that ingest reads
 * documents in. Returns the files that went into them.
 */
export async function buildFunctions(folder: string): Promise<string[]> {
  const entries = Object.keys(FUNCTIONS).map((name) => [name, join(ROOT, 'functions', name, 'func.ts')]);
  entries.push([DOCUMENT_WORKER, join(ROOT, 'functions', 'ingest', 'extraction', 'worker.ts')]);
  return bundle(Object.fromEntries(entries), folder);
}

/**
 * Bundles entry files, by the names of their bundles, as the functions are bundled. Returns the files that went into
 * them, from the repository's root.
 */
export async function bundle(
  entryPoints: Record<string, string>,
  folder: string,
  external: string[] = EXTERNAL,
): Promise<string[]> {
  const { metafile } = await build({
    entryPoints,
    outdir: folder,
    absWorkingDir: ROOT,
    metafile: true,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minify: true,
    keepNames: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // import() becomes require(), which has no second parser of its own, and which code from V8's cache may call.
    supported: { 'dynamic-import': false },
    // pg-native is an optional part of pg that is not installed.
    external: ['pg-native', ...external],
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs);
}

if (process.argv[1] === import.meta.filename) {
  const folder = join(ROOT, 'dist');
  await rm(folder, { recursive: true, force: true });
  await buildFunctions(folder);
  for (const file of await readdir(folder)) {
    const { size } = await stat(join(folder, file));
    process.stdout.write(`dist/${file}  ${Math.round(size / 1024)} kB\n`);
  }
}
