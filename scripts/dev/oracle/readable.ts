import { statSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../user-error.ts';

const OTHERS_READ = 0o004;
const OTHERS_READ_AND_ENTER = 0o005;

/**
 * Checks that the container's user, who is nobody on this machine, may read a folder and files in it. Only Linux asks:
 * elsewhere Docker runs in a virtual machine, which shows files as the container's own.
 */
export function requireReadable(folder: string, files: string[], platform = process.platform): void {
  if (platform !== 'linux') return;
  const allows = (path: string, bits: number) => (statSync(path).mode & bits) === bits;
  if (allows(folder, OTHERS_READ_AND_ENTER) && files.every((file) => allows(join(folder, file), OTHERS_READ))) return;
  throw new UserError(`The container's user may not read ${folder}; allow it: chmod -R a+rX ${folder}`);
}
