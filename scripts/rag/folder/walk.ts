import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../user-error.ts';

/** The files of a folder, in the order of their paths, and what was passed over. */
export interface Walk {
  /** Relative to the folder, with / between names. */
  files: string[];
  hidden: number;
  links: number;
  /** Folders named node_modules, and what is neither file nor folder. */
  others: number;
}

/** All files below a folder. Symbolic links are not followed, so that nothing from outside of it comes in. */
export async function walk(folder: string): Promise<Walk> {
  const found: Walk = { files: [], hidden: 0, links: 0, others: 0 };
  await visit(folder, '', found);
  found.files.sort();
  return found;
}

async function visit(root: string, below: string, found: Walk): Promise<void> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(`${join(root, below)} cannot be read: ${error.code}`);
  });
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name.startsWith('.')) found.hidden++;
    else if (entry.isSymbolicLink()) found.links++;
    else if (entry.isDirectory() && entry.name !== 'node_modules') await visit(root, path, found);
    else if (entry.isFile()) found.files.push(path);
    else found.others++;
  }
}
