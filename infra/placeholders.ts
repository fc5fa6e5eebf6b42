import { readFile } from 'node:fs/promises';

/** Something that is not there, and what stands for it. */
export interface Missing {
  /** What it is, and what to do. */
  what: string;
  /** The text that stands for it, and for nothing else. */
  placeholder: string;
}

interface State {
  /** Terraform's local state. */
  file: string;
  /** Whether the state is kept in a bucket, which is not asked here. */
  isRemote: boolean;
}

/**
 * What a deploy would replace by a placeholder though it is there: on a machine without Docker, for example, the functions'
 * image. Nothing where nothing is deployed yet, or where it was deployed with that placeholder.
 */
export async function endangered(missing: Missing[], { file, isRemote }: State): Promise<Missing[]> {
  if (isRemote) return missing;
  const state = await readFile(file, 'utf8').catch(() => '');
  const isDeployed = /"resources":\s*\[\s*\{/.test(state);
  return isDeployed ? missing.filter(({ placeholder }) => !state.includes(placeholder)) : [];
}
