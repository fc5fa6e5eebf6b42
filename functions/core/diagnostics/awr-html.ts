import type { Block } from '../blocks.ts';
import type { Part } from '../kinds/kind.ts';
import { toSingleLine } from '../text.ts';
import { figuresOf } from './awr-columns.ts';
import { type HtmlSection, type HtmlTable, type Row, sectionsOf } from './awr-html-sections.ts';
import { withStacksWhole } from './error-stacks.ts';
import { append, blockOf } from './lines.ts';
import { type DiagnosticSource, partOf } from './part.ts';
import { type Figures, statementPart } from './statement.ts';

/** What a report tells of one statement: its rows in the tables that are ordered by a figure, and its text. */
interface Told {
  rows: string[];
  /** The beginnings of its text in those rows, each once. */
  excerpts: Set<string>;
  fullText: string;
  figures: Figures;
}

/** Where a table of statements has its columns. */
interface SqlColumns {
  /** The row that names them. */
  header: number;
  names: string[];
  id: number;
  text: number;
}

const SQL_ID = /^[0-9a-z]{13}$/;
const ORDERED_SQL = /^SQL ordered by/i;
const LIST_OF_TEXTS = /complete list of sql text/i;
const NO_DATA = /^No data exists for this section/i;
/** A file can hold several reports; the SQL ids of one have nothing to do with the figures of another. */
const REPORT_START = /(?=<html\b)/i;

/**
 * An AWR report in HTML as parts: one under each heading, its tables as rows with ` | ` between the cells; one for each statement
 * of "SQL ordered by …", with its rows from all of those tables and its full text, which stands elsewhere in the report; and
 * one that names the headings without data.
 */
export const awrHtmlParts = (text: string, source: DiagnosticSource): Part[] =>
  text.split(REPORT_START).flatMap((html) => {
    const sections = sectionsOf(html).filter(({ content }) => content.length > 0);
    const isEmpty = ({ content }: HtmlSection) =>
      content.every((each) => typeof each === 'string' && NO_DATA.test(each));
    const statements = new Map<string, Told>();
    for (const section of sections) readStatements(section, statements);
    const empty = sections.filter(isEmpty).map(({ heading }) => `${heading}\n`);
    return [
      ...sections.filter((section) => !isEmpty(section)).flatMap((section) => sectionPart(section, source)),
      ...(empty.length === 0
        ? []
        : [partOf(source, 'Sections without data', blockOf(empty, 'rows'), { kind: 'summary' })]),
      ...[...statements].map(([sqlId, told]) => toldPart(sqlId, told, source)),
    ];
  });

function columnsOfSql(section: HtmlSection, table: HtmlTable): SqlColumns | null {
  if (!ORDERED_SQL.test(section.heading) && !LIST_OF_TEXTS.test(section.heading)) return null;
  // The report of a cluster has a row of groups over the names.
  const header = table.rows.slice(0, 3).findIndex((row) => row.isHeader && row.cells.some(isSqlId));
  if (header === -1) return null;
  const names = (table.rows[header]?.cells ?? []).map(toSingleLine);
  return { header, names, id: names.findIndex(isSqlId), text: names.findIndex((name) => /^sql text$/i.test(name)) };
}

const isSqlId = (name: string) => /^\s*sql id\s*$/i.test(name);

/** The id in a row of a table of statements; null in any other row. */
function sqlIdIn(row: Row, columns: SqlColumns | null): string | null {
  const id = columns === null ? '' : (row.cells[columns.id] ?? '').trim();
  return SQL_ID.test(id) ? id : null;
}

function readStatements(section: HtmlSection, statements: Map<string, Told>): void {
  for (const table of section.content) {
    const columns = typeof table === 'string' ? null : columnsOfSql(section, table);
    if (columns === null || typeof table === 'string') continue;
    for (const row of table.rows) {
      const sqlId = sqlIdIn(row, columns);
      if (sqlId === null) continue;
      const told = statements.get(sqlId) ?? { rows: [], excerpts: new Set(), fullText: '', figures: {} };
      statements.set(sqlId, told);
      const text = (row.cells[columns.text] ?? '').trim();
      if (LIST_OF_TEXTS.test(section.heading)) {
        told.fullText ||= text;
        continue;
      }
      if (text !== '') told.excerpts.add(toSingleLine(text));
      told.figures = { ...figuresOf(columns.names, row.cells), ...told.figures };
      told.rows.push(rowInWords(section.heading, columns, row.cells));
    }
  }
}

/** `SQL ordered by Gets: Buffer Gets 109,234,440 | Executions 28,898 | …`, without id and text. */
function rowInWords(heading: string, { names, id, text }: SqlColumns, cells: string[]): string {
  const words = cells.flatMap((cell, at) => {
    const said = toSingleLine(cell);
    return at === id || at === text || said === '' ? [] : [`${names[at] ?? ''} ${said}`.trim()];
  });
  return `${heading}: ${words.join(' | ')}\n`;
}

function toldPart(sqlId: string, told: Told, source: DiagnosticSource): Part {
  const excerpts = [...told.excerpts].map((text) => `SQL Text: ${text}\n`);
  const blocks = [
    ...blockOf([`SQL Id ${sqlId}\n`, ...told.rows], 'rows'),
    ...blockOf(excerpts, 'prose'),
    ...blockOf(told.fullText === '' ? [] : [`Full text: ${told.fullText}\n`], 'prose'),
  ];
  const sql = told.fullText || ([...told.excerpts][0] ?? '');
  const { figures } = told;
  return statementPart(source, { sqlId, sql, figures, executions: figures.count ?? null, about: {} }, blocks);
}

/** A section without what stands with its statements; none where nothing is left. */
function sectionPart(section: HtmlSection, source: DiagnosticSource): Part[] {
  const blocks: Block[] = [];
  let said: string[] = [];
  for (const each of section.content) {
    const rows = typeof each === 'string' ? null : rowsOf(section, each);
    if (typeof each === 'string') said.push(`${each}\n`);
    else if (each.summary !== '' && rows?.text.length !== 0) said.push(`${each.summary}\n`);
    if (rows === null) continue;
    append(blocks, withStacksWhole(said, 'rows'));
    said = [];
    append(blocks, blockOf(rows.text, 'rows', rows.header));
  }
  append(blocks, withStacksWhole(said, 'rows'));
  return blocks.length === 0 ? [] : [partOf(source, section.heading, blocks, { kind: 'summary' })];
}

/** A table's rows, statements without their text, which stands in their own part, as all does that the list of texts says. */
function rowsOf(section: HtmlSection, table: HtmlTable): { text: string[]; header?: string } {
  const columns = columnsOfSql(section, table);
  const isList = columns !== null && LIST_OF_TEXTS.test(section.heading);
  const text = table.rows.flatMap((row) => {
    const isTold = sqlIdIn(row, columns) !== null;
    if (isList) return isTold || row.isHeader ? [] : [rowOf(row.cells)];
    return [rowOf(isTold ? row.cells.filter((_, at) => at !== columns?.text) : row.cells)];
  });
  const header = table.rows[0]?.isHeader === true && text.length > 1 ? text[columns?.header ?? 0] : undefined;
  return header === undefined || isList ? { text } : { text, header };
}

const rowOf = (cells: string[]) => `${cells.map(toSingleLine).join(' | ')}\n`;
