import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { MODEL_BYTES, MODEL_FILE } from '../../model/model-file.ts';
import { UserError } from '../../user-error.ts';
import { requireReadable } from './readable.ts';

const WHERE =
  'npm run model:fetch brings it there; Oracle publishes it in its documentation, on the page "Import Pretrained Models ' +
  `in ONNX Format" (AI Vector Search User's Guide)`;

/** Checks that a folder holds the embedding model, whole, and that the container's user may read it. */
export function checkModelFile(folder: string): void {
  const path = join(folder, MODEL_FILE);
  const size = MODEL_BYTES.toLocaleString('en');
  const file = lstatSync(path, { throwIfNoEntry: false });
  if (file === undefined) throw new UserError(`The embedding model ${path} (${size} bytes) is missing. ${WHERE}.`);
  if (!file.isFile()) {
    throw new UserError(
      `${path} is no file, and the container sees nothing that a link points to; put the file itself there`,
    );
  }
  if (file.size !== MODEL_BYTES) {
    throw new UserError(
      `${path} has ${file.size.toLocaleString('en')} bytes, but the embedding model has ${size}: a download that was ` +
        `cut off, a .zip, or another model. ${WHERE}.`,
    );
  }
  requireReadable(folder, [MODEL_FILE]);
}
