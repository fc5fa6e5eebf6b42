#!/usr/bin/env node
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const { join } = require('node:path');
const { installCli } = require('./install.cjs');

const cdktf = join(installCli(), 'node_modules', 'cdktf-cli', 'bundle', 'bin', 'cdktf');
const child = spawn(process.execPath, [cdktf, ...process.argv.slice(2)], { stdio: 'inherit' });
// A terminal sends these to both; cdktf decides what becomes of its work.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
