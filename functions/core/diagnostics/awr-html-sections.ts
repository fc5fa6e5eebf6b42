import { type HtmlListener, scanHtml } from '../html.ts';
import { toSingleLine } from '../text.ts';

export interface Row {
  /** As written, entities decoded. */
  cells: string[];
  /** Whether it names columns. */
  isHeader: boolean;
}

export interface HtmlTable {
  /** What the report says that it displays. */
  summary: string;
  rows: Row[];
}

/** What stands under one heading, in order: lines of text and tables. */
export interface HtmlSection {
  heading: string;
  content: (string | HtmlTable)[];
}

/** The tags of reports; the `<` of a comparison in SQL text that was not encoded is none. */
const TAGS: ReadonlySet<string> = new Set(
  (
    'a b big body br center col colgroup div em font form h1 h2 h3 h4 h5 h6 head hr html i img input li link meta ol p pre ' +
    'script small span strong style sub sup table tbody td tfoot th thead title tr tt u ul'
  ).split(' '),
);
/** What can stand in a head, which anything else ends. */
const IN_HEAD = ['link', 'meta', 'script', 'style', 'title'];
/** Elements whose content is no text to read. */
const UNREAD = ['script', 'style'];

/** A report's sections, in order. Links within the report are left out: tables of contents, "Back to Top". */
export function sectionsOf(html: string): HtmlSection[] {
  let section: HtmlSection = { heading: 'Report summary', content: [] };
  const sections = [section];
  let table: HtmlTable | null = null;
  let row: Row | null = null;
  let text = '';
  let isLink = false;
  let isInHead = false;
  let isUnread = false;

  /** Ends a line of text or the text of a cell. */
  const flush = () => {
    const said = text;
    text = '';
    if (row !== null && row.cells.length > 0) row.cells[row.cells.length - 1] += said;
    else if (said.trim() !== '') section.content.push(toSingleLine(said));
  };
  const onHeading = (isEnd: boolean) => {
    if (isEnd) {
      section.heading = toSingleLine(text) || 'Report';
      text = '';
      return;
    }
    flush();
    table = null;
    row = null;
    section = { heading: 'Report', content: [] };
    sections.push(section);
  };
  const onTable = (isEnd: boolean, summary: string) => {
    flush();
    row = null;
    table = isEnd ? null : { summary: toSingleLine(summary), rows: [] };
    if (table !== null) section.content.push(table);
  };
  const onRow = (isEnd: boolean) => {
    flush();
    row = isEnd || table === null ? null : { cells: [], isHeader: true };
    if (row !== null) table?.rows.push(row);
  };
  const onCell = (isEnd: boolean, isHeader: boolean) => {
    flush();
    if (isEnd || row === null) return;
    row.cells.push('');
    row.isHeader &&= isHeader;
  };

  const onTag = (tag: string, isEnd: boolean, attribute: (name: string) => string | null = () => null) => {
    if (UNREAD.includes(tag)) isUnread = !isEnd;
    if (tag === 'head') isInHead = !isEnd;
    else if (!IN_HEAD.includes(tag)) isInHead = false;
    if (/^h[1-6]$/.test(tag)) onHeading(isEnd);
    else if (tag === 'table') onTable(isEnd, attribute('summary') ?? '');
    else if (tag === 'tr') onRow(isEnd);
    else if (tag === 'td' || tag === 'th') onCell(isEnd, tag === 'th');
    else if (tag === 'a') isLink = attribute('href')?.startsWith('#') === true;
    else if (tag === 'br') text += '\n';
    else if (row === null && /^(?:p|li|ul|ol|pre|div|hr)$/.test(tag)) flush();
  };
  const listener: HtmlListener = {
    open: (tag, attribute) => onTag(tag, false, attribute),
    close: (tag) => onTag(tag, true),
    text(said) {
      if (!isInHead && !isUnread && (!isLink || row !== null)) text += said.replaceAll('\xa0', ' ');
    },
  };
  scanHtml(html, listener, TAGS);
  flush();
  return sections;
}
