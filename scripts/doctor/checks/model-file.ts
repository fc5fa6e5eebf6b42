import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { MODEL_BYTES, MODEL_FILE } from '../../model/model-file.ts';
import { UserError } from '../../user-error.ts';
import type { Check } from './check.ts';

const FILE = `.models/${MODEL_FILE}`;

export const modelFile: Check = {
  name: 'model file',
  async run({ root }) {
    const size = await stat(join(root, FILE)).then(
      (file) => file.size,
      () => null,
    );
    if (size === null) throw new UserError(`${FILE} is missing; run \`npm run model:fetch\``);
    if (size !== MODEL_BYTES) {
      throw new UserError(
        `${FILE} has ${toText(size)} bytes, not ${toText(MODEL_BYTES)}; remove it, and run \`npm run model:fetch\``,
      );
    }
    return `${FILE}, ${toText(size)} bytes`;
  },
};

const toText = (bytes: number): string => bytes.toLocaleString('en');
