import { expect, test } from 'vitest';
import { reportGauges } from '../../functions/drain/gauges.ts';
import { put } from '../support/records.ts';
import { forEachDatabase } from './databases.ts';

forEachDatabase('the gauges of a drain', (bench) => {
  const gauges = async (sourceExpires = '') => {
    const found: Record<string, number> = {};
    const gauge = (name: string, value: number) => {
      found[name] = value;
    };
    await reportGauges(bench.database, { gauge }, { maxAttempts: 5, sourceExpires });
    return found;
  };
  const setRow = (project: number, change: string) =>
    bench.database.transaction('system', (tx) =>
      tx.execute(`UPDATE rag_dirty SET ${change} WHERE source_id = '${project}'`),
    );

  test('of an empty queue are noughts', async () => {
    expect(await gauges()).toEqual({ queue_waiting: 0, queue_parked: 0, queue_stalling: 0, queue_age_seconds: 0 });
  });

  test('tell what waits, what stalls, claimed or not, and what is parked', async () => {
    await bench.write(...[1, 2, 3, 4, 5].map((id) => put.project(id, { name: `Project ${id}` })));
    await setRow(1, `attempts = 2, enqueued_at = CURRENT_TIMESTAMP - INTERVAL '90' SECOND`);
    await setRow(2, 'attempts = 3');
    await setRow(3, `attempts = 5, claimed_until = CURRENT_TIMESTAMP + INTERVAL '60' SECOND`);
    await setRow(4, `attempts = 5, enqueued_at = CURRENT_TIMESTAMP - INTERVAL '900' SECOND`);

    const found = await gauges();

    expect(found).toMatchObject({ queue_waiting: 4, queue_parked: 1, queue_stalling: 2 });
    expect(found.queue_age_seconds).toBeGreaterThanOrEqual(89);
    expect(found.queue_age_seconds).toBeLessThan(120);
  });

  test("tell how long the model's source can be read, while it can be", async () => {
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

    expect((await gauges(inHours(5))).model_source_hours_left).toBeCloseTo(5, 1);
    expect(await gauges(inHours(-1))).not.toHaveProperty('model_source_hours_left');
  });
});
