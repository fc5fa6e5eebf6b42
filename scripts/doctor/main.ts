// npm run doctor: whether this machine, the settings and the tenancy are fit to deploy; with --probe, what the database
// can do.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadDriver } from '../../functions/adapters/oracle/driver.ts';
import { deployment } from '../../infra/deployment.ts';
import { mergedEnvironment } from '../../infra/settings.ts';
import { printable } from '../rag/printing.ts';
import { CHECKS } from './checks/all.ts';
import { doctor } from './doctor.ts';
import { PROBES } from './probes/all.ts';
import { run } from './run.ts';

// Whoever reads has read enough, as `| head` has.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// The OCI SDK writes each refusal there, which the checks tell in their own words.
console.warn = () => {};
console.info = () => {};

process.exitCode = await doctor(process.argv.slice(2), {
  env: mergedEnvironment(deployment, process.env),
  home: homedir(),
  root: join(import.meta.dirname, '..', '..'),
  run,
  endpoints: {},
  checks: CHECKS,
  probes: PROBES,
  loadDriver,
  signals: process,
  out: (text) => void process.stdout.write(printable(text)),
  err: (text) => void process.stderr.write(printable(text)),
  exit: (code) => process.exit(code),
});

// A connection that was given up may still wait for an answer.
setTimeout(() => process.exit(), 5000).unref();
