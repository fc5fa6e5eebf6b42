import { normalizeErrorCode } from './diagnostics/error-codes.ts';
import { RECORD_TYPES, type RecordSourceType } from './kinds/kind.ts';

/** A source named in a question; `type` null where only a number stands there: any kind. */
export interface NamedSource {
  type: RecordSourceType | null;
  id: string;
}

export interface QuestionCodes {
  sources: NamedSource[];
  /** In upper case, with Oracle's messages in their full form: ORA-01652. */
  codes: string[];
}

/** More ids and codes than this in one question are not looked for. */
const MAX_CODES = 8;

/** What people call the kinds of source, in the languages that questions are recognised in. */
const KIND_WORDS: Record<RecordSourceType, string> = {
  task: 'tasks?|tareas?|t[âa]ches?|aufgaben?|tarefas?|compit[oi]|tickets?',
  sprint: 'sprints?',
  project: 'projects?|proyectos?|projets?|projekte?|projetos?|progett[oi]',
};

/** A kind of source by one of its names, in a regular expression without flags of its own; use with `iu`. */
export const KIND_WORD = Object.values(KIND_WORDS).join('|');

/** The kind that a word means; null where it means none. */
export const kindOf = (word: string): RecordSourceType | null =>
  RECORD_TYPES.find((type) => new RegExp(`^(?:${KIND_WORDS[type]})$`, 'iu').test(word)) ?? null;

const NUMBER_SIGN = '(?:n\\.?[ºo°]\\.?|number|n[úu]mero|nummer|num[ée]ro)?\\s*#?\\s*';
/** The end of an id: neither within a longer token nor before what makes it a figure, a date or an amount of something. */
const ID_END =
  '(?![\\p{L}\\p{N}_%]|[-.:]\\d|,\\d{3}(?!\\d)|\\s+(?:(?:more|other|further|m[áa]s|otr[oa]s|weeks?|days?|hours?|months?|years?|semanas?|d[íi]as?|horas?|meses|años|points?|puntos?)(?!\\p{L})|%))';
