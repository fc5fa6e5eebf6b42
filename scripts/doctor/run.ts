import { execFile } from 'node:child_process';

export interface Ran {
  code: number;
  stdout: string;
}

/** Runs a program of the PATH; null where there is none of that name. */
export type Run = (command: string, args: string[]) => Promise<Ran | null>;

const TIMEOUT_MS = 20_000;

export const run: Run = (command, args) =>
  new Promise((resolve) => {
    // Terraform otherwise asks HashiCorp for news before it answers.
    const env = { ...process.env, CHECKPOINT_DISABLE: '1' };
    execFile(command, args, { timeout: TIMEOUT_MS, env }, (error, stdout) => {
      if (error?.code === 'ENOENT') resolve(null);
      else resolve({ code: error === null ? 0 : 1, stdout });
    });
  });
