import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { TextIndex } from '../../functions/adapters/postgres/dialect.ts';
import { UserError } from '../user-error.ts';
import { SETS } from './sets.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const SAMPLE = 'sample';
const STATEMENTS = 'statements';
const NAMES = [...SETS.map(({ name }) => name), SAMPLE, STATEMENTS];

export const USAGE = `usage: npm run eval -- [--data DIR] [--only NAME] [--text bm25|fulltext|both] [--json FILE]
  --data DIR   where the sets are (default ../shared/data/retrieval beside the repository); those that are not there are left out;
               the statements are those of the diagnostics beside it (tkprof, trace10046, awr)
  --only NAME  one of them: a name, or a part of one, of ${NAMES.join(', ')}
  --text KIND  how words are ranked: bm25, PostgreSQL's own fulltext, or both, compared (default bm25)
  --json FILE  where the figures go (default eval-results.json), - for standard output, where nothing else is printed then`;

export interface EvalOptions {
  data: string;
  /** The sets to be measured. */
  sets: typeof SETS;
  /** Whether the sample's labelled questions are asked. */
  sample: boolean;
  /** Where the folders of real diagnostics are, each of whose statements is looked for; null where they are not asked for. */
  diagnostics: string | null;
  textIndexes: TextIndex[];
  /** Null for standard output. */
  json: string | null;
}

/** Reads the command line; null where it asks for the usage. */
export function readEvalArgs(args: string[]): EvalOptions | null {
  const { data, only = '', text, json, help } = parsed(args);
  if (help) return null;
  const isMeant = (name: string) => name.includes(only);
  if (!NAMES.some(isMeant)) throw new UserError(`--only must name one of ${NAMES.join(', ')}, got ${only}`);
  const textIndexes = { bm25: ['bm25'], fulltext: ['fulltext'], both: ['bm25', 'fulltext'] }[text];
  if (textIndexes === undefined) throw new UserError(`--text must be bm25, fulltext or both, got ${text}`);
  const folder = resolve(data ?? resolve(ROOT, '..', 'shared', 'data', 'retrieval'));
  return {
    data: folder,
    sets: SETS.filter(({ name }) => isMeant(name)),
    sample: isMeant(SAMPLE),
    diagnostics: isMeant(STATEMENTS) ? dirname(folder) : null,
    textIndexes: textIndexes as TextIndex[],
    json: json === '-' ? null : resolve(json),
  };
}

function parsed(args: string[]) {
  const options = {
    data: { type: 'string' },
    only: { type: 'string' },
    text: { type: 'string', default: 'bm25' },
    json: { type: 'string', default: 'eval-results.json' },
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    const { text, ...values } = parseArgs({ args, options }).values;
    return { ...values, text: text as 'bm25' | 'fulltext' | 'both' };
  } catch (error) {
    throw new UserError(`${(error as Error).message.split('. ')[0]}\n${USAGE}`);
  }
}
