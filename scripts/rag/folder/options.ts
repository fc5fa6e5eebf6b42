import { basename, resolve } from 'node:path';
import { documentPath } from '../../../functions/core/documents/path.ts';
import { AppError } from '../../../functions/core/errors.ts';
import { parseId } from '../../../functions/core/ids.ts';
import { UserError } from '../../user-error.ts';

/** What the command line says of a folder. */
export interface FolderOptions {
  prefix?: string | undefined;
  audience?: string | undefined;
  project?: string | undefined;
  labels?: string | undefined;
  prune?: boolean | undefined;
}

/** How the documents of a folder are stored; what is undefined stays as it is stored. */
export interface FolderJob {
  /** What their paths begin with; ends with /. */
  prefix: string;
  audience: string | undefined;
  projectId: number | null | undefined;
  labels: string[] | undefined;
  prune: boolean;
}

export function readOptions(folder: string, options: FolderOptions): FolderJob {
  const { audience, project, labels, prune = false } = options;
  return {
    prefix: toPrefix(options.prefix ?? basename(resolve(folder))),
    audience,
    projectId: project === undefined ? undefined : toProject(project),
    labels: labels === undefined ? undefined : toLabels(labels),
    prune,
  };
}

function toPrefix(text: string): string {
  try {
    return `${documentPath(text.replace(/\/$/, ''))}/`;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new UserError(`--prefix ${error.message.replace(/^path: /, '')}`);
  }
}

function toProject(text: string): number | null {
  if (text === 'none') return null;
  const id = parseId(text);
  if (id === null) throw new UserError(`--project must be the id of a project, or none, got ${text}`);
  return id;
}

const toLabels = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  ),
];
