import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Puts a package into the node_modules of a folder that has the name and the outline of @huggingface/transformers: its
 * vectors have 384 numbers and tell words apart, and an ONNX file that begins with "broken" cannot be loaded.
 */
export function writeStubTransformers(folder: string): void {
  const place = join(folder, 'node_modules', '@huggingface', 'transformers');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"name":"@huggingface/transformers","main":"index.cjs"}');
  writeFileSync(join(place, 'index.cjs'), `(${stub})(exports, require)`);
}

const stub = `(exports, require) => {
  const { readFileSync } = require('node:fs');
  const { createHash } = require('node:crypto');
  const vectorOf = (text) => {
    const vector = new Float32Array(384);
    for (const word of text.toLowerCase().match(/\\w+/g) ?? []) {
      vector[createHash('sha256').update(word).digest().readUInt16BE() % 384] += 1;
    }
    const length = Math.hypot(...vector) || 1;
    return vector.map((x) => x / length);
  };
  exports.env = {};
  exports.pipeline = async (task, folder) => {
    if (readFileSync(folder + '/onnx/model.onnx', 'utf8').startsWith('broken')) throw new Error('Protobuf parsing failed');
    const extract = async (texts) => {
      const data = new Float32Array(384 * texts.length);
      for (const [i, text] of texts.entries()) data.set(vectorOf(text), i * 384);
      return { dims: [texts.length, 384], data };
    };
    return Object.assign(extract, { tokenizer: {} });
  };
}`;
