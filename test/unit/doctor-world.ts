import { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { connection } from '../../scripts/doctor/checks/connection.ts';
import { nodeVersion } from '../../scripts/doctor/checks/node-version.ts';
import { settings } from '../../scripts/doctor/checks/settings.ts';
import { doctor, type World } from '../../scripts/doctor/doctor.ts';
import type { ProbeResult } from '../../scripts/doctor/finding.ts';
import { PROBES } from '../../scripts/doctor/probes/all.ts';
import { fitDatabase } from './doctor-fit-database.ts';
import { type Answer, StandIn } from './doctor-stand-in.ts';

export const PASSWORD = 'Tr0ub4dor-and-3';
export const WALLET_PASSWORD = 'correct-horse-battery';
export const HOST = 'adb.eu-frankfurt-1.example';
export const MODEL_URL = 'https://objectstorage.example/p/SECRETTOKEN/n/x/b/models/o/model.onnx';

export const ENV = {
  RAG_DATABASE: `oracle:(description=(address=(protocol=tcps)(port=1521)(host=${HOST})))`,
  RAG_DATABASE_USER: 'RAG_OWNER',
  RAG_DATABASE_PASSWORD: PASSWORD,
};

export interface Told {
  code: number;
  out: string;
  err: string;
  exits: number[];
  /** The report's text; '' where there is none. */
  report: string;
  results: Record<string, ProbeResult>;
  leftovers: { name: string; drop: string }[];
}

interface TellOptions
  extends Partial<Pick<World, 'env' | 'probes' | 'checks' | 'home' | 'root' | 'run' | 'endpoints'>> {
  signals?: EventEmitter;
}

/** Those that need no more than a database; nothing else is asked. */
const DATABASE_CHECKS = [nodeVersion, settings, connection];

/** Runs the doctor on a stand-in. */
export async function tell(database: StandIn, argv: string[], options: TellOptions = {}): Promise<Told> {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'report.json');
  const told = { out: '', err: '', exits: [] as number[] };
  const code = await doctor(argv.includes('--probe') ? [...argv, '--report', file] : argv, {
    env: options.env ?? ENV,
    home: options.home ?? folder,
    root: options.root ?? folder,
    run: options.run ?? (async () => null),
    endpoints: options.endpoints ?? {},
    checks: options.checks ?? DATABASE_CHECKS,
    probes: options.probes ?? PROBES,
    loadDriver: async () => database.driver,
    signals: options.signals ?? new EventEmitter(),
    out: (text) => {
      told.out += text;
    },
    err: (text) => {
      told.err += text;
    },
    exit: (exit) => {
      told.exits.push(exit);
    },
  });
  let report = '';
  try {
    report = readFileSync(file, 'utf8');
  } catch {
    // There is none.
  }
  const { probes = [], leftovers = [] } = report === '' ? {} : JSON.parse(report);
  return {
    ...told,
    code,
    report,
    leftovers,
    results: Object.fromEntries(probes.map((result: ProbeResult) => [result.id, result])),
  };
}

/** What the doctor says of one probe on a database that is fit but for one answer. */
export async function resultOf(id: string, answer: Answer, ...options: string[]) {
  const told = await tell(new StandIn(answer, fitDatabase()), ['--probe', '--only', id, ...options]);
  const result = told.results[id];
  if (result === undefined) throw new Error(`there is no result of ${id}`);
  return result;
}

/** Everything that anybody could read afterwards. */
export const everythingTold = ({ out, err, report }: Told): string => out + err + report;
