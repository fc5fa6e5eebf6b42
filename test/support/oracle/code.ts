import type { Schema } from './schema.ts';
import { withoutTexts } from './sql.ts';

/** A quoted text of PL/SQL, q'[…]' among them, or a comment. */
const TOKEN =
  /q'\[[\s\S]*?\]'|q'\{[\s\S]*?\}'|q'\([\s\S]*?\)'|q'<[\s\S]*?>'|q'([^[{(<\s])[\s\S]*?\1'|'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//gi;

/** PL/SQL without its comments, and with '' for each text. */
export const codeOf = (unit: string): string =>
  unit.replace(TOKEN, (token) => (/^(?:--|\/\*)/.test(token) ? ' ' : "''"));

/** The content of each text of a unit, in order. */
const textsIn = (unit: string): string[] =>
  [...unit.matchAll(TOKEN)].flatMap(([token]) => {
    if (/^(?:--|\/\*)/.test(token)) return [];
    return [/^q'/i.test(token) ? token.slice(3, -2) : token.slice(1, -1).replaceAll("''", "'")];
  });

const QUERY = /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE|MERGE)\b[\s\S]*\b(?:FROM|INTO|SET)\b/i;

/**
 * The SQL that a unit of PL/SQL runs, as the driver would send it: what stands in the code itself, with its variables as
 * binds, and what stands in its texts. `<name>` in a text is filled in from `names`.
 */
export function sqlIn(unit: string, names: Record<string, string> = {}): string[] {
  const fill = (text: string) => text.replace(/<(\w+)>/g, (whole, name: string) => names[name] ?? whole);
  const dynamic = textsIn(unit).filter((text) => QUERY.test(text));
  // Texts within static SQL are kept: rules of SQL ask for some of them.
  const code = unit.replace(TOKEN, (token) => (token.startsWith("'") ? token : /^q/i.test(token) ? "''" : ' '));
  const statics = [...code.matchAll(/(?:^|\n)\s*((?:SELECT|INSERT INTO|UPDATE|DELETE FROM|MERGE INTO)\b[^;]*)/g)];
  return [...dynamic.map(fill), ...statics.map(([, sql = '']) => asSent(upToClosing(sql)))];
}

/** A cursor's query ends with the parenthesis that it stands in. */
function upToClosing(sql: string): string {
  let depth = 0;
  for (const [at, letter] of [...sql].entries()) {
    if (letter === '(') depth++;
    if (letter === ')' && --depth < 0) return sql.slice(0, at).trim();
  }
  return sql.trim();
}

const asSent = (sql: string): string =>
  sql
    .replace(/\b(?:BULK COLLECT )?INTO\s+(?:[vp]_[\w.]+(?:,\s*)?)+/g, '')
    .replace(/\b([vp]_\w+)(?:\.(\w+))?/g, (_, name: string, field?: string) => `:${name}${field ? `_${field}` : ''}`);

/** A procedure or function with its own code, or a block; what is nested in it is a part of it. */
interface Subprogram {
  name: string;
  code: string;
}

/** The procedures and functions of a package's body, in order. */
function subprogramsOf(code: string): Subprogram[] {
  const starts = [...code.matchAll(/^ {2}(?:PROCEDURE|FUNCTION) (\w+)/gm)];
  return starts.map((start, i) => ({
    name: start[1] ?? '',
    code: code.slice(start.index, starts[i + 1]?.index ?? code.length),
  }));
}

/**
 * The faults of a unit of PL/SQL that a compiler would find, as far as a reader of tokens can, and those that this house
 * forbids; empty where there are none. Stored code that does not compile stops bootstrap.
 */
export function lintCode(unit: string, schema: Schema): string[] {
  const code = codeOf(unit);
  const body = /^CREATE OR REPLACE PACKAGE BODY (\w+)/.exec(code);
  const parts = body === null ? [] : subprogramsOf(code);
  return [
    ...lintBalance(code),
    ...(/^CREATE OR REPLACE PACKAGE (?!BODY)/.test(code) && !/\bAUTHID (?:DEFINER|CURRENT_USER)\b/.test(code)
      ? ['a package says with whose rights it runs (AUTHID)']
      : []),
    ...lintHandlers(code),
    ...(parts.length === 0 ? [{ name: 'the block', code }] : parts).flatMap(lintTransaction),
    ...lintDynamic(code),
    ...(body === null ? [] : lintNames(code, parts)),
    ...lintCalls(code, schema),
  ];
}

