import { resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UserError } from '../user-error.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** Where a command works: on the instance of a data folder, or on a server that is named. */
export interface Place {
  data: string;
  url: string | null;
}

const PLACE = { data: { type: 'string' }, url: { type: 'string' } } as const;

type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/**
 * Reads the arguments of a command: exactly the named positional ones, its own options and those of all commands.
 * What does not fit is a {@link UserError} that names it.
 */
export function readArgs<O extends Options>(
  args: string[],
  names: string[],
  options: O,
): { positionals: string[]; values: Values<O>; place: Place } {
  let parsed: { positionals: string[]; values: Record<string, unknown> };
  try {
    parsed = parseArgs({ args, allowPositionals: true, options: { ...PLACE, ...options } });
  } catch (error) {
    // The first sentence names the option; the rest is about what Node itself would take.
    throw new UserError(`${(error as Error).message.split('. ')[0]}; see --help`);
  }
  const { positionals, values } = parsed;
  const missing = names[positionals.length];
  if (missing !== undefined) throw new UserError(`${missing} is missing; see --help`);
  const extra = positionals[names.length];
  if (extra !== undefined) throw new UserError(`"${extra}" is one argument too many; see --help`);
  return {
    positionals,
    values: values as Values<O>,
    place: { data: toFolder(values.data), url: toUrl(values.url) },
  };
}

/** The options that name a place again, in a command line to copy; '' for the default one. */
export function optionsOf({ data, url }: Place): string {
  if (url !== null) return ` --url ${url}`;
  return data === resolve('.data') ? '' : ` --data ${data}`;
}

function toFolder(value: unknown): string {
  if (value === '') throw new UserError('--data must name a folder');
  return resolve(typeof value === 'string' ? value : '.data');
}

function toUrl(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UserError(`--url must be an http:// or https:// address, got ${value}`);
  }
  return url.href.replace(/\/+$/, '');
}
