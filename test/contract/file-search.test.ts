import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { retrieve } from '../../functions/ask/retrieve.ts';
import { search } from '../../functions/ask/search.ts';
import type { Sort } from '../../functions/core/facts.ts';
import type { Hit } from '../../functions/core/fusion.ts';
import type { Filters } from '../../functions/store/scope.ts';
import { CountingDatabase } from '../bench/counting-database.ts';
import { callerOf } from '../support/inspect.ts';
import { type Asking, askAs, askContext, FixedAnswerer } from '../support/questions.ts';
import {
  chunkWith,
  isPermitted,
  passes,
  type RandomChunk,
  randomChunk,
  storeChunks,
  withoutPolicies,
} from '../support/random-chunks.ts';
import { type StoredSource, storeSources } from '../support/stored-sources.ts';
import { type Bench, forEachDatabase } from './databases.ts';

const ANA = callerOf(1);
const BEN = callerOf(2);
const MANAGER = callerOf(3, 'manager');

async function find(bench: Bench, question: string, asking: Partial<Asking> = {}, database = bench.database) {
  const context = askContext({ database, embedder: bench.embedder }, { caller: MANAGER, ...asking });
  return (await retrieve(context, question, context.retrieval)).hits;
}

const namesOf = (hits: Hit[]) => hits.map((hit) => `${hit.sourceType}/${hit.sourceId}/${hit.section}`);

/** A report whose statements take 1, 9, 5, 7 and 3 seconds, with an explanation of two passages for each. */
const REPORT: StoredSource = {
  type: 'diagnostic',
  id: 'night-run.1',
  title: 'TKPROF report night-run.1 · GL 12.2.9 · PROD',
  passages: [1, 9, 5, 7, 3].flatMap((elapsed, i) => {
    const anchor = `[DIAGNOSTIC night-run.1] SQL sqlid${i} · elapsed ${elapsed}.00 s\n`;
    const metadata = { kind: 'statement', elapsed, erpVersion: '12.2.9' };
    const common = { section: i + 1, heading: `SQL ID sqlid${i}`, metadata };
    return [
      { ...common, content: `${anchor}SELECT amount FROM ledger${i}\n`, repeated: anchor.length },
      { ...common, content: `${anchor}call count cpu elapsed\n`, repeated: anchor.length },
    ];
  }),
  facts: [1, 9, 5, 7, 3].flatMap((elapsed, i) => [
    { section: i + 1, name: 'elapsed' as const, amount: elapsed },
    { section: i + 1, name: 'cpu' as const, amount: 10 - elapsed },
  ]),
};

