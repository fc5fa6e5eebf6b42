// Gives V8 the compiled code that warm.cjs has kept beside each file. One that is missing or was made by another Node is no
// fault: the file is compiled then.
const { readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname } = require('node:path');
const vm = require('node:vm');

const scripts = new Map();
const cacheOf = (file) => `${file}.cache`;

function read(file) {
  try {
    return readFileSync(cacheOf(file));
  } catch {
    return undefined;
  }
}

Module.prototype._compile = function (content, filename) {
  const script = new vm.Script(Module.wrap(content), { filename, cachedData: read(filename) });
  scripts.set(filename, script);
  const require = Module.createRequire(filename);
  return script.runInThisContext().call(this.exports, this.exports, require, this, filename, dirname(filename));
};

/** Keeps the code that was compiled so far, also of the functions that ran. */
exports.keep = () => {
  for (const [file, script] of scripts) writeFileSync(cacheOf(file), script.createCachedData());
};
