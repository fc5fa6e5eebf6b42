import type { Bind, Binds } from '../../../functions/ports/database.ts';
import { FakeOracleError } from './errors.ts';

export interface Translated {
  sql: string;
  binds: Binds;
}

const EMBEDDING = /VECTOR_EMBEDDING\(\s*[\w$#]+\.[\w$#]+ USING :(\w+) AS DATA\s*\)/g;
const EMBEDDED_ONCE = /\(SELECT (VECTOR_EMBEDDING\([^()]*\)) FROM dual\)/g;
const DISTANCE = /VECTOR_DISTANCE\(\s*([\w.]+), (:\w+|CAST\(:\w+ AS vector\)), COSINE\)/g;

const CONTAINS = /CONTAINS\(([\w.]+), :(\w+), 1\) > 0/;
const WORDS = /^\{[\p{L}\p{N}]+\}(?: ACCUM \{[\p{L}\p{N}]+\})*$/u;

/** A text query of Oracle Text as the product writes it; anything else in it would be an operator to its parser. */
function textQuery(sql: string, binds: Binds): { sql: string; binds: Binds } {
  const contains = CONTAINS.exec(sql);
  if (contains === null) return { sql, binds };
  const [whole, column = '', name = ''] = contains;
  const query = String(binds[name]);
  if (!WORDS.test(query)) throw new FakeOracleError('ORA-29902', `DRG-50901: text query parser syntax error: ${query}`);
  const words = query.replace(/[{}]/g, '').replaceAll(' ACCUM ', ' | ');
  const vector = `to_tsvector('simple', ${column})`;
  return {
    sql: sql
      .replace(whole, `${vector} @@ to_tsquery('simple', :${name})`)
      .replaceAll('SCORE(1)', `ts_rank(${vector}, to_tsquery('simple', :${name}))`),
    binds: { ...binds, [name]: words },
  };
}

/**
 * What Oracle says otherwise than PostgreSQL, in PostgreSQL's words; all other SQL of the product runs on both. A text that
 * the statement embeds becomes its vector.
 */
export function toPostgres(statement: string, given: Binds, embed: (text: string) => Float32Array): Translated {
  const { sql, binds } = textQuery(statement, given);
  const embedded = new Map<string, Bind>();
  const translated = sql
    .replace(EMBEDDED_ONCE, '$1')
    .replace(EMBEDDING, (_, name: string) => {
      const text = binds[name];
      if (typeof text !== 'string') throw new Error(`:${name} is embedded, but is no text`);
      embedded.set(name, embed(text));
      return `CAST(:${name} AS vector)`;
    })
    .replace(DISTANCE, (_, column: string, vector: string) =>
      vector.startsWith(':') ? `(${column} <=> CAST(${vector} AS vector))` : `(${column} <=> ${vector})`,
    )
    .replace(/\bembedding_\d+\b/g, 'embedding')
    .replace(/FETCH (?:EXACT|APPROX) FIRST/g, 'FETCH FIRST')
    .replace(/ WITH TARGET ACCURACY \d+/g, '');
  return { sql: translated, binds: { ...binds, ...Object.fromEntries(embedded) } };
}
