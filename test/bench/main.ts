// npm run bench: what the product costs, as ratios measured in one run, so that the machine matters little.
import { BenchDatabase } from './bench-database.ts';
import { measureColdStart } from './cold-start.ts';
import { measureDrain } from './drain-throughput.ts';
import { measureLocalInstance } from './local-instance.ts';
import { type Finding, formatReport } from './report.ts';
import { measureStatements } from './statements.ts';

const startedAt = performance.now();
const findings: Finding[] = [];

async function withDatabase(measure: (bench: BenchDatabase) => Promise<Finding[]>): Promise<void> {
  const bench = await BenchDatabase.open();
  try {
    findings.push(...(await measure(bench)));
  } finally {
    await bench.close();
  }
}

await withDatabase(measureColdStart);
await withDatabase(measureDrain);
await withDatabase(measureStatements);
findings.push(...(await measureLocalInstance()));

process.stdout.write(`${formatReport(findings)}\n\n${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`);
