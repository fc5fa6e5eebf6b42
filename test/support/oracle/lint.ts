import { normalize } from './recorder.ts';
import type { Schema } from './schema.ts';
import { type Block, blocksOf, identifiersOf, withoutTexts } from './sql.ts';

/** Names that Oracle takes for no bind (ORA-01745). */
const RESERVED = new Set(
  `access add all alter and any as asc audit between by char check cluster column comment compress connect create current
   date decimal default delete desc distinct drop else exclusive exists file float for from grant group having identified
   immediate in increment index initial insert integer intersect into is level like lock long maxextents minus mlslabel mode
   modify noaudit nocompress not nowait null number of offline on online option or order pctfree prior public raw rename
   resource revoke row rowid rownum rows select session set share size smallint start successful synonym sysdate table then
   to trigger uid union unique update user validate values varchar varchar2 view whenever where with`.split(/\s+/),
);

/** Words that are neither columns nor names. */
const WORDS = new Set([
  ...RESERVED,
  ...`accuracy approx at avg bytes case cast coalesce cosine count cross double escape data day dense_rank end exact false fetch first
     hour inner interval join json left locked max min minute month nowait only outer over partition precision rank row_number second
     skip sum target target_accuracy timestamp to_char to_date to_number trunc true vector vector_dimension_count vector_distance
     vector_embedding wait when year zone time lengthb rpad nulls last current_timestamp systimestamp dual contains score exact upper lower
     regexp_like length json_serialize substr rawtohex standard_hash sys_guid`.split(/\s+/),
]);

/** The catalog's views that the product reads, with the columns that it may. */
const CATALOG: Record<string, string[]> = {
  dual: [],
  user_mining_models: ['model_name', 'mining_function', 'algorithm'],
  user_mining_model_attributes: ['model_name', 'attribute_type', 'vector_info'],
  user_tab_columns: ['table_name', 'column_name'],
  user_errors: ['name', 'type', 'line', 'text', 'attribute', 'sequence'],
  dba_users: ['username', 'authentication_type'],
  all_indexes: ['owner', 'index_name', 'status'],
  user_indexes: ['index_name'],
};

