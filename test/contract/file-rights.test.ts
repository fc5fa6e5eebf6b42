import { describe, expect, test } from 'vitest';
import type { FileReaders } from '../../functions/core/kinds/file.ts';
import type { SourceRef } from '../../functions/core/kinds/kind.ts';
import type { Caller } from '../../functions/core/scope.ts';
import { putDiagnostic, putResolution, removeDiagnostic } from '../../functions/store/diagnostics.ts';
import { putDocument, removeDocument } from '../../functions/store/documents.ts';
import { KINDS } from '../../functions/store/kinds.ts';
import { readPassages } from '../../functions/store/passages.ts';
import { HASHING } from '../support/hashing-embedder.ts';
import { callerOf } from '../support/inspect.ts';
import { findSources } from '../support/questions.ts';
import { put, remove } from '../support/records.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const ANA = callerOf(1);
const BEN = callerOf(2);
const MIA = callerOf(3, 'manager');
const EVERYBODY = [ANA, BEN, MIA];

const ORGANIZATION: FileReaders = { audience: 'organization', readers: [] };
const MANAGERS: FileReaders = { audience: 'managers', readers: [] };
const people = (...readers: number[]): FileReaders => ({ audience: 'people', readers });

const FILE = { bytes: 1, digest: 'ab'.repeat(32), projectId: null, labels: [], contentType: 'text/plain' };

const writeDocument = ({ database }: Bench, text: string, readers: FileReaders) =>
  database.transaction('system', (tx) =>
    putDocument(tx, {
      ...FILE,
      path: 'plan.txt',
      title: 'Plan',
      charset: 'utf-8',
      textFormat: 'plain',
      content: text,
      emptyReason: null,
      readers,
      origin: 'api',
      objectEtag: null,
    }),
  );

const writeDiagnostic = ({ database }: Bench, text: string, readers: FileReaders, erpVersion = '12.2.9') =>
  database.transaction('system', (tx) =>
    putDiagnostic(
      tx,
      {
        ...FILE,
        id: 'd1',
        format: 'plain',
        charset: 'utf-8',
        content: text,
        environmentId: 'PROD',
        erpModule: 'GL',
        erpVersion,
        sourceScript: 'script',
        errorCodes: [],
        resolutionType: null,
        readers,
      },
      null,
    ),
  );

/** The texts of a source that a person is shown, by a search and by reading it. */
async function shownTo(bench: Bench, caller: Caller, ref: SourceRef, word: string): Promise<boolean> {
  const [found, passages] = await Promise.all([
    findSources(bench, { caller, topK: 50 }, word),
    readPassages(bench.database, caller, HASHING.model, ref, { after: 0, last: 99 }),
  ]);
  const isFound = found.includes(`${ref.type}/${ref.id}`);
  expect(passages.length > 0).toBe(isFound);
  return isFound && passages.some(({ content }) => content.includes(word));
}