forEachDatabase('a search of files', (bench) => {
  describe('that is filtered', () => {
    test('finds the two passages of one version and module among two thousand near ones of another, and no other', async () => {
      const words = ['ORA-01652', 'unable', 'to', 'extend', 'temp', 'segment', 'in', 'tablespace', 'TEMP'];
      const of = (erpVersion: string, erpModule: string, section: number): Partial<RandomChunk> => ({
        type: 'document',
        section: 1,
        facts: [
          { section: 0, name: 'erpVersion', value: erpVersion },
          { section, name: 'erpModule', value: erpModule },
          { section: 1, name: 'errorCode', value: 'ORA-01652' },
        ],
        words,
      });
      const others = Array.from({ length: 2000 }, (_, i) => {
        const [version, module] = i % 3 === 0 ? ['12.1.3', 'GL'] : i % 3 === 1 ? ['12.2.9', 'AP'] : ['12.2.9', 'GL'];
        return chunkWith(of(version ?? '', module ?? '', i % 2));
      });
      // Another section of theirs has what is asked for.
      const near = others.map((chunk) => ({
        ...chunk,
        facts: [...chunk.facts, { section: 2, name: 'erpModule' as const, value: 'AP' }],
      }));
      const wanted = [0, 1].map((section) => chunkWith({ ...of('12.1.3', 'AP', section), words: [...words, 'again'] }));
      await storeChunks(bench.database, [...near, ...wanted]);
      const filters: Filters = {
        facts: [
          { name: 'erpVersion', values: ['12.1.3'] },
          { name: 'erpModule', values: ['AP'] },
          { name: 'errorCode', values: ['ORA-01652'] },
        ],
      };

      for (const caller of [ANA, MANAGER]) {
        for (const vectorWeight of [0, 0.6, 1]) {
          const hits = await find(bench, 'What causes ORA-1652?', { caller, vectorWeight, filters });
          expect(hits.map((hit) => hit.sourceId).sort()).toEqual(['2000', '2001']);
        }
      }
      const far = { facts: [{ name: 'erpVersion' as const, values: ['11.5.10'] }] };
      expect(await find(bench, 'What causes ORA-1652?', { filters: far })).toEqual([]);
    });
  });

  describe('in the order of a figure', () => {
    test('finds what has the figure, permitted and filtered, in that order and nothing else', async () => {
      const world = fc.record({
        chunks: fc.array(randomChunk, { minLength: 1, maxLength: 40, size: 'max' }),
        sort: fc.record<Sort>({ metric: fc.constantFrom('elapsed', 'cpu', 'rows'), descending: fc.boolean() }),
        filters: fc.constantFrom<Filters>(
          {},
          { projectIds: [1] },
          { facts: [{ name: 'erpVersion', values: ['12.1.3', 'GL'] }] },
        ),
        topK: fc.constantFrom(1, 4, 50),
      });
      await fc.assert(
        fc.asyncProperty(world, async ({ chunks, sort, filters, topK }) => {
          await storeChunks(bench.database, chunks);
          const amountOf = (chunk: RandomChunk) =>
            chunk.facts.find((fact) => fact.name === sort.metric && fact.section === (chunk.section ?? 0));
          for (const caller of [ANA, BEN, MANAGER]) {
            const amounts = chunks
              .filter((chunk) => isPermitted(caller, chunk) && passes(filters, chunk))
              .flatMap((chunk) => amountOf(chunk) ?? [])
              .flatMap((fact) => ('amount' in fact ? [fact.amount] : []))
              .sort((a, b) => (sort.descending ? b - a : a - b));
            for (const database of [bench.database, withoutPolicies(bench.database)]) {
              const hits = await find(bench, 'payment', { caller, sort, filters, topK, maxPerSource: 1 }, database);
              expect(hits.map((hit) => hit.amount)).toEqual(amounts.slice(0, topK));
              expect(hits.every((hit) => hit.naming === 'metric')).toBe(true);
              for (const hit of hits) {
                const chunk = chunks[Number(hit.sourceId)] as RandomChunk;
                expect([isPermitted(caller, chunk), passes(filters, chunk)]).toEqual([true, true]);
              }
            }
          }
        }),
        { numRuns: 8, endOnFailure: true },
      );
    });

    test.each([
      { sort: { metric: 'elapsed', descending: true }, expected: [9, 7, 5, 3, 1] },
      { sort: { metric: 'elapsed', descending: false }, expected: [1, 3, 5, 7, 9] },
      { sort: { metric: 'cpu', descending: true }, expected: [1, 3, 5, 7, 9] },
    ] as const)('tells each section of a report once, from its first passage on: $sort', async ({ sort, expected }) => {
      await storeSources(bench.database, [REPORT]);

      const hits = await find(bench, 'call count cpu', { sort, maxPerSource: 1 });

      expect(hits.map((hit) => hit.metadata?.elapsed)).toEqual(expected);
      expect(hits.every((hit) => hit.before.length === 0 && hit.content.includes('SELECT'))).toBe(true);
    });

    test('that the question itself asks for, tells the first three of it first, and the others as ever', async () => {
      await storeSources(bench.database, [
        REPORT,
        { type: 'project', id: '1', passages: [{ content: 'slowest SQL' }] },
      ]);

      const hits = await find(bench, 'slowest SQL');

      expect(namesOf(hits.slice(0, 4))).toEqual([
        'diagnostic/night-run.1/2',
        'diagnostic/night-run.1/4',
        'diagnostic/night-run.1/3',
        'project/1/null',
      ]);
      expect(hits).toHaveLength(6);
      expect(namesOf(await find(bench, 'slowest ship'))[0]).toBe('project/1/null');
    });

    test.each([
      ['slowest SQL', 'SQL sqlid1 · elapsed 9.00 s [1]'],
      ['¿Cuál es la consulta más lenta?', 'SQL sqlid1 · elapsed 9.00 s [1]'],
      ['top 2 statements by CPU', 'SQL sqlid0 · elapsed 1.00 s [1]\nSQL sqlid4 · elapsed 3.00 s [2]'],
    ])('is answered by the record: %s', async (question, expected) => {
      await storeSources(bench.database, [REPORT]);

      const answer = await askAs(bench, { caller: MANAGER, cutoff: 0 }, question);

      expect(answer).toMatchObject({ outcome: 'answered', answer: expected, removedCitations: [] });
      expect(answer.support?.every(({ verdict }) => verdict === 'supported')).toBe(true);
      expect(answer.citations[0]).toMatchObject({
        sourceType: 'diagnostic',
        sourceId: 'night-run.1',
        heading: expect.stringMatching(/^SQL ID sqlid\d$/),
        metadata: { kind: 'statement', erpVersion: '12.2.9' },
      });
    });
  });

  describe('within the rights of its readers', () => {
    const named: StoredSource = {
      type: 'document',
      id: 'hr/leave 2024.md',
      audience: 'people',
      readers: [1],
      passages: [{ content: 'Parental leave is sixteen weeks.' }],
    };

    test('is for those listed, and over at once for who is taken from the list', async () => {
      await storeSources(bench.database, [named]);
      const foundBy = async (caller: typeof ANA) => (await find(bench, 'parental leave', { caller })).length;
      const before = [await foundBy(ANA), await foundBy(BEN), await foundBy(MANAGER)];

      await bench.database.execute('system', 'DELETE FROM source_reader WHERE employee_id = 1');

      expect(before).toEqual([1, 0, 1]);
      expect([await foundBy(ANA), await foundBy(BEN), await foundBy(MANAGER)]).toEqual([0, 0, 1]);
    });

    test('shows neither text nor title of a file to who has named it', async () => {
      await storeSources(bench.database, [named]);
      const model = new FixedAnswerer('It is so [DOCUMENT hr/leave 2024.md].');

      const asReader = await askAs(bench, { caller: ANA }, 'parental leave', model);
      const asAnother = await askAs(bench, { caller: BEN }, 'What does hr/leave 2024.md say of parental leave?', model);

      expect(asReader).toMatchObject({ citations: [{ n: 1, sourceId: 'hr/leave 2024.md' }], removedCitations: [] });
      expect(asAnother).toMatchObject({ outcome: 'off_topic', citations: [] });
    });
  });

  test('shows three passages before and behind, without what they repeat', async () => {
    const lines = Array.from({ length: 10 }, (_, i) => `The rule number${i} is kept.\n`);
    const passages = lines.map((line, i) => {
      // From the second on: the anchor, and the line before.
      const repeated = `[DOCUMENT a.md] Rules\n${i === 0 ? '' : lines[i - 1]}`;
      return { section: i < 8 ? 1 : 2, content: repeated + line, repeated: repeated.length };
    });
    await storeSources(bench.database, [{ type: 'document', id: 'a.md', passages }]);
    const model = new FixedAnswerer(null);

    for (const number of ['number5', 'number0']) await askAs(bench, { caller: ANA, topK: 1 }, number, model);

    expect(model.requests.map(({ sources }) => sources[0]?.text)).toEqual([
      `[DOCUMENT a.md] Rules\n${lines.slice(1, 8).join('')}`,
      `[DOCUMENT a.md] Rules\n${lines.slice(0, 4).join('')}`,
    ]);
  });

  describe('for a fix', () => {
    const metadata = (erpVersion: string, environmentId = 'PROD') => ({
      erpVersion,
      environmentId,
      erpModule: 'GL',
      errorCodes: ['ORA-01652'],
    });
    const fix = (id: string, erpVersion: string, text: string): StoredSource => ({
      type: 'resolution',
      id,
      title: `Resolution of ORA-01652 · GL ${erpVersion} · PROD`,
      passages: [
        {
          metadata: metadata(erpVersion),
          content: `[RESOLUTION of DIAGNOSTIC ${id}] ORA-01652 | GL ${erpVersion} | PROD\nValidated for: version ${erpVersion}, module GL, environment PROD\nType: -\nResolution: ${text}\nEvidence: [DIAGNOSTIC ${id}] Alert log`,
        },
      ],
    });
    const evidence = (id: string, erpVersion: string, environmentId = 'PROD'): StoredSource => ({
      type: 'diagnostic',
      id,
      passages: [
        {
          section: 1,
          metadata: metadata(erpVersion, environmentId),
          content: `[DIAGNOSTIC ${id}] Alert log\nORA-01652: unable to extend temp segment, ORA-01652 again`,
        },
      ],
    });
    const QUESTION = 'How is ORA-01652, unable to extend temp segment, fixed?';

    test('puts that of the same environment and version before the evidence, and says what it was validated for', async () => {
      await storeSources(bench.database, [evidence('d1', '12.2.9'), fix('d1', '12.2.9', 'Add a file to TEMP.')]);

      const [first, second] = await find(bench, QUESTION, { vectorWeight: 1 });
      const answer = await askAs(bench, { caller: ANA, vectorWeight: 1 }, QUESTION);
      const asked = await askAs(bench, { caller: ANA }, `${QUESTION.slice(0, -1)} in version 12.1.3?`);
      const inSpanish = await askAs(bench, { caller: ANA }, '¿Cómo se arregla el ORA-01652?');

      expect([first?.sourceType, second?.sourceType]).toEqual(['resolution', 'diagnostic']);
      expect(answer.answer).toBe(
        'Resolution: Add a file to TEMP. [1]\nThe fix in [1] was validated for version 12.2.9 (GL, PROD).',
      );
      expect(answer.citations[0]?.validatedFor).toEqual({
        erpVersion: '12.2.9',
        erpModule: 'GL',
        environmentId: 'PROD',
      });
      expect(asked.answer).toMatch(/was validated for version 12\.2\.9 \(GL, PROD\), not for 12\.1\.3\.$/);
      expect(inSpanish.answer).toMatch(/La solución de \[1\] se validó para la versión 12\.2\.9 \(GL, PROD\)\.$/);
    });

    test('finds it among any number of the same error, whether or not the question names its code', async () => {
      const many = Array.from({ length: 300 }, (_, i) => evidence(`d${i}`, '12.2.9'));
      await storeSources(bench.database, [...many, fix('d299', '12.2.9', 'Add a file to TEMP.')]);

      for (const question of ['ORA-01652: unable to extend temp segment', 'unable to extend temp segment, again']) {
        for (const vectorWeight of [0, 1]) {
          const [first] = await find(bench, question, { vectorWeight, topK: 6 });
          expect(first?.sourceType).toBe('resolution');
        }
      }
    });

    test('tells the same of a model’s answer, and in a search', async () => {
      await storeSources(bench.database, [fix('d1', '12.2.9', 'Add a file to TEMP.'), evidence('d2', '12.1.3')]);
      const model = new FixedAnswerer('Add a file to TEMP [RESOLUTION of DIAGNOSTIC d1].');
      const filters: Filters = { facts: [] };

      const answer = await askAs(bench, { caller: ANA, filters }, 'ORA-01652 in R12.1.3', model);
      const found = await search(askContext(bench, { caller: ANA }), { question: QUESTION, history: [] }, null);

      expect(answer.answer).toBe(
        'Add a file to TEMP [2].\nThe fix in [2] was validated for version 12.2.9 (GL, PROD), not for 12.1.3.',
      );
      const told = found.citations.map(({ sourceType, validatedFor }) => [
        sourceType,
        validatedFor?.erpVersion ?? null,
      ]);
      expect(new Map(told as [string, string | null][])).toEqual(
        new Map([
          ['resolution', '12.2.9'],
          ['diagnostic', null],
        ]),
      );
    });
  });

  test('asks the database once, whatever it is filtered by or put in the order of', async () => {
    await storeSources(bench.database, [REPORT]);
    const counting = new CountingDatabase(bench.database);
    const facts = [{ name: 'erpVersion' as const, values: ['12.2.9', '12.1.3', '11.5.10'] }];

    for (const caller of [ANA, MANAGER]) {
      for (const sort of [null, { metric: 'elapsed', descending: true } as const]) {
        const asking = { caller, filters: { facts }, ...(sort === null ? {} : { sort }) };
        const context = askContext({ database: counting, embedder: bench.embedder }, asking);
        const counts = await counting.during(() => retrieve(context, 'slowest SQL', context.retrieval));
        expect(counts).toEqual({ statements: 1, roundTrips: 1 });
      }
    }
  });
});
