/** The statement with '' for each quoted text, and without comments. */
export const withoutTexts = (sql: string): string =>
  sql.replace(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, (token) => (token.startsWith("'") ? "''" : ' '));

/** A query block: what stands in a pair of parentheses, or the whole, without the blocks within it. */
export interface Block {
  text: string;
  /** Whether it stands where a table does. */
  isDerived: boolean;
  aliasAfter: string | null;
  hasAs: boolean;
}

/** The query blocks of a statement, innermost first. */
export function blocksOf(sql: string): Block[] {
  const blocks: Block[] = [];
  let rest = sql;
  for (;;) {
    const inner = /\(([^()]*)\)/.exec(rest);
    if (inner === null) break;
    const before = rest.slice(0, inner.index);
    const after = rest.slice(inner.index + inner[0].length);
    const isQuery = /^\s*(?:SELECT|WITH)\b/i.test(inner[1] ?? '');
    if (isQuery) {
      const isDerived = /\b(?:FROM|JOIN)\s*$/i.test(before);
      const alias = /^\s*(AS\s+)?([a-z_]\w*)/i.exec(after);
      blocks.push({
        text: inner[1] ?? '',
        isDerived,
        aliasAfter: isDerived ? (alias?.[2]?.toLowerCase() ?? null) : null,
        hasAs: isDerived && alias?.[1] !== undefined,
      });
    }
    // Queries leave a mark, so that the block around them does not take their words for its own.
    rest = `${before}${isQuery ? ' block ' : `<${inner[1]}>`}${after}`;
  }
  blocks.push({ text: rest, isDerived: false, aliasAfter: null, hasAs: false });
  return blocks;
}

export interface Identifier {
  qualifier: string | null;
  /** In lower case, as the qualifier. */
  name: string;
}

/** Every name in a statement but binds, quoted texts and what is called as a function. */
export function identifiersOf(sql: string): Identifier[] {
  const found: Identifier[] = [];
  const text = withoutTexts(sql)
    .replace(/:\w+/g, ' ')
    .replace(/\bVECTOR_EMBEDDING\([\w$#.]+ USING/gi, ' ');
  for (const match of text.matchAll(/(?:([a-z_][\w$#]*)\s*\.\s*)?([a-z_][\w$#]*)/gi)) {
    const name = (match[2] ?? '').toLowerCase();
    found.push({ qualifier: match[1]?.toLowerCase() ?? null, name });
  }
  return found;
}
