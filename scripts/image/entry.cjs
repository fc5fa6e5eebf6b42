// Starts the function that FUNCTION_ENTRY names.
const FUNCTIONS = ['ask', 'ingest', 'drain', 'bootstrap'];

const name = process.env.FUNCTION_ENTRY ?? '';
if (FUNCTIONS.includes(name)) {
  require('./code-cache.cjs');
  require(`./${name}.cjs`);
} else {
  process.stderr.write(`FUNCTION_ENTRY must be ${FUNCTIONS.join(', ')}: it is ${JSON.stringify(name)}\n`);
  process.exitCode = 1;
}
