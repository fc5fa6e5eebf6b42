import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An embedding model of a few words: what it makes of a token is that token's row, whatever stands around it. */
export interface TinyModel {
  /** Each word with its vector, all of one length; `[PAD]` (which fills a batch up) and `[UNK]` among them. */
  words: Record<string, number[]>;
}

/** Writes the folder of a model as transformers.js reads it: its configuration, its tokenizer and its ONNX file. */
export async function writeModelFolder(folder: string, model: TinyModel): Promise<void> {
  await mkdir(join(folder, 'onnx'), { recursive: true });
  for (const [name, content] of Object.entries(modelFiles(model))) await writeFile(join(folder, name), content);
}

/** The files of a model's folder, by their paths in it. */
export function modelFiles({ words }: TinyModel): Record<string, string | Buffer> {
  const rows = Object.values(words);
  const vocabulary = Object.fromEntries(Object.keys(words).map((word, id) => [word, id]));
  const special = (content: string) => ({
    id: vocabulary[content],
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  });
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [special('[PAD]'), special('[UNK]')],
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', vocab: vocabulary, unk_token: '[UNK]' },
  };
  return {
    'config.json': JSON.stringify({
      model_type: 'bert',
      architectures: ['BertModel'],
      hidden_size: rows[0]?.length,
      max_position_embeddings: MAX_TOKENS,
    }),
    'tokenizer.json': JSON.stringify(tokenizer),
    'tokenizer_config.json': JSON.stringify({
      tokenizer_class: 'BertTokenizer',
      pad_token: '[PAD]',
      unk_token: '[UNK]',
      // Less than the model reads, as published ones have it.
      model_max_length: MAX_TOKENS / 2,
    }),
    'onnx/model.onnx': onnxLookup(rows),
  };
}

/** The tokens that a tiny model reads. */
export const MAX_TOKENS = 16;

// What follows is Protocol Buffers, by the field numbers of onnx.proto.

const VARINT = 0;
const BYTES = 2;
const FLOAT = 1;
const INT64 = 7;

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
const number = (field: number, value: number) => Buffer.from([...varint(field * 8 + VARINT), ...varint(value)]);
const bytes = (field: number, value: Buffer | string) => {
  const content = Buffer.from(value);
  return Buffer.concat([Buffer.from([...varint(field * 8 + BYTES), ...varint(content.length)]), content]);
};
const message = (field: number, ...parts: Buffer[]) => bytes(field, Buffer.concat(parts));

/** A graph with one node: Gather looks each token's row up. */
function onnxLookup(rows: number[][]): Buffer {
  const dimension = rows[0]?.length ?? 0;
  const table = Buffer.from(Float32Array.from(rows.flat()).buffer);
  const graph = [
    message(1, bytes(1, 'table'), bytes(1, 'input_ids'), bytes(2, 'last_hidden_state'), bytes(4, 'Gather')),
    bytes(2, 'lookup'),
    message(5, number(1, rows.length), number(1, dimension), number(2, FLOAT), bytes(8, 'table'), bytes(9, table)),
    ...['input_ids', 'attention_mask'].map((name) => value(11, name, INT64, ['batch', 'tokens'])),
    value(12, 'last_hidden_state', FLOAT, ['batch', 'tokens', dimension]),
  ];
  const opset = message(8, bytes(1, ''), number(2, 13));
  return Buffer.concat([number(1, 8), opset, message(7, ...graph)]);
}

/** An input or an output: its name, its type, its axes by name or length. */
function value(field: number, name: string, type: number, axes: (string | number)[]): Buffer {
  const shape = axes.map((axis) => message(1, typeof axis === 'number' ? number(1, axis) : bytes(2, axis)));
  return message(field, bytes(1, name), message(2, message(1, number(1, type), message(2, ...shape))));
}
