import { plainText } from '../../core/documents/headings.ts';
import { scanHtml } from '../../core/html.ts';
import { toSingleLine } from '../../core/text.ts';
import { MarkdownWriter } from './markdown-writer.ts';

/** What is no part of what a page says: elements without tags inside, and with them. */
const RAW_LEFT_OUT = ['script', 'style', 'iframe', 'noembed', 'noframes'];
const LEFT_OUT = ['head', 'nav', 'noscript', 'template', 'svg'];

const HEADING = /^h([1-6])$/;

/** Elements that stand on lines of their own. */
const BLOCKS = new Set(
  (
    'address article aside body caption center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'header hgroup hr html legend main menu option p section summary tbody tfoot thead'
  ).split(' '),
);

/** A page as Markdown. */
export interface Page {
  /** Of its element `title`, or else its first heading of the first level. */
  title: string | null;
  markdown: string;
}

/**
 * HTML as Markdown: headings, lists, tables with pipes, code between fences, the text of everything else. Links keep
 * their text alone, pictures what they show in words. In linear time, however odd the HTML is.
 */
export function htmlToMarkdown(html: string): Page {
  return convert(html, LEFT_OUT);
}

function convert(html: string, leftOut: string[]): Page {
  const isLeftOut = new Set([...RAW_LEFT_OUT, ...leftOut]);
  const writer = new MarkdownWriter();
  let title = '';
  let isInTitle = false;
  /** What is being left out, and how many of its kind are open. */
  let hidden: { name: string; depth: number } | null = null;
  scanHtml(html, {
    open(name, attribute) {
      isInTitle = name === 'title' && title === '' && (hidden === null || hidden.name === 'head');
      // What ends a head that nothing else ends.
      if (name === 'body' && hidden?.name === 'head') hidden = null;
      if (hidden !== null) {
        if (hidden.name === name) hidden.depth++;
      } else if (isLeftOut.has(name)) {
        if (name === 'nav') writer.endBlock();
        hidden = { name, depth: 1 };
      } else if (name !== 'title') {
        open(writer, name, attribute);
      }
    },
    close(name) {
      if (name === 'title') isInTitle = false;
      if (hidden === null) close(writer, name);
      else if (hidden.name === name && --hidden.depth === 0) hidden = null;
    },
    text(text) {
      if (isInTitle) title += text;
      else if (hidden === null) writer.text(text);
    },
  });
  // What is never closed would take the rest of the page with it.
  const unclosed = (hidden as { name: string } | null)?.name ?? '';
  if (leftOut.includes(unclosed))
    return convert(
      html,
      leftOut.filter((name) => name !== unclosed),
    );
  const markdown = writer.end();
  const { firstHeading } = writer;
  return { title: toSingleLine(title) || (firstHeading === null ? null : plainText(firstHeading)), markdown };
}

function open(writer: MarkdownWriter, name: string, attribute: (name: string) => string | null): void {
  const level = HEADING.exec(name)?.[1];
  if (level !== undefined) writer.openHeading(Number(level));
  else if (name === 'br') writer.lineBreak();
  else if (name === 'pre' || name === 'listing') writer.openCode(languageOf(attribute));
  else if (name === 'code') writer.openInlineCode(languageOf(attribute));
  else if (name === 'ul' || name === 'ol') writer.openList(name === 'ol' ? firstNumber(attribute('start')) : null);
  else if (name === 'li') writer.openItem();
  else if (name === 'blockquote') writer.openQuote();
  else if (name === 'table') writer.openTable();
  else if (name === 'tr') writer.openRow();
  else if (name === 'td' || name === 'th') writer.openCell(attribute('colspan'), attribute('rowspan'));
  else if (name === 'img') writer.text(attribute('alt') ?? '');
  else if (BLOCKS.has(name)) writer.endBlock();
}

function close(writer: MarkdownWriter, name: string): void {
  if (HEADING.test(name) || BLOCKS.has(name)) writer.endBlock();
  else if (name === 'pre' || name === 'listing') writer.closeCode();
  else if (name === 'code') writer.closeInlineCode();
  else if (name === 'ul' || name === 'ol') writer.closeList();
  else if (name === 'li') writer.closeItem();
  else if (name === 'blockquote') writer.closeQuote();
  else if (name === 'table') writer.closeTable();
  else if (name === 'tr') writer.closeRow();
  else if (name === 'td' || name === 'th') writer.closeCell();
}

/** The language of code, as pages for highlighters say it: class="language-sql". */
function languageOf(attribute: (name: string) => string | null): string {
  return /(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})/.exec(attribute('class') ?? '')?.[1] ?? '';
}

const firstNumber = (start: string | null): number => (/^\d{1,6}$/.test(start ?? '') ? Number(start) : 1);
