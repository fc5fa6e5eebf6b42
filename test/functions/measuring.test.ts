import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { PostgresDatabase } from '../../functions/adapters/postgres/database.ts';
import type { Searching } from '../../functions/ask/retrieve.ts';
import type { Database } from '../../functions/ports/database.ts';
import { writeDocuments } from '../../scripts/eval/corpus.ts';
import { askAll } from '../../scripts/eval/measure.ts';
import { askLabelled, refusalFigures } from '../../scripts/eval/outcomes.ts';
import type { LabelledQuestion } from '../../scripts/eval/questions.ts';
import { isMet, measureRanking } from '../../scripts/eval/ranking.ts';
import { SILENT, writeRecords } from '../../scripts/eval/records.ts';
import { readSet, SETS } from '../../scripts/eval/sets.ts';
import { CachingEmbedder } from '../../scripts/eval/vector-cache.ts';
import { calibrate } from '../../scripts/rag/calibrate/measure.ts';
import type { RunningDatabase } from '../support/database-process.ts';
import { HashingEmbedder } from '../support/hashing-embedder.ts';
import { startTemplate } from '../support/template.ts';

const [cranfield, ...xquads] = SETS;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oci-rag-eval-'));
  mkdirSync(join(folder, 'cranfield'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write(
    'cranfield/cran.all.1400',
    '.I 1\n.T\nlift of\nwings\n.A\nann\n.W\nhow a wing lifts .\n.I 2\n.T\nheat\n.A\n.B\n.W\nheat on a cone\nat speed .\n.I 3\n.T\nboundary layers\n.W\nlayers near a plate .\n',
  );
  write('cranfield/cran.qry', '.I 004\n.W\nwhat lifts\na wing .\n.I 010\n.W\nheat at speed\n');
  write('cranfield/QRelsCorrectedforTRECeval', '1 0 1 4\n1 0 2 5\n2 0 2 1\n2 0 3 2\n');
  const xquad = (context: string, question: string) =>
    JSON.stringify({ data: [{ title: 'T', paragraphs: [{ context, qas: [{ question, id: 'q' }] }] }] });
  write('xquad.en.json', xquad('The river is long.', 'How long is it?'));
  write('xquad.es.json', xquad('El río es largo.', '¿Cómo es?'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('sets are read as they are published', () => {
  test('Cranfield: fields over several lines, questions numbered by their place, grade 5 as not relevant', () => {
    const set = cranfield && readSet(cranfield, folder);

    expect(set?.documents[0]).toEqual({ id: '1', title: 'lift of wings', text: 'lift of wings\nhow a wing lifts .' });
    expect(set?.documents).toHaveLength(3);
    expect(set?.questions).toEqual([
      {
        text: 'what lifts a wing .',
        gains: new Map([
          ['project/1', 15],
          ['project/2', 0],
        ]),
      },
      {
        text: 'heat at speed',
        gains: new Map([
          ['project/2', 1],
          ['project/3', 3],
        ]),
      },
    ]);
  });

  test('XQuAD: the questions of one language on the paragraphs of another', () => {
    const across = xquads.map((known) => readSet(known, folder)).at(-1);

    expect(across?.documents).toEqual([{ id: '1', title: 'T', text: 'The river is long.' }]);
    expect(across?.questions).toEqual([{ text: '¿Cómo es?', gains: new Map([['project/1', 1]]) }]);
  });

  test('one that is not there is left out, one that is no such file is told', () => {
    const elsewhere = mkdtempSync(join(folder, 'elsewhere-'));
    const [known] = xquads;
    if (known === undefined) throw new Error('there is no such set');

    expect(readSet(known, elsewhere)).toBeNull();
    writeFileSync(join(elsewhere, 'xquad.en.json'), '{"data":3}');
    expect(() => readSet(known, elsewhere)).toThrow(/The set xquad en→en cannot be read \(.*xquad\.en\.json/);
  });
});

test('a vector is made once, also by the next run, and a record that was cut off is passed over', async () => {
  const inner = new HashingEmbedder();
  const cache = join(folder, 'vectors');
  const first = await new CachingEmbedder(inner, cache).encode(['a', 'b', 'a'], 'passage');
  writeFileSync(join(cache, 'hashing-384.vectors'), Buffer.from('cut off'), { flag: 'a' });

  const again = new CachingEmbedder(inner, cache);
  expect(await again.encode(['b', 'c', 'a'], 'passage')).toEqual([first[1], inner.vectorOf('c'), first[0]]);
  await again.encode(['a'], 'question');

  expect(inner.encoded).toEqual(['a', 'b', 'c', 'a']);
  expect(await new CachingEmbedder(inner, cache).encode(['c'], 'passage')).toEqual([inner.vectorOf('c')]);
});

describe('a corpus is measured through the parts of the product', () => {
  let running: RunningDatabase;
  let database: Database;
  const embedder = new HashingEmbedder();
  const searching = (): Searching => ({ database, embedder, caller: { employeeId: 1, role: 'manager' }, log: SILENT });

  beforeAll(async () => {
    running = await startTemplate(inject('templateFolder'));
    const { url: connectionString } = running;
    database = PostgresDatabase.open({ connectionString, poolMax: 2, textIndex: 'bm25', onIdleError() {} });
  });
  afterAll(async () => {
    await database.close();
    await running.stop();
  });

  const pumps = ['kitchen', 'cellar', 'attic', 'garage', 'chapel', 'tower'];
  const records = [
    { op: 'put', type: 'employee', id: 1, data: { firstName: 'Ann', lastName: 'Bell', role: 'manager' } },
    ...pumps.map((room, i) => ({
      op: 'put',
      type: 'task',
      id: i + 1,
      data: { title: `Pump of the ${room}`, description: `The pump of the ${room} costs ${i + 10} EUR.` },
    })),
  ];
  const onSubject = pumps.map(
    (room, i): LabelledQuestion => ({
      question: `What is the price of the pump of the ${room}, what it costs?`,
      kind: 'answerable',
      sources: [`task/${i + 1}`],
      mustContain: [`${i + 10} EUR`],
    }),
  );
  const offSubject = ['Mongolian opera', 'spaghetti sauces', 'football cups', 'red wine stains', 'moons'].map(
    (what): LabelledQuestion => ({ question: `Tell me about ${what} please?`, kind: 'off_topic' }),
  );

  test('its records are written, its questions separate, and what is chosen has them answered', async () => {
    await writeRecords(
      database,
      embedder,
      Buffer.from(records.map((one) => JSON.stringify(one)).join('\n')),
      'records',
    );
    const settings = { topK: 8, vectorWeight: 0.5, cutoff: 2, wordCoverage: 0.4, languages: 'en' as const };

    const measured = await calibrate(searching(), [...onSubject, ...offSubject], settings);

    expect(measured.cutoff).toMatchObject({ refused: 0, letThrough: 0, balancedAccuracy: 1 });
    expect(measured.weight?.questions).toBe(onSubject.length);
    const chosen = { ...settings, cutoff: measured.cutoff.limit, wordCoverage: measured.wordCoverage.limit };
    const outcomes = await askLabelled({ database, embedder }, chosen, [...onSubject, ...offSubject]);
    expect(outcomes.filter(({ isRight }) => isRight)).toHaveLength(onSubject.length);
    expect(refusalFigures(outcomes)).toEqual([
      { refusal: 'off_topic', precision: 1, recall: 1, given: 5, deserved: 5 },
      { refusal: 'not_found', precision: null, recall: null, given: 0, deserved: 0 },
    ]);
  });

  test('questions that say nothing of the corpus are refused', async () => {
    const settings = { topK: 8, vectorWeight: 0.5, cutoff: 2, wordCoverage: 0.4, languages: 'en' as const };
    const elsewhere = onSubject.map((one) => ({ ...one, sources: ['sprint/99'] }));
    const mixed = [...offSubject, ...offSubject.map((one): LabelledQuestion => ({ ...one, kind: 'unanswered' }))];

    await expect(calibrate(searching(), [...elsewhere, ...offSubject], settings)).rejects.toThrow(
      /None of the sources that the questions name was found/,
    );
    await expect(calibrate(searching(), mixed, settings)).rejects.toThrow(/do not differ enough for a limit/);
  });

  test('a record that is refused is told with its line', async () => {
    const bad = Buffer.from(`${JSON.stringify(records[0])}\n{"op":"put","type":"task","id":0,"data":{}}`);

    await expect(writeRecords(database, embedder, bad, 'x.ndjson')).rejects.toThrow(
      /x\.ndjson, line 2, was refused: id /,
    );
  });

  test('documents are ranked by either branch and by both, each half with the weight that suits the other', async () => {
    const documents = pumps.map((room, i) => ({
      id: `d${i}`,
      title: room,
      text: `A ${room} has its windows cleaned.`,
    }));
    const questions = pumps.map((room, i) => ({
      text: `Who cleans the windows of the ${room}?`,
      gains: new Map([[`project/d${i}`, 1]]),
    }));
    await writeDocuments(database, embedder, documents);

    const result = measureRanking(
      { set: 'pumps', textIndex: 'bm25', goal: 1 },
      await askAll(searching(), questions),
      0.5,
      'en',
    );

    // The stand-in for a model counts "of" and "the" like any other word, and so takes pumps for windows.
    expect(result.vector.ndcg10).toBeLessThan(1);
    expect(result.words).toEqual({ ndcg10: 1, recall8: 1, mrr: 1 });
    expect(result.calibrated).toEqual({ ndcg10: 1, recall8: 1, mrr: 1 });
    expect(result.sweep.find(({ weight }) => weight === 1)?.ndcg10).toBe(result.vector.ndcg10);
    expect(result.sweep.find(({ weight }) => weight === 0.5)?.ndcg10).toBe(result.standard.ndcg10);
    expect(result).toMatchObject({ questions: pumps.length });
    expect(isMet(result)).toBe(true);
    expect(isMet({ ...result, calibrated: { ...result.calibrated, ndcg10: 0.99 } })).toBe(false);
  });
});
