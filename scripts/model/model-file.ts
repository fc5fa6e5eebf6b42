export const MODEL_FILE = 'all_MiniLM_L12_v2.onnx';
/** Of the file that Oracle publishes, with the tokenizer in it; the one of the same name elsewhere takes no text. */
export const MODEL_BYTES = 133_322_334;
