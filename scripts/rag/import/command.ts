import { access, constants, stat } from 'node:fs/promises';
import { UserError } from '../../user-error.ts';
import { readArgs } from '../args.ts';
import { importFolder } from '../folder/import-folder.ts';
import { importFile } from './import.ts';

const FILE_OPTIONS = {
  type: { type: 'string' },
  map: { type: 'string', multiple: true },
  set: { type: 'string', multiple: true },
  format: { type: 'string' },
  restart: { type: 'boolean' },
} as const;

const FOLDER_OPTIONS = {
  prefix: { type: 'string' },
  audience: { type: 'string' },
  project: { type: 'string' },
  labels: { type: 'string' },
  prune: { type: 'boolean' },
} as const;

/** Imports the records of a file, or the files of a folder. Resolves to 1 where some were refused. */
export async function importCommand(args: string[]): Promise<number> {
  const { positionals, values, place } = readArgs(args, ['FILE or FOLDER'], { ...FILE_OPTIONS, ...FOLDER_OPTIONS });
  const path = positionals[0] ?? '';
  const kind = await kindOf(path);
  const misplaced = Object.keys(kind === 'file' ? FOLDER_OPTIONS : FILE_OPTIONS).find((name) => name in values);
  if (misplaced !== undefined)
    throw new UserError(`--${misplaced} is not for a ${kind}, and ${path} is one; see --help`);
  return kind === 'file' ? importFile(path, values, place) : importFolder(path, values, place);
}

/** A regular file, which can be read more than once, or a folder. */
async function kindOf(path: string): Promise<'file' | 'folder'> {
  try {
    await access(path, constants.R_OK);
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    if (found.isFile()) return 'file';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`${path} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : code}`);
  }
  throw new UserError(`${path} is neither a file nor a folder`);
}
