import { expect, onTestFinished, test, vi } from 'vitest';
import { readSourceState } from '../../functions/ask/read.ts';
import { callerOf, letPass, readChunks, readQueueRows } from '../support/inspect.ts';
import { put } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const MAX_ATTEMPTS = 3;

/** What a drain that is killed leaves behind: claims, and no work. */
const claimAndDie = (bench: Bench, lost = false) =>
  bench.database.transaction('system', (tx) =>
    tx.dialect.claim(tx, { limit: 32, maxAttempts: MAX_ATTEMPTS, leaseSeconds: 60, lost }),
  );

forEachDatabase('a drain that stops before its work is done', (bench) => {
  test('when killed, keeps its rows until the lease ends; then they come back one by one', async () => {
    for (let id = 1; id <= 3; id++) await bench.write(put.project(id));
    await claimAndDie(bench);
    const duringLease = await bench.drain();
    const callsDuringLease = bench.embedder.calls.length;
    await letPass(bench.database, 'lease');
    const afterLease = await bench.drain();

    expect(duringLease).toMatchObject({ embedded: 0, stoppedBy: 'empty' });
    expect(callsDuringLease).toBe(0);
    expect(afterLease).toMatchObject({ embedded: 3 });
    expect(bench.embedder.calls).toEqual([1, 1, 1]);
    expect(await readQueueRows(bench.database)).toEqual([]);
  });

  test('when killed in every attempt by one source, buries that source and no other', async () => {
    await bench.write(put.project(1, { name: 'Killer' }));
    await claimAndDie(bench);
    for (let attempt = 2; attempt <= MAX_ATTEMPTS; attempt++) {
      await letPass(bench.database, 'lease');
      await claimAndDie(bench, true);
    }
    await letPass(bench.database, 'lease');
    await bench.write(put.project(2, { name: 'Other' }));
    const report = await bench.drain({ maxAttempts: MAX_ATTEMPTS });
    const later = await bench.drain({ maxAttempts: MAX_ATTEMPTS });

    expect(report).toMatchObject({ parked: 1, embedded: 1 });
    expect(later).toMatchObject({ parked: 0, failed: 0, embedded: 0 });
    expect(bench.embedder.encoded.filter((text) => text.includes('Killer'))).toEqual([]);
    expect(bench.metrics).toEqual(new Map([['sources_parked', 1]]));
    expect(await readQueueRows(bench.database)).toMatchObject([{ source: 'project/1', claimed: false }]);
    const access = { caller: callerOf(1, 'admin'), mayWrite: true, maxAttempts: MAX_ATTEMPTS };
    expect(await readSourceState(bench.database, access, 'project', '1')).toMatchObject({ state: 'failed' });
  });

  test('when its deadline is near, finishes what it has begun, gives back the rest, and says so', async () => {
    const count = 100;
    for (let id = 1; id <= count; id++) await bench.write(put.project(id));
    const deadline = new Date(Date.now() + 3_600_000);
    bench.embedder.before = () => {
      deadline.setTime(0);
    };
    const report = await bench.drain({ batchSize: count, deadline });
    const left = await readQueueRows(bench.database);
    const next = await bench.drain();

    expect(report.stoppedBy).toBe('deadline');
    expect(report.embedded).toBeGreaterThan(0);
    expect(left).toHaveLength(count - report.embedded);
    expect(left.length).toBeGreaterThan(0);
    for (const row of left) expect(row).toMatchObject({ claimed: false, attempts: 0, due: true });
    expect(next).toMatchObject({ embedded: left.length, stoppedBy: 'empty' });
    expect(await readChunks(bench.database)).toHaveLength(count);
  });

  test('when its deadline is near at the start, claims nothing', async () => {
    await bench.write(put.project(1));

    expect(await bench.drain({ deadline: new Date() })).toMatchObject({ embedded: 0, stoppedBy: 'deadline' });
    expect(await readQueueRows(bench.database)).toMatchObject([{ claimed: false, attempts: 0 }]);
  });

  test('when its work takes longer than its lease, prolongs the claims that it still has ahead', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const count = 100;
    for (let id = 1; id <= count; id++) await bench.write(put.project(id));
    const stolen: number[] = [];
    bench.embedder.before = async () => {
      if (bench.embedder.calls.length > 0) {
        stolen.push(...(await claimAndDie(bench, true)).map((row) => row.dirtyId));
      } else if (Date.now() < start + 45_000) {
        vi.setSystemTime(start + 45_000);
        await letPass(bench.database, 'lease');
      }
    };
    const start = Date.now();
    const report = await bench.drain({ batchSize: count, leaseSeconds: 60 });

    expect(stolen).toEqual([]);
    expect(report).toMatchObject({ embedded: count });
  });
});