function lintBalance(code: string): string[] {
  const faults: string[] = [];
  if (code.split('(').length !== code.split(')').length) faults.push('parentheses are not balanced');
  const open: string[] = [];
  const words = /\bEND\s+(?:IF|LOOP|CASE)\b|\bEND\b(?:\s+(?!IF|LOOP|CASE)(\w+))?\s*;|\b(?:BEGIN|IF|LOOP|CASE|END)\b/g;
  for (const match of code.matchAll(words)) {
    const word = match[0].replace(/\s+/g, ' ');
    if (/^(?:BEGIN|IF|LOOP|CASE)$/.test(word)) open.push(word);
    else {
      const closes = /^END (IF|LOOP|CASE)/.exec(word)?.[1] ?? (open.at(-1) === 'CASE' ? 'CASE' : 'BEGIN');
      const opened = open.pop();
      // The last END of a package closes no BEGIN of its own.
      if (opened !== closes && !(opened === undefined && isLast(code, match))) {
        faults.push(`${word} closes ${opened ?? 'nothing'}`);
      }
    }
  }
  if (open.length > 0) faults.push(`${open.join(', ')} without END`);
  return faults;
}

const isLast = (code: string, match: RegExpExecArray) =>
  /^CREATE/.test(code) && code.slice(match.index + match[0].length).trim() === '';

/** Whoever catches everything raises it again, in its own or other words, or notes what it was. */
function lintHandlers(code: string): string[] {
  return code
    .split(/\bWHEN OTHERS THEN\b/)
    .slice(1)
    .filter(
      (handler) => !/\bRAISE\b|\bRAISE_APPLICATION_ERROR\b|:= SQLCODE\b/.test(handler.split(/\bEND\b(?! IF)/)[0] ?? ''),
    )
    .map(() => 'WHEN OTHERS without RAISE swallows what went wrong');
}

function lintTransaction({ name, code }: Subprogram): string[] {
  if (!/\bAUTONOMOUS_TRANSACTION\b/.test(code)) return [];
  const [work = '', handlers = ''] = code.split(/\n {2}EXCEPTION\b/);
  return [
    ...(/\bCOMMIT;/.test(work) ? [] : [`${name}: a transaction of its own ends with COMMIT (ORA-06519)`]),
    ...(/\bWHEN OTHERS THEN\s+ROLLBACK;/.test(handlers)
      ? []
      : [`${name}: a transaction of its own ends with ROLLBACK where it fails (ORA-06519)`]),
  ];
}

/** Statements made at run time: what a person wrote is bound. */
function lintDynamic(code: string): string[] {
  return [
    ...code.matchAll(/\bEXECUTE IMMEDIATE\b([^;]*?)(?:\bUSING\b|\bINTO\b|;)|\bOPEN \w+ FOR\b([^;]*?)(?:\bUSING\b|;)/g),
  ]
    .map(([, executed = '', opened = '']) => executed + opened)
    .filter((text) => /\b\w*(?:question|prompt|reply|answer|title)\w*\b/i.test(text))
    .map((text) => `a text becomes a part of a statement:${text.replace(/\s+/g, ' ')}`);
}

/** Names by this house's prefixes are declared where they are used, and used where they are declared. */
function lintNames(code: string, parts: Subprogram[]): string[] {
  const faults: string[] = [];
  const head = code.slice(0, parts[0] === undefined ? code.length : code.indexOf(parts[0].code));
  const ofPackage = declaredIn(head);
  for (const { name, code: part } of parts) {
    const declared = declaredIn(part);
    for (const used of namesIn(part)) {
      if (!declared.has(used) && !ofPackage.has(used)) faults.push(`${name}: ${used} is not declared`);
    }
    for (const own of declared) {
      const isUsed = part.split(new RegExp(`\\b${own}\\b`, 'i')).length > 2 || own.startsWith('p_');
      if (!isUsed) faults.push(`${name}: ${own} is not used`);
    }
    if (!new RegExp(`\\bEND ${name};`).test(part)) faults.push(`${name}: its END does not name it`);
  }
  for (const own of ofPackage) {
    if (code.split(new RegExp(`\\b${own}\\b`, 'i')).length < 3) faults.push(`${own} is not used`);
  }
  return faults;
}

const namesIn = (code: string): Set<string> =>
  new Set([...code.matchAll(/(?<![.\w])[vpc]_\w+\b(?!\s*=>)/gi)].map(([name]) => name.toLowerCase()));

const declaredIn = (code: string): Set<string> =>
  new Set(
    [
      ...code.matchAll(/\b([vpc]_\w+)\s+(?:CONSTANT\s+)?(?:IN\s+|OUT\s+|NOCOPY\s+)*[a-z]\w*/gi),
      ...code.matchAll(/\bFOR (v_\w+) IN\b/g),
    ]
      .filter(
        ([whole]) =>
          !/\s(?:THEN|LOOP|IS|AND|OR|NOT|BETWEEN|FOR|USING|INTO|FROM|WHERE|ELSE|WHEN|END|LIKE)$/i.test(whole),
      )
      .map(([, name = '']) => name.toLowerCase()),
  );

/** Packages of our own are called by names that they have. */
function lintCalls(code: string, schema: Schema): string[] {
  return [...withoutTexts(code).matchAll(/\b(rag(?:_\w+)?)\.(\w+)/g)].flatMap(([whole, pack = '', member = '']) => {
    const members = schema.packages.get(pack);
    return members === undefined || members.has(member.toLowerCase()) ? [] : [`${whole}: no such member`];
  });
}
