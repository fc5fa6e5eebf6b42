// npm run doctor: whether this machine, the settings and the database are fit; with --probe, what the database can do.
import { loadDriver } from '../../functions/adapters/oracle/driver.ts';
import { printable } from '../rag/printing.ts';
import { doctor } from './doctor.ts';
import { PROBES } from './probes/all.ts';

// Whoever reads has read enough, as `| head` has.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await doctor(process.argv.slice(2), {
  env: process.env,
  probes: PROBES,
  loadDriver,
  signals: process,
  out: (text) => void process.stdout.write(printable(text)),
  err: (text) => void process.stderr.write(printable(text)),
  exit: (code) => process.exit(code),
});

// A connection that was given up may still wait for an answer.
setTimeout(() => process.exit(), 5000).unref();