/** What only other databases say. */
const FOREIGN: [RegExp, string][] = [
  [/\bLIMIT\b/i, 'LIMIT: Oracle has FETCH FIRST'],
  [/::/, '::, a cast of PostgreSQL'],
  [/\bILIKE\b/i, 'ILIKE'],
  [/\bON CONFLICT\b/i, 'ON CONFLICT'],
  [/\bARRAY\s*\[|\bANY\s*\(\s*ARRAY/i, 'an array'],
  [/\bNOW\(\)/i, 'NOW()'],
  [/<=>|<->|<#>/, 'a distance operator, which names no metric of its own in both databases'],
  [/\$\d/, 'a parameter by number'],
];

/** The faults of a statement that Oracle, or the rules of this house, would not let pass; empty where there are none. */
export function lint(statement: string, schema: Schema): string[] {
  const sql = normalize(withoutTexts(statement));
  const isPlSql = /^(?:BEGIN|DECLARE)\b/i.test(sql);
  const faults: string[] = [];
  const fault = (when: boolean, text: string) => {
    if (when) faults.push(text);
  };
  fault(isPlSql !== /;$/.test(sql), isPlSql ? 'a block ends with a semicolon' : 'SQL ends without a semicolon');
  for (const [pattern, text] of FOREIGN) fault(pattern.test(sql), text);
  // In texts too, which a block may carry out.
  fault(/\bTRUNCATE\b/i.test(statement), 'TRUNCATE makes a vector index unusable');
  fault(/\/$/.test(sql), 'a slash is a mark of SQL*Plus');
  fault(/\b(?:DISTINCT|GROUP BY)\b.*\bFOR UPDATE\b/i.test(sql), 'DISTINCT or GROUP BY with FOR UPDATE (ORA-02014)');
  fault(/\bUPDATE\s+\w+\s+AS\s+\w/i.test(sql), 'AS before the alias of a table');
  fault(/\bROWNUM\b/i.test(sql) && /\bVECTOR_DISTANCE\b/i.test(sql), 'ROWNUM in a search: FETCH EXACT or APPROX');
  fault(/VECTOR_INDEX_TRANSFORM/i.test(statement), 'a hint that filters after the nearest are chosen');
  for (const [, name = ''] of sql.matchAll(/:(\w+)/g)) {
    fault(RESERVED.has(name.toLowerCase()), `:${name} is a reserved word`);
  }
  const contains = [...sql.matchAll(/\bCONTAINS\([^()]*, (\d)\)/gi)].map(([, label]) => label);
  const scores = [...sql.matchAll(/\bSCORE\((\d)\)/gi)].map(([, label]) => label);
  fault(!scores.every((label) => contains.includes(label)), 'SCORE without the CONTAINS of its label');
  faults.push(...lintFetch(sql), ...lintEmbedding(sql));
  if (isPlSql) return [...faults, ...lintCalls(sql, schema)];
  if (!/^(?:SELECT|WITH|INSERT|UPDATE|DELETE|MERGE)\b/i.test(sql)) return faults;
  return [...faults, ...lintScope(statement), ...lintNames(sql, schema)];
}

function lintFetch(sql: string): string[] {
  const faults: string[] = [];
  const hasFetch = /\bFETCH\b/i.test(sql);
  if (hasFetch && /\bFOR UPDATE\b/i.test(sql)) faults.push('FETCH with FOR UPDATE (ORA-02014)');
  if (/\bROWNUM\b/i.test(sql) && /\bSKIP LOCKED\b/i.test(sql)) faults.push('ROWNUM counts before SKIP LOCKED skips');
  if (/\bFIRST\b[^()]*\b(?:EXACT|APPROX)\b/i.test(sql)) faults.push('EXACT and APPROX stand before FIRST');
  if (/\bTARGET ACCURACY\b/i.test(sql.replace(/ROWS ONLY WITH TARGET ACCURACY/gi, ''))) {
    faults.push('TARGET ACCURACY stands after ROWS ONLY');
  }
  if (plainFetchBlocks(sql).some((block) => /\bVECTOR_DISTANCE\b/i.test(block))) {
    faults.push('a plain FETCH FIRST may use an approximate index: EXACT or APPROX');
  }
  for (const { text } of blocksOf(sql)) {
    if (/\bFETCH APPROX\b/i.test(text) && /\b(?:WHERE|JOIN)\b/i.test(text))
      faults.push('APPROX where something is filtered');
  }
  return faults;
}

/** The query blocks, with all that is in them, that a FETCH FIRST cuts off without saying how. */
function plainFetchBlocks(sql: string): string[] {
  return [...sql.matchAll(/\bFETCH FIRST\b/gi)].map(({ index }) => {
    let depth = 0;
    for (let at = index - 1; at >= 0; at--) {
      if (sql[at] === ')') depth++;
      else if (sql[at] === '(' && depth-- === 0) return sql.slice(at + 1, index);
    }
    return sql.slice(0, index);
  });
}

function lintEmbedding(sql: string): string[] {
  const faults: string[] = [];
  if (/VECTOR_EMBEDDING\((?![^()]*\bAS DATA\))/i.test(sql)) faults.push('VECTOR_EMBEDDING without AS DATA');
  if (/^(?:SELECT|WITH)\b/i.test(sql)) {
    const wrapped = sql
      .replace(/\(SELECT VECTOR_EMBEDDING\([^()]*\) FROM dual\)/gi, '')
      .replace(/^WITH .*?\) SELECT/i, '');
    if (/VECTOR_EMBEDDING/i.test(wrapped))
      faults.push('VECTOR_EMBEDDING may run for each row: put it into a subquery of its own');
  }
  if (
    /VECTOR_DISTANCE\(/i.test(sql) &&
    !/VECTOR_DISTANCE\((?:[^()]|\([^()]*(?:\([^()]*\)[^()]*)*\))*, COSINE\)/i.test(sql)
  ) {
    faults.push('VECTOR_DISTANCE without its metric');
  }
  return faults;
}

/** In a statement for one person, each place where chunks are read has the predicate of its own. */
function lintScope(sql: string): string[] {
  const faults: string[] = [];
  const aliases = [...sql.matchAll(/\b(?:FROM|JOIN)\s+rag_chunk\s+(\w+)/gi)].map(([, alias = '']) => alias);
  const isScoped = /:employee_id\b/.test(sql) && !/^\s*INSERT/i.test(sql);
  for (const alias of aliases) {
    const own = `(${alias}.audience = 'organization' OR ${alias}.owner_employee_id = :employee_id`;
    const listed = ` OR (${alias}.audience = 'people' AND (${alias}.source_type, ${alias}.source_id) IN ( SELECT r.source_type, r.source_id FROM rag_fact r WHERE r.name = 'reader' AND r.value = :reader))`;
    const places = aliases.filter((other) => other === alias).length;
    // The stored code for SQL callers leaves out what only some people read.
    const held = normalize(sql)
      .split(own)
      .slice(1)
      .map((after) => (after.startsWith(listed) ? after.slice(listed.length) : after))
      .filter((after) => after.startsWith(')'))
      .map((after) => after.slice(1));
    // One for each place where chunks are read, and none that something else makes void.
    const isHeld = held.length === places && held.every((after) => !/^\s*OR\b/i.test(after));
    if (isScoped && !isHeld) faults.push(`${alias}: chunks are read without the scope predicate`);
    if (new RegExp(`\\b${alias}\\.\\*`).test(sql)) faults.push(`${alias}.*: chunks are read column by column`);
    const outsideDistance = sql.replace(/VECTOR_DISTANCE\([^,]*,/g, '');
    if (new RegExp(`\\b${alias}\\.embedding(?:_\\d+)?\\b`).test(outsideDistance)) faults.push('a vector is fetched');
  }
  if (/SELECT\s+\*\s+FROM\s+\w+\b|\brag_chunk\.\*/i.test(sql)) faults.push('tables are read column by column');
  if (/^\s*SELECT\b[^()]*\bembedding(?:_\d+)?\b[^()]*\bFROM\b/i.test(sql)) faults.push('a vector is fetched');
  return faults;
}

function lintCalls(sql: string, schema: Schema): string[] {
  const faults: string[] = [];
  for (const [, owner = '', pack = '', procedure = ''] of sql.matchAll(/\b(\w+)\.(\w+)\.(\w+)/g)) {
    const members = schema.packages.get(pack.toLowerCase());
    if (members === undefined) faults.push(`${owner}.${pack}: no migration makes this package`);
    else if (!members.has(procedure.toLowerCase())) faults.push(`${pack}.${procedure}: no such procedure`);
  }
  return faults;
}

/** That every table and column is one that a migration makes, and no table's alias is introduced by AS. */
function lintNames(sql: string, schema: Schema): string[] {
  const faults: string[] = [];
  if (/\b(?:FROM|JOIN)\s+\w+\s+AS\s+\w/i.test(sql)) faults.push('AS before the alias of a table');
  const columnsOf = (table: string) => schema.tables.get(table) ?? (CATALOG[table] && new Set(CATALOG[table]));
  /** By alias, the columns of all tables that bear it somewhere; null for a subquery. */
  const aliases = new Map<string, Set<string> | null>();
  const addAlias = (alias: string, columns: Set<string>) =>
    aliases.set(alias, new Set([...(aliases.get(alias) ?? []), ...columns]));
  const known = new Set<string>();
  const blocks: Block[] = blocksOf(sql);
  for (const { isDerived, aliasAfter, hasAs } of blocks) {
    if (isDerived && hasAs) faults.push('AS before the alias of a subquery');
    if (aliasAfter !== null) aliases.set(aliasAfter, null);
  }
  for (const [, name = ''] of sql.matchAll(/\bWITH (\w+) AS \(/gi)) aliases.set(name.toLowerCase(), null);
  const derived = new Set(aliases.keys());
  for (const [, table = '', alias] of sql.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+([\w.]+)(?:\s+(\w+))?/gi)) {
    const key = table.toLowerCase();
    if (/^(?:SKIP|OF|WAIT|SELECT|\()/i.test(table) || derived.has(key)) {
      if (alias !== undefined && derived.has(key)) aliases.set(alias.toLowerCase(), null);
      continue;
    }
    const columns = columnsOf(key);
    if (columns === undefined) {
      faults.push(`${table}: no migration makes this table`);
      continue;
    }
    for (const column of columns) known.add(column);
    addAlias(key, columns);
    if (alias !== undefined && !WORDS.has(alias.toLowerCase())) addAlias(alias.toLowerCase(), columns);
  }
  const made = new Set([...sql.matchAll(/\bAS (\w+)/gi)].map(([, name = '']) => name.toLowerCase()));
  for (const { qualifier, name } of identifiersOf(sql)) {
    // Made by bootstrap for models of other dimensions.
    if (/^embedding_\d+$/.test(name)) continue;
    if (qualifier !== null) {
      const columns = aliases.get(qualifier);
      if (columns === undefined) {
        // A schema's package, function or model.
        if (!/^[A-Z_]+$/.test(qualifier.toUpperCase()) || !sql.includes(`${qualifier.toUpperCase()}.`)) {
          faults.push(`${qualifier}: no such alias`);
        }
      } else if (columns !== null && !columns.has(name)) faults.push(`${qualifier}.${name}: no such column`);
      else if (columns === null && !known.has(name) && !made.has(name))
        faults.push(`${qualifier}.${name}: no such column`);
    } else if (!WORDS.has(name) && !known.has(name) && !made.has(name) && !aliases.has(name)) {
      faults.push(`${name}: no such column`);
    }
  }
  return [...new Set(faults)];
}
