import { decodeHTML, decodeHTMLAttribute, decodeHTMLStrict } from 'entities/decode';

/**
 * What a scan tells of, in the order of the text. Names are lower case; there is no promise that tags match. `<name/>` is
 * told as opened and closed, as XHTML means it.
 */
export interface HtmlListener {
  open(name: string, attribute: (name: string) => string | null): void;
  close(name: string): void;
  /** Characters as they are read, with their references (&amp;) resolved. */
  text(text: string): void;
}

/** Elements whose content has no tags: without references (&amp;), and with them. */
const RAW_TEXT = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes']);
const RAW_TEXT_WITH_REFERENCES = new Set(['title', 'textarea']);

/** Longer than any name of HTML: what goes beyond it is taken for an attribute. */
const NAME = /[^\s/>]{1,30}/y;
/** An attribute with its value in double quotes, single quotes or none. */
const ATTRIBUTE = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?/y;
const NUMBER_REFERENCE = /&#(?:x([0-9a-f]+)|(\d+));?/gi;

/**
 * Reads HTML as the standard's tokenizer does (html.spec.whatwg.org, 13.2.5), without making a tree: in linear time
 * and without recursion, however odd it is. A quote that is not closed ends with its tag instead of with the file. References
 * that stand for no character (&#0;) are left out.
 * @param tags the only tags that there are, for HTML with text amid it that nobody encoded: `a <b.c and &name` is text then, and
 *   so is what follows a `script` without an end
 */
export function scanHtml(html: string, listener: HtmlListener, tags?: ReadonlySet<string>): void {
  const decode = tags === undefined ? decodeHTML : decodeHTMLStrict;
  /** Elements of raw text that nothing closes. */
  const unclosed = new Set<string>();
  let at = 0;
  const tell = (end: number) => {
    if (end > at) listener.text(decodeWith(decode, html.slice(at, end)));
  };
  for (let open = html.indexOf('<'); open !== -1; open = html.indexOf('<', open)) {
    const next = html.charAt(open + 1);
    const isClosing = next === '/';
    NAME.lastIndex = open + (isClosing ? 2 : 1);
    const name = NAME.exec(html)?.[0].toLowerCase() ?? '';
    const attributes = NAME.lastIndex;
    const isTag = tags?.has(name) ?? /^[a-z]/.test(name);
    if (next === '!' || next === '?' || (isClosing && !isTag && tags === undefined)) {
      tell(open);
      at = open = endOfComment(html, open);
      continue;
    }
    if (!isTag) {
      open++;
      continue;
    }
    tell(open);
    const end = endOfTag(html, attributes);
    at = open = end;
    if (isClosing) {
      listener.close(name);
      continue;
    }
    listener.open(name, (wanted) => findAttribute(html, attributes, end, wanted));
    if (html.charAt(end - 2) === '/') {
      listener.close(name);
      continue;
    }
    const hasReferences = RAW_TEXT_WITH_REFERENCES.has(name);
    if (!hasReferences && !RAW_TEXT.has(name)) continue;
    const endOfContent = unclosed.has(name) ? null : endOfRawText(html, end, name);
    if (endOfContent === null && tags !== undefined) {
      unclosed.add(name);
      listener.close(name);
      continue;
    }
    at = open = endOfContent ?? html.length;
    const content = html.slice(end, at);
    if (content !== '') listener.text(hasReferences ? decodeWith(decode, content) : content);
  }
  tell(html.length);
}

/** Text with its references resolved; the standard has U+FFFD for those that stand for no character. */
function decodeWith(decode: (text: string) => string, text: string): string {
  let decoded = '';
  let done = 0;
  for (const { 0: reference, 1: hex, 2: decimal, index } of text.matchAll(NUMBER_REFERENCE)) {
    if (decode === decodeHTMLStrict && !reference.endsWith(';')) continue;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)) continue;
    decoded += decode(text.slice(done, index));
    done = index + reference.length;
  }
  return decoded + decode(text.slice(done));
}

function endOfComment(html: string, open: number): number {
  if (!html.startsWith('<!--', open)) return after(html, '>', open);
  // <!--> and <!---> are whole comments.
  return after(html, '-->', open + 2);
}

const after = (html: string, mark: string, from: number): number => {
  const at = html.indexOf(mark, from);
  return at === -1 ? html.length : at + mark.length;
};

function endOfTag(html: string, from: number): number {
  let at = from;
  ATTRIBUTE.lastIndex = at;
  while (ATTRIBUTE.test(html)) at = ATTRIBUTE.lastIndex;
  return after(html, '>', at);
}

function findAttribute(html: string, from: number, end: number, wanted: string): string | null {
  ATTRIBUTE.lastIndex = from;
  for (let match = ATTRIBUTE.exec(html); match !== null && match.index < end; match = ATTRIBUTE.exec(html)) {
    const [, name, double, single, bare] = match;
    if (name?.toLowerCase() === wanted) return decodeWith(decodeHTMLAttribute, double ?? single ?? bare ?? '');
  }
  return null;
}

function endOfRawText(html: string, from: number, name: string): number | null {
  const end = new RegExp(`</${name}[\\s/>]`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? null;
}
