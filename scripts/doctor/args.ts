import { parseArgs } from 'node:util';
import { isName } from '../../functions/adapters/oracle/names.ts';
import { UserError } from '../user-error.ts';
import type { ProbeOptions } from './options.ts';

export interface Args {
  help: boolean;
  probe: boolean;
  /** The probes to run; null for all. */
  only: string[] | null;
  report: string;
  options: ProbeOptions;
}

export const DEFAULT_SESSIONS = 8;
const MAX_SESSIONS = 100;

/** Reads the command line; what does not fit is a {@link UserError} that names it. */
export function readArgs(args: string[], knownProbes: string[]): Args {
  const values = parse(args);
  const probe = values.probe ?? false;
  const ofProbes = Object.keys(values).find((name) => name !== 'probe' && name !== 'help');
  if (!probe && ofProbes !== undefined) throw new UserError(`--${ofProbes} goes with --probe; see --help`);
  if (values.report === '') throw new UserError('--report must name a file');
  return {
    help: values.help ?? false,
    probe,
    only: values.only === undefined ? null : toProbes(values.only, knownProbes),
    report: values.report ?? 'probe-report.json',
    options: {
      modelSource: toModelSource(values['model-source']),
      sessions: toWhole('sessions', values.sessions, 1, MAX_SESSIONS, DEFAULT_SESSIONS),
      idleMinutes: toWhole('idle-minutes', values['idle-minutes'], 0, 60, 0),
      timeoutSeconds: toWhole('timeout', values.timeout, 1, 3600, 0),
    },
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        probe: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        only: { type: 'string' },
        report: { type: 'string' },
        'model-source': { type: 'string' },
        sessions: { type: 'string' },
        'idle-minutes': { type: 'string' },
        timeout: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new UserError(`${(error as Error).message.split('. ')[0]}; see --help`);
  }
}

function toProbes(list: string, known: string[]): string[] {
  const ids = list.split(',').map((id) => id.trim().toUpperCase());
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined) throw new UserError(`there is no probe "${unknown}"; see --help`);
  return ids;
}

function toWhole(name: string, text: string | undefined, min: number, max: number, fallback: number): number {
  if (text === undefined) return fallback;
  const n = Number(text);
  if (text.trim() === '' || !Number.isInteger(n) || n < min || n > max) {
    throw new UserError(`--${name} must be a whole number from ${min} to ${max}`);
  }
  return n;
}

/** As RAG_EMBEDDING_MODEL_SOURCE. A wrong one is not shown: it may be half of a pre-authenticated URL. */
function toModelSource(source: string | undefined): string | null {
  if (source === undefined) return null;
  const [directory = '', file = ''] = source.split(':', 2);
  if (/^https:\/\//i.test(source) || (isName(directory) && /^[\w.-]+$/.test(file))) return source;
  throw new UserError('--model-source must be https://… or DIRECTORY:file');
}
