import { readFile } from 'node:fs/promises';
import { UserError } from '../../user-error.ts';
import { isOlder } from '../version.ts';
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
