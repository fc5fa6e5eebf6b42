import type { Finding } from '../finding.ts';
import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';
import { planOf } from './plan.ts';
import { groupedVectors, nearestIds, randomOf, share, toLiteral } from './vectors.ts';

const ROWS = 1500;
const DIMENSION = 384;
const QUESTIONS = 10;
const K = 5;
/** One row in a hundred is this owner's. */
const OWNER = 7;

const TABLE = `CREATE TABLE <items> (
    id NUMBER PRIMARY KEY, owner_id NUMBER NOT NULL, embedding VECTOR(384, FLOAT32)
  )`;
const INSERT = 'INSERT INTO <items> (id, owner_id, embedding) VALUES (:id, :owner_id, :embedding)';
const INDEX = `CREATE VECTOR INDEX <ivf> ON <items> (embedding)
  ORGANIZATION NEIGHBOR PARTITIONS DISTANCE COSINE WITH TARGET ACCURACY 90`;

const EXACT = `SELECT c.id, VECTOR_DISTANCE(c.embedding, :question, COSINE) AS distance
  FROM <items> c
  WHERE c.owner_id = :owner_id
  ORDER BY distance, c.id
  FETCH EXACT FIRST :k ROWS ONLY`;

const APPROX = `SELECT c.id, VECTOR_DISTANCE(c.embedding, :question, COSINE) AS distance
  FROM <items> c
  WHERE c.owner_id = :owner_id
  ORDER BY distance
  FETCH APPROX FIRST :k ROWS ONLY WITH TARGET ACCURACY 90`;

const APPROX_OF_ALL = `SELECT c.id, VECTOR_DISTANCE(c.embedding, :question, COSINE) AS distance
  FROM <items> c
  ORDER BY distance
  FETCH APPROX FIRST :k ROWS ONLY WITH TARGET ACCURACY 90`;

const EXPLAIN_EXACT = `EXPLAIN PLAN SET STATEMENT_ID = '<prefix>' FOR
  SELECT c.id FROM <items> c
  WHERE c.owner_id = 7
  ORDER BY VECTOR_DISTANCE(c.embedding, TO_VECTOR('<literal>', 384, FLOAT32), COSINE)
  FETCH EXACT FIRST 5 ROWS ONLY`;

const EXPLAIN_APPROX = `EXPLAIN PLAN SET STATEMENT_ID = '<prefix>' FOR
  SELECT c.id FROM <items> c
  WHERE c.owner_id = 7
  ORDER BY VECTOR_DISTANCE(c.embedding, TO_VECTOR('<literal>', 384, FLOAT32), COSINE)
  FETCH APPROX FIRST 5 ROWS ONLY WITH TARGET ACCURACY 90`;

export const filteredSearch: Probe = {
  id: 'P6',
  question: "Does FETCH EXACT find all of an owner's nearest rows beside a vector index (and APPROX not)?",
  needs: 'CREATE TABLE',
  means: {
    holds: 'searches within rights are exact, as they must be; APPROX stays for searches that filter nothing',
    differs: 'a search within rights may miss passages: drop the vector index',
    open: 'searches within rights use FETCH EXACT',
  },
  seconds: () => 180,
  async run(context) {
    const { scratch, names } = context;
    const session = await context.open();
    await scratch.create(session, 'table', 'items', TABLE);
    const all = groupedVectors(ROWS + QUESTIONS, DIMENSION, randomOf(6));
    const vectors = all.slice(0, ROWS);
    const questions = all.slice(ROWS).map(({ embedding }) => embedding);
    const owned = vectors.filter(({ id }) => id % 100 === OWNER);
    await session.changes(
      INSERT,
      vectors.map(({ id, embedding }) => ({ id, owner_id: id % 100, embedding })),
    );
    await session.commit();
    await scratch.create(session, 'index', 'ivf', INDEX);

    const shares = { exact: 0, approx: 0, approxOfAll: 0 };
    for (const question of questions) {
      const binds = { question, owner_id: OWNER, k: K };
      const wanted = nearestIds(question, owned, K);
      shares.exact += share(wanted, await idsOf(session, EXACT, binds)) / QUESTIONS;
      shares.approx += share(wanted, await idsOf(session, APPROX, binds)) / QUESTIONS;
      shares.approxOfAll +=
        share(nearestIds(question, vectors, K), await idsOf(session, APPROX_OF_ALL, { question, k: K })) / QUESTIONS;
    }
    names.set('literal', toLiteral(questions[0] ?? new Float32Array(DIMENSION)));
    const plans = { exact: await planOf(session, EXPLAIN_EXACT), approx: await planOf(session, EXPLAIN_APPROX) };
    return decide(shares, plans);
  },
};

async function idsOf(session: ProbeSession, sql: string, binds: Parameters<ProbeSession['rows']>[1]) {
  return (await session.rows(sql, binds)).map(({ id }) => Number(id));
}

function decide(
  { exact, approx, approxOfAll }: Record<'exact' | 'approx' | 'approxOfAll', number>,
  plans: { exact: string; approx: string },
): Finding {
  const percent = (n: number) => `${Math.round(n * 100)} %`;
  return {
    holds: exact > 0.999,
    seen:
      `of the ${K} nearest of 1 % of ${ROWS} rows, EXACT finds ${percent(exact)} (${plans.exact}), ` +
      `APPROX ${percent(approx)} (${plans.approx}); of the ${K} nearest of all rows, APPROX finds ${percent(approxOfAll)}`,
  };
}
