import { InvalidInput } from '../../core/errors.ts';
import { charsetOfMark, decodeStrictly } from './charset.ts';
import { htmlToMarkdown, type Page } from './html.ts';
import { openZip, ZipFault } from './zip.ts';

/**
 * The XML that is read of one document, unpacked: about 1500 pages of text. Its tree takes 1.5 kB of memory a tag: a function
 * with little memory gives up sooner.
 */
const MAX_XML_BYTES = 20_000_000;
const MAX_TAGS = 300_000;

/** Besides what mammoth knows by itself: a title is a heading, as Word shows it. */
const STYLES = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"];

/** What references (&#0;, &#xD800;) leave that stand for no character. */
const NO_CHARACTERS = /\0|\p{Surrogate}/gu;

/** A note's way back to its place in the text. */
const WAY_BACK = /<a href="#(?:foot|end)note-ref-[^"<>]{1,40}">↑<\/a>/g;

/**
 * A Word document as Markdown, pictures left out but for their descriptions.
 * Throws InvalidInput where it is broken, protected, or too large unpacked.
 */
export async function readDocx(bytes: Uint8Array): Promise<Page> {
  const { default: mammoth } = await import('mammoth');
  try {
    const zip = openZip(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const { value } = await mammoth.convertToHtml(partsOf(zip), {
      styleMap: STYLES,
      includeEmbeddedStyleMap: false,
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
    });
    return htmlToMarkdown(value.replace(WAY_BACK, '').replace(NO_CHARACTERS, ''));
  } catch (error) {
    const fault =
      error instanceof ZipFault ? `the file is ${error.message}` : 'the document is broken and cannot be read';
    throw Object.assign(InvalidInput.of([{ field: 'body', fault }]), { cause: error });
  }
}

type Zip = ReturnType<typeof openZip>;

/**
 * The parts of a file as mammoth asks for them. It takes them as `file`, which its types leave out; by itself it would
 * unpack with JSZip, which believes no directory and has no limit.
 */
function partsOf(zip: Zip): { buffer: Buffer } {
  const names = new Set(zip.names);
  let left = MAX_XML_BYTES;
  let tags = 0;
  const file = {
    exists: (name: string) => names.has(name),
    read: async (name: string, encoding?: string) => {
      const part = zip.read(name) ?? Buffer.alloc(0);
      left -= part.length;
      if (left < 0) throw new ZipFault(`too large: its text and styles are more than ${MAX_XML_BYTES} bytes unpacked`);
      for (let at = part.indexOf('<'); at !== -1; at = part.indexOf('<', at + 1)) tags++;
      if (tags > MAX_TAGS)
        throw new ZipFault(`too large: its text and styles have more than ${MAX_TAGS} XML tags; split it`);
      return encoding === undefined ? part : xmlText(part, name);
    },
  };
  return { file } as unknown as { buffer: Buffer };
}

/** A part's text: in the charset of its byte order mark, or that its declaration names (XML 1.0, 4.3.3), else UTF-8. */
function xmlText(part: Buffer, name: string): string {
  const declared = /^<\?xml[^>]{1,200}?\sencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/.exec(
    part.toString('latin1', 0, 300),
  )?.[1];
  const charset = charsetOfMark(part) ?? declared ?? 'utf-8';
  const text = decodeStrictly(part, charset);
  if (text === null) {
    throw new ZipFault(
      `broken: part ${name} is not written in ${charset}, as it should be; open it in Word and save it again`,
    );
  }
  return text;
}
