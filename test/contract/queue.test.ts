import { expect, test } from 'vitest';
import { put } from '../support/records.ts';
import { forEachDatabase } from './databases.ts';

forEachDatabase('the queue', (bench) => {
  test('a write is indexed by the next drain, and only once', async () => {
    await bench.write(put.project(1, { name: 'Payments' }));

    expect(await bench.drain()).toMatchObject({ embedded: 1, stoppedBy: 'empty' });
    expect(bench.embedder.encoded).toEqual(['[PROJECT #1] Payments (planning)\nDates: - -> -']);
    expect(await bench.drain()).toMatchObject({ embedded: 0, unchanged: 0 });
  });
});
