/** A quoted text, q'[…]' among them, a quoted name, or a comment: nothing in it ends a statement. */
const QUOTED = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\//y;
const ALTERNATIVE_QUOTE = /[nN]?[qQ]'(.)/y;
const CLOSING: Record<string, string> = { '[': ']', '{': '}', '(': ')', '<': '>' };

/** What begins a PL/SQL unit, whose own semicolons end nothing; it ends at a line that holds a slash alone. */
const PLSQL =
  /^(?:BEGIN|DECLARE)\b|^CREATE\s+(?:OR\s+REPLACE\s+)?(?:(?:NON)?EDITIONABLE\s+)?(?:FUNCTION|PROCEDURE|PACKAGE|TRIGGER|TYPE)\b/i;
const SLASH_LINE = /\n[ \t]*\/[ \t]*(?=\r?\n|$)/y;

/**
 * The statements of a migration file, as SQL*Plus would read it: SQL ends at a semicolon, which is not part of it, or at a
 * line with a slash, PL/SQL at such a line alone. Comments before a statement are left out. Throws where a quote or a unit is not closed.
 */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let at = 0;
  while (at < text.length) {
    at = skipBlank(text, at);
    if (at >= text.length) break;
    const end = isPlSql(text, at) ? endOfUnit(text, at) : endOfSql(text, at);
    const statement = text.slice(at, end.statement).trim();
    if (statement !== '') statements.push(statement);
    at = end.next;
  }
  return statements;
}

interface End {
  /** Where the statement's text ends, and where the next may begin. */
  statement: number;
  next: number;
}

const isPlSql = (text: string, at: number) =>
  PLSQL.test(text.slice(at, at + 2000).replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' '));

function endOfSql(text: string, start: number): End {
  for (let at = start; at < text.length; ) {
    SLASH_LINE.lastIndex = at;
    if (SLASH_LINE.test(text)) return { statement: at, next: SLASH_LINE.lastIndex };
    const quoted = skipQuoted(text, at);
    if (quoted !== null) at = quoted;
    else if (text[at] === ';') return { statement: at, next: at + 1 };
    else at++;
  }
  throw new Error(`a statement is not ended by a semicolon: ${firstLine(text, start)}`);
}

function endOfUnit(text: string, start: number): End {
  for (let at = start; at < text.length; ) {
    SLASH_LINE.lastIndex = at;
    const slash = SLASH_LINE.exec(text);
    if (slash !== null) return { statement: at, next: SLASH_LINE.lastIndex };
    at = skipQuoted(text, at) ?? at + 1;
  }
  throw new Error(`a PL/SQL unit is not ended by a line with a slash: ${firstLine(text, start)}`);
}

/** The position after the quoted text or comment that begins here; null where none does. */
function skipQuoted(text: string, at: number): number | null {
  ALTERNATIVE_QUOTE.lastIndex = at;
  const alternative = isInName(text[at - 1]) ? null : ALTERNATIVE_QUOTE.exec(text);
  if (alternative !== null) {
    const open = alternative[1] ?? '';
    const end = text.indexOf(`${CLOSING[open] ?? open}'`, ALTERNATIVE_QUOTE.lastIndex);
    if (end === -1) throw new Error(`a quote is not closed: ${firstLine(text, at)}`);
    return end + 2;
  }
  QUOTED.lastIndex = at;
  if (QUOTED.test(text)) return QUOTED.lastIndex;
  if (text[at] === "'" || text[at] === '"' || text.startsWith('/*', at)) {
    throw new Error(`a quote or a comment is not closed: ${firstLine(text, at)}`);
  }
  return null;
}

const isInName = (letter: string | undefined) => letter !== undefined && /[\w$#]/.test(letter);

/** Passes over white space, comments, and lines that hold a slash alone. */
function skipBlank(text: string, start: number): number {
  let at = start;
  for (;;) {
    const before = at;
    while (/\s/.test(text[at] ?? '')) at++;
    // A slash after a statement that has ended: SQL*Plus would run it again.
    if (/^\/[ \t]*(?:\r?\n|$)/.test(text.slice(at, at + 80))) at++;
    if (text.startsWith('--', at) || text.startsWith('/*', at)) at = skipQuoted(text, at) ?? at;
    if (at === before) return at;
  }
}

const firstLine = (text: string, at: number) => text.slice(at, at + 80).split('\n', 1)[0] ?? '';