/** Leading zeros are no part of it. */
const ID = `0*([1-9]\\d{0,15})${ID_END}`;
/** `TASK 12`, `TASK-12`, `tarea nº 12`, `Sprint: #3`; not `TASK -5`. */
const KIND_AND_ID = new RegExp(
  `(?<![\\p{L}\\p{N}_-])(${KIND_WORD})(?:-|\\s-\\s|[\\s:]{0,3})${NUMBER_SIGN}${ID}`,
  'giu',
);
/** What may follow it: `, #13 and 14`. */
const NEXT_ID = new RegExp(`\\s*(?:,|,?\\s*(?:y|e|o|and|or|und|oder|et|ou)(?!\\p{L}))\\s*#?${ID}`, 'iuy');
const HASH_ID = /(?<![\p{L}\p{N}_#&/])#0*([1-9]\d{0,15})(?![\p{L}\p{N}_-]|[.:]\d)/gu;
/** `ORA-01652`, `ora 1652`: five digits, of which people leave out leading zeros. */
const ORACLE_MESSAGE = /(?<![\p{L}\p{N}_-])(?:(ora|pls|tns|rman)-?|(ora) (?=\d{3}))0*(\d{1,5})(?![\p{L}\p{N}_]|-\d)/giu;
/** `KB-201`, `CLOV-1086`, `INV-2026-118`. */
const CODE = /(?<![\p{L}\p{N}_.-])(\p{L}[A-Z0-9]{1,9})(?:-[A-Z0-9]{2,10})?-(\d{1,8})(?![\p{L}\p{N}_]|-\d|[.,]\d)/giu;
/** Prefixes before a number that name no record: quarters, months, standards and ciphers. */
const NO_PREFIX =
  /^(q[1-4]|h[12]|fy|jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|ene|abr|ago|dic|utf|sha|aes|rsa|iso|rfc|http)$/i;
const SQL_ID = /(?<![\p{L}\p{N}_.-])[0-9a-z]{13}(?![\p{L}\p{N}_]|[-.][\p{L}\p{N}])/giu;

/** The ids and codes that a question is written with; each once, together at most {@link MAX_CODES}. */
export function codesIn(question: string): QuestionCodes {
  const text = question.normalize('NFC');
  const sources: NamedSource[] = [];
  const rest = text.replace(KIND_AND_ID, (whole: string, word: string, id: string, at: number) => {
    const type = kindOf(word);
    sources.push({ type, id });
    NEXT_ID.lastIndex = at + whole.length;
    for (let next = NEXT_ID.exec(text); next !== null; next = NEXT_ID.exec(text)) {
      sources.push({ type, id: next[1] ?? '' });
    }
    return ' '.repeat(whole.length);
  });
  for (const [, id = ''] of rest.matchAll(HASH_ID)) {
    if (!sources.some((source) => source.id === id)) sources.push({ type: null, id });
  }

  const codes: string[] = [];
  const afterMessages = rest.replace(ORACLE_MESSAGE, (_, prefix: string | undefined, ora: string, digits: string) => {
    const code = normalizeErrorCode(`${prefix ?? ora}-${digits}`);
    if (code !== null) codes.push(code);
    return ' ';
  });
  for (const [code, prefix = '', number = ''] of afterMessages.matchAll(CODE)) {
    if (isCode(code, prefix, number)) codes.push(code.toUpperCase());
  }
  for (const [id] of afterMessages.matchAll(SQL_ID)) if (isSqlId(id.toLowerCase())) codes.push(id.toUpperCase());

  const keys = new Set<string>();
  const each = sources.filter(({ type, id }) => !keys.has(`${type} ${id}`) && keys.add(`${type} ${id}`));
  const named = each.slice(0, MAX_CODES);
  return { sources: named, codes: [...new Set(codes)].slice(0, MAX_CODES - named.length) };
}

/** Capitals say code. Small letters do where the number is long and no year: `kb-201`, but neither `top-10` nor `mid-2024`. */
function isCode(code: string, prefix: string, number: string): boolean {
  if (NO_PREFIX.test(prefix) || kindOf(prefix) !== null) return false;
  return code === code.toUpperCase() || (number.length >= 3 && !/^(19|20)\d\d$/.test(number));
}

/**
 * Whether thirteen letters and digits may be Oracle's name for a statement: in its alphabet, which has no e, i, l and o, or
 * with digits in several places; not a fragment of a hash, nor a time (`20261204t0930`).
 */
function isSqlId(id: string): boolean {
  if (!/\d/.test(id) || !/[a-z]/.test(id) || /^[0-9a-f]+$/.test(id) || /^\d{8}t\d{4}$/.test(id)) return false;
  return !/[eilo]/.test(id) || (id.match(/\d+/g) ?? []).length > 1;
}

/** A question without the sources that it names by their ids, `TASK 12`, `#12`, and without codes. */
export const withoutNames = (question: string): string =>
  [KIND_AND_ID, HASH_ID, ORACLE_MESSAGE, CODE].reduce(
    (text, pattern) => text.replace(pattern, ' '),
    question.normalize('NFC'),
  );

/** Whether a text holds a code as a whole: KB-20 is not in KB-201; ORA-01652 is in "ora-1652", too. */
export function containsCode(text: string, code: string): boolean {
  const [, prefix = '', digits = ''] = /^(ORA|PLS|TNS|RMAN)-0*(\d+)$/i.exec(code) ?? [];
  const pattern = digits === '' ? code.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : `${prefix}[- ]?0*${digits}`;
  return new RegExp(`(?<![\\p{L}\\p{N}_]-?)${pattern}(?![\\p{L}\\p{N}_]|-\\p{N})`, 'iu').test(text);
}
