import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Cloud, type Entry, type Invoke } from './cloud.ts';
import { serveProvider } from './provider.ts';
import { hasSchema } from './schema.ts';

interface Run {
  exitCode: number;
  /** Standard output and error, without colours. */
  output: string;
}

interface Plan extends Run {
  /** `terraform show -json` of the plan; empty where planning failed. */
  json: PlanJson;
  /** Of each resource that changes, by its address: "create", "update", "delete", "delete,create", … */
  changes: Record<string, string>;
}

interface PlanJson {
  resource_changes?: { address: string; type: string; change: Change }[];
  output_changes?: Record<string, Change>;
  [more: string]: unknown;
}
interface Change {
  actions: string[];
  before: unknown;
  after: unknown;
  after_unknown?: unknown;
  replace_paths?: string[][];
}

/** The state as Terraform keeps it. */
interface State {
  outputs: Record<string, { value: unknown; sensitive?: boolean }>;
  resources: { mode: string; type: string; name: string; instances: { attributes: Record<string, unknown> }[] }[];
}

export interface Terraform {
  validate(): Promise<Run>;
  /** Exit code 0 without changes, 2 with some, 1 for an error. */
  plan(...args: string[]): Promise<Plan>;
  apply(...args: string[]): Promise<Run>;
  destroy(...args: string[]): Promise<Run>;
  state(): Promise<State>;
  /** Goes on with another configuration: a folder with cdk.tf.json, or what would be in it. */
  use(stack: string | object): void;
  /** What was made, changed and deleted, in order. */
  journal: Entry[];
  /** What exists; a test may put something there, or take it away. */
  cloud: Cloud;
  /** Secrets: `passwords` may be nowhere, `links` in the state alone. */
  canaries(): { passwords: string[]; links: string[] };
}

const STACK = 'cdk.tf.json';
const PATIENCE_MS = 120_000;

const isInstalled = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'terraform')));
export const canRunTerraform = hasSchema && isInstalled;

/**
 * Runs Terraform itself on a stack, offline and in a folder of its own. oracle/oci is a stand-in that holds what it made
 * in memory; a stack may need no other provider but Terraform's own.
 */
export async function withTerraform<T>(
  stack: string | object,
  use: (terraform: Terraform) => Promise<T>,
  { invoke = () => '{"ok":true}', region = 'eu-frankfurt-1' }: { invoke?: Invoke; region?: string } = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'oci-rag-terraform-'));
  const cloud = new Cloud(region, invoke);
  const socket = join(folder, 'provider.sock');
  const children = new Set<ChildProcess>();
  const provider = await serveProvider(cloud, socket);
  try {
    return await use(commands(folder, socket, cloud, children, stack));
  } finally {
    for (const child of children) child.kill('SIGKILL');
    provider.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function commands(
  folder: string,
  socket: string,
  cloud: Cloud,
  children: Set<ChildProcess>,
  stack: string | object,
): Terraform {
  // A provider that runs already is neither looked up in the registry nor written to the lock file: init needs no
  // network for it. Test leaves it running after each command.
  const reattach = {
    Protocol: 'grpc',
    ProtocolVersion: 5,
    Pid: process.pid,
    Test: true,
    Addr: { Network: 'unix', String: socket },
  };
  const configFile = join(folder, 'terraform.rc');
  writeFileSync(configFile, 'disable_checkpoint = true\n');
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    TF_CLI_CONFIG_FILE: configFile,
    TF_IN_AUTOMATION: '1',
    TF_REATTACH_PROVIDERS: JSON.stringify({ 'registry.terraform.io/oracle/oci': reattach }),
  };
  let isInitialized = false;
  const run = (...args: string[]) =>
    new Promise<Run & { stdout: string }>((resolve) => {
      const options = { cwd: folder, env, timeout: PATIENCE_MS, maxBuffer: 2 ** 28 };
      const child = execFile('terraform', args, options, (error, stdout, stderr) => {
        children.delete(child);
        const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ exitCode, stdout, output: stdout + stderr });
      });
      children.add(child);
    });
  const terraform = async (...args: string[]) => {
    if (!isInitialized) {
      const init = await run('init', '-input=false', '-no-color');
      if (init.exitCode !== 0) return init;
      isInitialized = true;
    }
    return run(...args);
  };
  const write = (given: string | object) => {
    const text = typeof given === 'string' ? readFileSync(join(given, STACK), 'utf8') : JSON.stringify(given);
    writeFileSync(join(folder, STACK), text);
    isInitialized = false;
  };
  write(stack);
  return {
    use: write,
    cloud,
    journal: cloud.journal,
    canaries: () => cloud.canaries,
    validate: () => terraform('validate', '-no-color'),
    async plan(...args) {
      const file = 'plan.tfplan';
      const planned = await terraform(
        'plan',
        `-out=${file}`,
        '-detailed-exitcode',
        '-input=false',
        '-no-color',
        ...args,
      );
      if (planned.exitCode === 1) return { ...planned, json: {}, changes: {} };
      const json = JSON.parse((await run('show', '-json', file)).stdout) as PlanJson;
      const changes = (json.resource_changes ?? [])
        .map(({ address, change }) => [address, change.actions.join()] as const)
        .filter(([, actions]) => actions !== 'no-op' && actions !== 'read');
      return { ...planned, json, changes: Object.fromEntries(changes) };
    },
    apply: (...args) => terraform('apply', '-auto-approve', '-input=false', '-no-color', ...args),
    destroy: (...args) => terraform('destroy', '-auto-approve', '-input=false', '-no-color', ...args),
    async state() {
      return JSON.parse((await run('state', 'pull')).stdout) as State;
    },
  };
}