forEachDatabase('files', (bench) => {
  const kinds = [
    { ref: { type: 'document', id: 'plan.txt' }, write: writeDocument },
    { ref: { type: 'diagnostic', id: 'd1' }, write: writeDiagnostic },
  ] as const;

  describe.each(kinds)('of a $ref.type', ({ ref, write }) => {
    const readersOf = async (word: string) => {
      const shown = await Promise.all(EVERYBODY.map((caller) => shownTo(bench, caller, ref, word)));
      return EVERYBODY.filter((_, i) => shown[i]).map(({ employeeId }) => employeeId);
    };
    const start = async (text: string, readers: FileReaders) => {
      for (const { employeeId, role } of EVERYBODY) await bench.write(put.employee(employeeId, { role }));
      await write(bench, text, readers);
      await bench.drain();
    };

    test.each([
      [ORGANIZATION, [1, 2, 3]],
      [MANAGERS, [3]],
      [people(1), [1, 3]],
      [people(1, 2), [1, 2, 3]],
    ] as const)('%o is seen by %o', async (readers, expected) => {
      await start('zebra', readers);
      expect(await readersOf('zebra')).toEqual(expected);
    });

    test.each([
      [people(1), people(2)],
      [people(1), ORGANIZATION],
      [people(1), people(1, 2)],
      [MANAGERS, people(2)],
      [MANAGERS, ORGANIZATION],
    ])('who becomes a reader (%o, then %o) sees the text of then, and never the one before', async (before, after) => {
      await start('zebra', before);
      await write(bench, 'giraffe', after);

      expect(await readersOf('zebra')).not.toContain(2);
      // The row policy alone, whatever a statement says.
      expect(await bench.database.rows(BEN, 'SELECT COUNT(*) AS n FROM rag_chunk')).toEqual([
        { n: before.audience === 'people' && before.readers.includes(2) ? 1 : 0 },
      ]);
      await bench.drain();
      expect(await readersOf('zebra')).toEqual([]);
      expect(await readersOf('giraffe')).toContain(2);
    });

    // The rest is the same statement for every kind of file.
    if (ref.type !== 'document') return;

    test.each([
      [ORGANIZATION, MANAGERS],
      [ORGANIZATION, people(1)],
      [people(1, 2), people(1)],
      [people(2), MANAGERS],
    ])('a right that is taken away (%o, then %o) is gone before the queue has reached it', async (before, after) => {
      await start('zebra', before);
      expect(await readersOf('zebra')).toContain(2);
      await write(bench, 'zebra', after);

      expect(await readersOf('zebra')).not.toContain(2);
      await bench.drain();
      expect(await readersOf('zebra')).not.toContain(2);
    });

    test('a reader who stays sees the old text until the new one is there', async () => {
      await start('zebra', people(1, 2));
      await write(bench, 'giraffe', people(2));

      expect(await readersOf('zebra')).toEqual([2, 3]);
      await bench.drain();
      expect(await readersOf('giraffe')).toEqual([2, 3]);
    });

    test('nobody gets the rights of an employee who was removed by having the same id', async () => {
      await start('zebra', people(2));
      await bench.write(remove('employee', 2), put.employee(2));

      expect(await readersOf('zebra')).toEqual([3]);
      await write(bench, 'giraffe', people(2));
      expect(await readersOf('zebra')).toEqual([3]);
      await bench.drain();
      expect(await readersOf('giraffe')).toEqual([2, 3]);
    });
  });

  test('a file that is removed and written again for others does not show them what it was', async () => {
    for (const { employeeId, role } of EVERYBODY) await bench.write(put.employee(employeeId, { role }));
    await writeDocument(bench, 'zebra', people(1));
    await bench.drain();
    await bench.database.transaction('system', (tx) => removeDocument(tx, 'plan.txt'));
    expect(await shownTo(bench, ANA, { type: 'document', id: 'plan.txt' }, 'zebra')).toBe(false);
    await writeDocument(bench, 'giraffe', people(2));

    expect(await shownTo(bench, BEN, { type: 'document', id: 'plan.txt' }, 'zebra')).toBe(false);
    await bench.drain();
    expect(await shownTo(bench, BEN, { type: 'document', id: 'plan.txt' }, 'giraffe')).toBe(true);
    expect(await shownTo(bench, ANA, { type: 'document', id: 'plan.txt' }, 'giraffe')).toBe(false);
  });

  test('a resolution is seen by who sees its diagnostic, and goes with it', async () => {
    for (const { employeeId, role } of EVERYBODY) await bench.write(put.employee(employeeId, { role }));
    const seers = async () => {
      const found = await Promise.all(EVERYBODY.map((caller) => findSources(bench, { caller, topK: 50 }, 'okapi')));
      return EVERYBODY.filter((_, i) => found[i]?.includes('resolution/d1')).map(({ employeeId }) => employeeId);
    };
    await writeDiagnostic(bench, 'zebra', people(1));
    await bench.database.transaction('system', (tx) =>
      putResolution(tx, 'd1', { resolution: 'okapi', resolutionType: null }),
    );
    await bench.drain();
    expect(await seers()).toEqual([1, 3]);

    await writeDiagnostic(bench, 'zebra', MANAGERS);
    expect(await seers()).toEqual([3]);

    await bench.database.transaction('system', (tx) => removeDiagnostic(tx, 'd1'));
    await bench.drain();
    expect(await seers()).toEqual([]);
  });

  test('a fix was validated for the version that its diagnostic had when it was recorded, whatever came later', async () => {
    const validated = async () => {
      const [loaded] = await bench.database.transaction('system', (tx) => KINDS.resolution.loadContent(tx, ['d1']));
      if (loaded === undefined) throw new Error('the resolution is not there');
      const { metadata, facts, text } = loaded.content();
      expect(facts).toContainEqual({ name: 'erpVersion', value: metadata.erpVersion });
      expect(text).toContain(`Validated for: version ${metadata.erpVersion},`);
      return metadata.erpVersion;
    };
    const record = () =>
      bench.database.transaction('system', (tx) =>
        putResolution(tx, 'd1', { resolution: 'okapi', resolutionType: null }),
      );
    await writeDiagnostic(bench, 'zebra', ORGANIZATION, '12.2.9');
    await record();
    await writeDiagnostic(bench, 'zebra', ORGANIZATION, '12.1.3');
    expect(await validated()).toBe('12.2.9');

    await record();
    expect(await validated()).toBe('12.1.3');
  });
});
