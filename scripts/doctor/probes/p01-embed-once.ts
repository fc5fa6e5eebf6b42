import type { ProbeContext } from '../context.ts';
import { refusalOf } from '../errors.ts';
import type { Finding } from '../finding.ts';
import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';
import { planOf } from './plan.ts';
import { groupedVectors, randomOf } from './vectors.ts';

const ROWS = 500;

const TABLE = 'CREATE TABLE <items> (id NUMBER NOT NULL, embedding VECTOR(<dimension>, FLOAT32))';
const INSERT = 'INSERT INTO <items> (id, embedding) VALUES (:id, :embedding)';

const WRAPPED = `SELECT c.id, VECTOR_DISTANCE(c.embedding,
    (SELECT VECTOR_EMBEDDING(<model> USING :question AS DATA) FROM dual), COSINE) AS distance
  FROM <items> c
  ORDER BY distance, c.id
  FETCH EXACT FIRST :k ROWS ONLY`;

const INLINE = `SELECT c.id, VECTOR_DISTANCE(c.embedding,
    VECTOR_EMBEDDING(<model> USING :question AS DATA), COSINE) AS distance
  FROM <items> c
  ORDER BY distance, c.id
  FETCH EXACT FIRST :k ROWS ONLY`;

const ONE_EMBEDDING =
  'SELECT VECTOR_DIMENSION_COUNT(VECTOR_EMBEDDING(<model> USING :question AS DATA)) AS dimension FROM dual';
const NOTHING = 'SELECT 1 AS one FROM dual';

const INDEX = `CREATE VECTOR INDEX <ivf> ON <items> (embedding)
  ORGANIZATION NEIGHBOR PARTITIONS DISTANCE COSINE WITH TARGET ACCURACY 90`;

const EXPLAIN_WRAPPED = `EXPLAIN PLAN SET STATEMENT_ID = '<prefix>' FOR
  SELECT c.id FROM <items> c
  ORDER BY VECTOR_DISTANCE(c.embedding,
    (SELECT VECTOR_EMBEDDING(<model> USING 'the pump of the coffee machine' AS DATA) FROM dual), COSINE)
  FETCH APPROX FIRST 5 ROWS ONLY WITH TARGET ACCURACY 90`;

const EXPLAIN_INLINE = `EXPLAIN PLAN SET STATEMENT_ID = '<prefix>' FOR
  SELECT c.id FROM <items> c
  ORDER BY VECTOR_DISTANCE(c.embedding,
    VECTOR_EMBEDDING(<model> USING 'the pump of the coffee machine' AS DATA), COSINE)
  FETCH APPROX FIRST 5 ROWS ONLY WITH TARGET ACCURACY 90`;

export const embedOnce: Probe = {
  id: 'P1',
  question: 'Is a question embedded once where its embedding is a subquery?',
  needs: 'CREATE TABLE, the model',
  means: {
    holds: 'searches keep the subquery form',
    differs: 'embed the question by a statement of its own and bind the vector (RAG_EMBEDDING_URL does so meanwhile)',
    open: 'searches use the subquery form, which is known to be embedded once on 23.26',
  },
  seconds: () => 300,
  async run(context) {
    const session = await context.open();
    const dimension = await context.requireModel(session);
    await context.scratch.create(session, 'table', 'items', TABLE);
    await session.changes(
      INSERT,
      groupedVectors(ROWS, dimension, randomOf(1)).map(({ id, embedding }) => ({ id, embedding })),
    );
    await session.commit();
    const times = await measure(session);
    return decide(times, await readPlans(context, session));
  },
};

interface Times {
  trip: number;
  one: number;
  wrapped: number;
  inline: number;
}

/** Milliseconds, each the middle of three; the inline form once, since it may take a minute. */
async function measure(session: ProbeSession): Promise<Times> {
  const binds = (i: number) => ({ question: `What does a new pump for coffee machine ${i} cost?`, k: 5 });
  const middle = async (work: (i: number) => Promise<unknown>) => {
    await work(0);
    const times = [await timed(() => work(1)), await timed(() => work(2)), await timed(() => work(3))];
    return times.sort((a, b) => a - b)[1] ?? 0;
  };
  return {
    trip: await middle(() => session.rows(NOTHING)),
    one: await middle((i) => session.rows(ONE_EMBEDDING, { question: binds(i).question })),
    wrapped: await middle((i) => session.rows(WRAPPED, binds(i))),
    inline: await timed(() => session.rows(INLINE, binds(4))),
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function readPlans({ scratch }: ProbeContext, session: ProbeSession): Promise<string> {
  try {
    await scratch.create(session, 'index', 'ivf', INDEX);
  } catch (error) {
    return `no vector index could be made (${refusalOf(error, session.signal)})`;
  }
  const wrapped = await planOf(session, EXPLAIN_WRAPPED);
  const inline = await planOf(session, EXPLAIN_INLINE);
  return `FETCH APPROX goes ${wrapped} with the subquery and ${inline} without`;
}

/** A tenth of what an embedding a row would take, and a little for the scan, is still "once". */
function decide({ trip, one, wrapped, inline }: Times, plans: string): Finding {
  const embedding = Math.max(one - trip, 1);
  const holds = wrapped - trip < 100 + (embedding * ROWS) / 10;
  const ms = (time: number) => `${Math.round(time)} ms`;
  return {
    holds,
    seen:
      `over ${ROWS} rows the subquery takes ${ms(wrapped)}, the embedding beside the column ${ms(inline)}; ` +
      `one embedding takes ${ms(one)}, an empty round trip ${ms(trip)}; ${plans}`,
  };
}
