import type { Driver } from '../../functions/adapters/oracle/driver.ts';
import { UserError } from '../user-error.ts';
import { type Args, readArgs } from './args.ts';
import type { Check, CheckContext } from './checks/check.ts';
import { requireWallet } from './checks/settings.ts';
import { firstLogin, login } from './connect.ts';
import { onInterrupt } from './interrupt.ts';
import type { Probe } from './probe.ts';
import { type Redact, redactor } from './redact.ts';
import { readVersion, writeReport } from './report.ts';
import { runChecks } from './run-checks.ts';
import { runProbes } from './run-probes.ts';
import { Ledger } from './scratch.ts';
import { type DoctorSettings, readSettings, secretsIn } from './settings.ts';
import { toLeftovers, toTable } from './table.ts';
import { usage } from './usage.ts';

/** The world around the doctor: a test brings its own. */
export interface World extends Omit<CheckContext, 'connect'> {
  checks: Check[];
  probes: Probe[];
  loadDriver(): Promise<Driver>;
  signals: Parameters<typeof onInterrupt>[0];
  /** Results, and what is said on the way to them. */
  out(text: string): void;
  err(text: string): void;
  /** Ends the process at once. */
  exit(code: number): void;
}

const INTERRUPTED = 130;

/** Resolves to the exit code. */
export async function doctor(argv: string[], world: World): Promise<number> {
  let redact = redactor(secretsIn(world.env));
  try {
    const args = readArgs(
      argv,
      world.probes.map(({ id }) => id),
    );
    if (args.options.modelSource !== null) redact = redactor([...secretsIn(world.env), args.options.modelSource]);
    if (args.help) {
      world.out(`${usage(world.probes)}\n`);
      return 0;
    }
    return args.probe ? await probe(args, world, redact) : await check(world, redact);
  } catch (error) {
    // Also what nobody foresaw goes through here: its text may hold anything.
    world.err(`${redact(error instanceof UserError ? error.message : String((error as Error).stack))}\n`);
    return 1;
  }
}

async function check(world: World, redact: Redact): Promise<number> {
  const connect = async (settings: DoctorSettings) => firstLogin(await world.loadDriver(), settings);
  const isFit = await runChecks(world.checks, { ...world, connect }, (line) => world.out(`${redact(line)}\n`));
  return isFit ? 0 : 1;
}

async function probe({ only, options, report }: Args, world: World, redact: Redact): Promise<number> {
  const settings = readSettings(world.env);
  if (settings.address.wallet !== '') await requireWallet(settings.address.wallet);
  const driver = await world.loadDriver();
  const startedAt = new Date();
  const connection = await firstLogin(driver, settings);
  const database = await readVersion(driver, connection);
  await connection.close().catch(() => {});

  const ledger = new Ledger();
  const sayLeftovers = () => {
    for (const line of toLeftovers(ledger.objects)) world.err(`${line}\n`);
  };
  const { signal, stop } = onInterrupt(world.signals, {
    first: () => world.err('\ninterrupted: dropping the scratch objects (Ctrl-C again to leave them)\n'),
    second: () => {
      sayLeftovers();
      world.exit(INTERRUPTED);
    },
  });
  world.err(`Oracle Database ${database.versionFull ?? database.serverVersion}\n`);
  const results = await runProbes(
    world.probes.filter(({ id }) => only?.includes(id) ?? true),
    {
      driver,
      connect: () => login(driver, settings),
      settings,
      options,
      ledger,
      redact,
      signal,
      begin: ({ id, question }) => world.err(`${id.padEnd(4)} ${question} … `),
      end: ({ status, seconds }) => world.err(`${status}, ${seconds} s\n`),
    },
  );
  stop();
  world.out(`${['', ...toTable(results)].join('\n')}\n`);
  sayLeftovers();
  await writeReport(report, {
    database,
    model: settings.model,
    startedAt,
    interrupted: signal.aborted,
    probes: results,
    leftovers: ledger.objects,
  });
  world.err(`The report is in ${report}\n`);
  return signal.aborted ? INTERRUPTED : 0;
}
