import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { UserError } from '../../user-error.ts';
import type { Item } from './items.ts';
import { bindToHeader, type Mapping, type Row, toRecord } from './mapping.ts';

interface ParsedRow {
  record: Row;
  /** `lines`: the line on which the row ends. */
  info: { lines: number };
}

/** The rows of a CSV file as records, streamed. What is wrong with the file as a whole is a {@link UserError}. */
export async function* readCsv(path: string, mapping: Mapping): AsyncGenerator<Item> {
  let bound: Mapping | undefined;
  const rows = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    columns: (header: string[]) => {
      const names = header.map((name) => name.trim());
      refuseTwins(names);
      bound = bindToHeader(mapping, names);
      return names;
    },
  });
  // The last argument is needed, and its error is thrown by the loop below too.
  pipeline(createReadStream(path), utf8Only, rows, () => {});
  try {
    for await (const { record, info } of rows as AsyncIterable<ParsedRow>) {
      if (bound === undefined) throw new Error('a row came before the header');
      yield toItem(bound, record, info.lines);
    }
  } catch (error) {
    throw error instanceof CsvError ? new UserError(`The file is no regular CSV: ${error.message}`) : error;
  }
  if (bound === undefined) throw new UserError('The file is empty; a CSV file begins with a header row');
}

function toItem(mapping: Mapping, row: Row, lastLine: number): Item {
  const inner = Object.values(row).reduce((n, cell) => n + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
  const record = toRecord(mapping, row);
  const text = mapping.columns?.id === undefined ? '' : (row[mapping.columns.id] ?? '').trim();
  return {
    line: lastLine - inner,
    bytes: Buffer.from(JSON.stringify(record)),
    ...(typeof record.id === 'number' ? { key: { text, id: record.id } } : {}),
  };
}

/** Two columns of one name would leave it open which one a field is read from. */
function refuseTwins(names: string[]): void {
  const twin = names.find((name, i) => name !== '' && names.indexOf(name) !== i);
  if (twin !== undefined) throw new UserError(`The file has two columns named "${twin}"`);
}

/** Passes UTF-8 on as text and refuses everything else, which a parser would spoil without a word. */
async function* utf8Only(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new UserError('The file is not UTF-8; save it as "CSV UTF-8"');
    }
  };
  for await (const chunk of chunks) yield decode(chunk);
  yield decode();
}
