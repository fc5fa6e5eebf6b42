import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { retrieve, type Searching } from '../../functions/ask/retrieve.ts';
import { recognizeFormat } from '../../functions/core/diagnostics/recognize.ts';
import { sha256Hex } from '../../functions/core/hash.ts';
import type { Metadata } from '../../functions/core/kinds/kind.ts';
import { normalizeText } from '../../functions/core/text.ts';
import type { Database } from '../../functions/ports/database.ts';
import type { Embedder } from '../../functions/ports/embedder.ts';
import { putDiagnostic } from '../../functions/store/diagnostics.ts';
import { KINDS } from '../../functions/store/kinds.ts';
import type { AskSettings } from './outcomes.ts';
import { indexAll } from './records.ts';

/** The folders of real output whose statements are looked for. */
const FOLDERS = ['tkprof', 'trace10046', 'awr'];
/** A statement is found where it is among so many sections. */
const FIRST = 3;
/** A question names so many of a statement's identifiers at most: its rarest. */
const IDENTIFIERS = 6;

/** What came of looking for the statements of one file. */
export interface StatementRecall {
  file: string;
  format: string;
  statements: number;
  /** How many had themselves, or a statement of the same text in another file, among the first. */
  found: number;
  /** How many had exactly themselves among the first. */
  exact: number;
  missed: string[];
}

/** The share of all statements whose section, by its text, is among the first; the goal is 0.95. */
export const statementRecall = (files: StatementRecall[]): number => {
  const count = (of: (file: StatementRecall) => number) => files.reduce((sum, file) => sum + of(file), 0);
  return count((file) => file.found) / count((file) => file.statements);
};

interface Statement {
  diagnosticId: string;
  section: number;
  sql: string;
}

/** Whether there is output to measure on. */
export const hasStatements = (data: string): boolean => FOLDERS.some((folder) => existsSync(join(data, folder)));

/**
 * Writes every report and trace of a folder as a diagnostic, and looks for each of its statements by a question that is made
 * of the identifiers in its text which the fewest statements have.
 */
export async function measureStatements(
  { database, embedder }: { database: Database; embedder: Embedder },
  searching: Searching,
  { vectorWeight, languages }: AskSettings,
  data: string,
  tell: (progress: string) => void,
): Promise<StatementRecall[]> {
  const files = FOLDERS.flatMap((folder) =>
    existsSync(join(data, folder)) ? readdirSync(join(data, folder)).map((name) => join(data, folder, name)) : [],
  );
  const formats = new Map<string, string>();
  for (const file of files) formats.set(basename(file), await writeOutput(database, file));
  tell(`statements: indexing ${files.length} files`);
  await indexAll(database, embedder, data);

  const statements = await readStatements(database, [...formats.keys()]);
  const rarities = new Map<string, number>();
  for (const { sql } of statements) {
    for (const identifier of identifiersIn(sql)) rarities.set(identifier, (rarities.get(identifier) ?? 0) + 1);
  }
  const sqlOf = new Map(statements.map(({ diagnosticId, section, sql }) => [`${diagnosticId} ${section}`, sql]));
  const results: StatementRecall[] = [];
  for (const [file, format] of formats) {
    const own = statements.filter(({ diagnosticId }) => diagnosticId === file);
    if (own.length === 0) continue;
    tell(`statements: ${file}, ${own.length}`);
    const result: StatementRecall = { file, format, statements: own.length, found: 0, exact: 0, missed: [] };
    for (const { section, sql } of own) {
      const question = questionFor(sql, rarities);
      const options = { topK: FIRST, filters: {}, sort: null, approximate: false, maxPerSource: 0 };
      const { hits } = await retrieve(searching, question, { ...options, vectorWeight, languages });
      const isExact = hits.some((hit) => hit.sourceId === file && hit.section === section);
      const isFound = hits.some((hit) => sqlOf.get(`${hit.sourceId} ${hit.section}`) === sql);
      if (isExact) result.exact++;
      if (isFound || isExact) result.found++;
      else result.missed.push(question);
    }
    results.push(result);
  }
  return results;
}

/** Stores a file as a diagnostic that is named as the file is; says what it was recognised as. */
async function writeOutput(database: Database, file: string): Promise<string> {
  const bytes = readFileSync(file);
  const content = normalizeText(bytes.toString('latin1')).replaceAll('\0', '');
  const format = recognizeFormat(content);
  await database.transaction('system', (tx) =>
    putDiagnostic(
      tx,
      {
        id: basename(file),
        format,
        contentType: 'text/plain',
        charset: 'windows-1252',
        bytes: bytes.length,
        digest: sha256Hex(content),
        content,
        environmentId: 'SAMPLE',
        erpModule: 'DB',
        erpVersion: '1',
        sourceScript: format,
        errorCodes: [],
        resolutionType: null,
        readers: { audience: 'organization', readers: [] },
        projectId: null,
        labels: [],
      },
      null,
    ),
  );
  return format;
}

/** The statements of diagnostics, with the sections that they are. */
async function readStatements(database: Database, ids: string[]): Promise<Statement[]> {
  const loaded = await database.transaction('system', (tx) => KINDS.diagnostic.loadContent(tx, ids));
  return loaded.flatMap(({ record, content }) =>
    (content().parts?.parts ?? []).flatMap(({ metadata, blocks }, i) => {
      if (metadata.kind !== 'statement') return [];
      const text = blocks.map((block) => block.text).join('');
      return [{ diagnosticId: String(record.id), section: i + 1, sql: sqlIn(text, metadata) }];
    }),
  );
}

/** The SQL of a statement's section: what stands before its figures; in one line. */
function sqlIn(text: string, { sql }: Metadata): string {
  const [before = ''] = text.split(/^(?:call +count|END OF STMT)/m, 1);
  const whole = before.replace(/^(?:={21}|PARSING IN CURSOR .*|SQL ID *:.*|Plan Hash *:.*|\*{80})$/gm, '');
  const isWhole = whole.trim() !== '' && whole.length < text.length;
  return (isWhole ? whole : String(sql ?? '')).replace(/\s+/g, ' ').trim().toUpperCase();
}

const KEYWORDS = new Set(
  `select from where and or not in is null as by order group having insert into values update set delete create table index view
   alter drop begin end declare commit rollback exception when then else case loop if procedure function package return number
   varchar2 date char with union all distinct between like exists on join left right inner outer asc desc sum count max min avg
   decode nvl to_char to_date substr rownum rowid sysdate dual for of the any`.split(/\s+/),
);

/** The names in a statement: tables, columns, packages, binds. */
const identifiersIn = (sql: string): Set<string> =>
  new Set((sql.toLowerCase().match(/[a-z][a-z0-9_$#]{2,}/g) ?? []).filter((word) => !KEYWORDS.has(word)));

/** What a person would ask who remembers a few names; where a statement has none, its own words. */
function questionFor(sql: string, rarities: Map<string, number>): string {
  const rarest = [...identifiersIn(sql)]
    .sort((a, b) => (rarities.get(a) ?? 0) - (rarities.get(b) ?? 0) || b.length - a.length)
    .slice(0, IDENTIFIERS);
  return `Which statement has ${rarest.length === 0 ? sql.slice(0, 200) : rarest.join(', ')}?`;
}
