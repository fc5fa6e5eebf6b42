import { resolve } from 'node:path';
import { UserError } from '../user-error.ts';

/** How an instance is started. */
export interface InstanceOptions {
  port: number;
  data: string;
  reset: boolean;
  empty: boolean;
  reembed: boolean;
}

/** The options of every start, for parseArgs. */
export const instanceOptions = (data: string) =>
  ({
    port: { type: 'string', default: '8080' },
    data: { type: 'string', default: data },
    reset: { type: 'boolean', default: false },
    empty: { type: 'boolean', default: false },
    reembed: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  }) as const;

interface Values extends Omit<InstanceOptions, 'port'> {
  port: string;
  help: boolean;
}

/** What `parse` reads from the command line, checked; prints the usage where that is what is asked for. */
export function readOptions<T extends Values>(usage: string, parse: () => T): T & { checked: InstanceOptions } {
  const values = parsed(usage, parse);
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65535) {
    throw new UserError(`--port must be a whole number from 0 to 65535, got ${values.port}`);
  }
  if (values.data === '') throw new UserError('--data must name a folder');
  const { port, data, reset, empty, reembed } = values;
  return { ...values, checked: { port: Number(port), data: resolve(data), reset, empty, reembed } };
}

function parsed<T>(usage: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UserError(`${(error as Error).message}\n${usage}`);
  }
}
