import { readFile } from 'node:fs/promises';
import { UserError } from '../../user-error.ts';
import type { Check } from './check.ts';

const PACKAGE = new URL('../../../package.json', import.meta.url);

export const nodeVersion: Check = {
  name: 'Node',
  async run() {
    const { engines } = JSON.parse(await readFile(PACKAGE, 'utf8')) as { engines: { node: string } };
    const oldest = engines.node.replace(/^>=/, '');
    const { node } = process.versions;
    if (isOlder(node, oldest)) throw new UserError(`${node} is too old; install ${oldest} or newer`);
    return node;
  },
};

function isOlder(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
