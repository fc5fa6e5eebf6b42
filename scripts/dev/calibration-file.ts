import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settingFault } from '../../functions/config.ts';
import { UserError } from '../user-error.ts';

/** What may be measured for an embedding model. */
const MEASURED = /^RAG_RETRIEVAL_(CUTOFF|VECTOR_WEIGHT|WORD_COVERAGE)$/;

/** Settings by the name of the embedding model that they were measured for. */
type Calibrations = Record<string, Record<string, string>>;

export const calibrationFile = (folder: string) => join(folder, 'calibration.json');

/**
 * The settings that were measured for a model and written into a data folder; none for another model, which `note` says.
 * Throws a UserError where the file holds something else.
 */
export async function readCalibration(
  folder: string,
  model: string,
): Promise<{ settings: Record<string, string>; note: string | null }> {
  const all = await read(folder);
  const settings = all[model] ?? {};
  for (const [name, value] of Object.entries(settings)) {
    const fault = MEASURED.test(name) ? settingFault(name, value) : `${name} is not a setting that is measured`;
    if (fault !== null)
      throw new UserError(`${calibrationFile(folder)} cannot be used: ${fault}; remove it or measure anew`);
  }
  const others = Object.keys(all);
  const note =
    others.length === 0 || all[model] !== undefined
      ? null
      : `${calibrationFile(folder)} is ignored: it was measured for ${others.join(', ')}, not for ${model}`;
  return { settings, note };
}

/** Writes the settings that were measured for a model, in the place of earlier ones; those of other models stay. */
export async function writeCalibration(folder: string, model: string, settings: Record<string, string>): Promise<void> {
  const all = { ...(await read(folder)), [model]: settings };
  const temporary = `${calibrationFile(folder)}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(all, null, 2)}\n`);
  await rename(temporary, calibrationFile(folder));
}

async function read(folder: string): Promise<Calibrations> {
  let text: string;
  try {
    text = await readFile(calibrationFile(folder), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    const all: unknown = JSON.parse(text);
    if (isCalibrations(all)) return all;
  } catch {
    // Told below.
  }
  throw new UserError(`${calibrationFile(folder)} cannot be read as settings by model; remove it or measure anew`);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCalibrations = (value: unknown): value is Calibrations =>
  isObject(value) &&
  Object.values(value).every((part) => isObject(part) && Object.values(part).every((text) => typeof text === 'string'));
