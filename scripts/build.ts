import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { FUNCTIONS } from '../functions/routes.ts';

const ROOT = join(import.meta.dirname, '..');

/** Bundles each function into one file of a folder: a cold start reads one file, and an image holds nothing else. */
export async function buildFunctions(folder: string): Promise<void> {
  const names = Object.keys(FUNCTIONS);
  await bundle(Object.fromEntries(names.map((name) => [name, join(ROOT, 'functions', name, 'func.ts')])), folder);
}

/** Bundles entry files, by the names of their bundles, as the functions are bundled. */
export async function bundle(entryPoints: Record<string, string>, folder: string): Promise<void> {
  await build({
    entryPoints,
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minify: true,
    keepNames: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // An optional native part of pg that is not installed; and what finds its own parts on the disk, or is large and read
    // by few calls: these are installed beside the bundles.
    external: ['pg-native', 'oracledb', 'oci-common', 'oci-secrets'],
    logLevel: 'warning',
  });
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
