import type { ProbeContext } from '../context.ts';
import { refusalOf } from '../errors.ts';
import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';
import { madeBesideWriter } from './index-and-writers.ts';
import { groupedVectors, nearestIds, randomOf, type StoredVector, share } from './vectors.ts';

const ROWS = 300;
const DIMENSION = 384;
const QUESTIONS = 10;
const K = 10;

const TABLE = 'CREATE TABLE <items> (id NUMBER PRIMARY KEY, embedding VECTOR(384, FLOAT32))';
const INSERT = 'INSERT INTO <items> (id, embedding) VALUES (:id, :embedding)';

/** As V4__vector_index.sql makes it. */
const INDEX = `CREATE VECTOR INDEX <ivf> ON <items> (embedding)
  ORGANIZATION NEIGHBOR PARTITIONS DISTANCE COSINE WITH TARGET ACCURACY 90`;
const REBUILD = 'ALTER INDEX <ivf> REBUILD ONLINE';
const STATUS = 'SELECT status, index_subtype FROM user_indexes WHERE index_name = :index_name';

const APPROX = `SELECT c.id, VECTOR_DISTANCE(c.embedding, :question, COSINE) AS distance
  FROM <items> c
  ORDER BY distance
  FETCH APPROX FIRST :k ROWS ONLY WITH TARGET ACCURACY 90`;

const DELETE_SOME = 'DELETE FROM <items> WHERE id <= :id';
const TRUNCATE = 'TRUNCATE TABLE <items>';

export const partitionIndex: Probe = {
  id: 'P10',
  question: 'Does an index of neighbour partitions live through growth, REBUILD ONLINE, DELETE and TRUNCATE?',
  needs: 'CREATE TABLE; two sessions',
  means: {
    holds: 'the drain makes the index when there is data and rebuilds it when there is ten times as much',
    differs:
      'where REBUILD ONLINE is refused, an index that was made early finds less; drop it and let the drain make it',
    open: 'the drain makes the index when there is data, and rebuilds it ONLINE',
  },
  seconds: () => 240,
  async run(context) {
    const { scratch } = context;
    const session = await context.open();
    await scratch.create(session, 'table', 'items', TABLE);
    const onEmpty = await attempt(session, () => scratch.create(session, 'index', 'ivf', INDEX));
    const all = groupedVectors(ROWS + QUESTIONS, DIMENSION, randomOf(10));
    const vectors = all.slice(0, ROWS);
    const questions = all.slice(ROWS).map(({ embedding }) => embedding);
    await session.changes(
      INSERT,
      vectors.map(({ id, embedding }) => ({ id, embedding })),
    );
    await session.commit();
    // Where it was refused on the empty table, it is made now.
    const onData = onEmpty === null ? null : await attempt(session, () => session.block(INDEX));
    const grown = await recall(session, vectors, questions);
    const rebuilt = await attempt(session, () => session.block(REBUILD));
    const after = await recall(session, vectors, questions);
    const { status, kind } = await statusOf(context, session);
    await session.change(DELETE_SOME, { id: 100 });
    await session.commit();
    const left = await recall(session, vectors.slice(100), questions);
    const { status: afterDelete } = await statusOf(context, session);
    const truncated = await attempt(session, () => session.block(TRUNCATE));
    const { status: afterTruncate } = await statusOf(context, session);
    const besideWriter = await madeBesideWriter(context, session);
    return {
      holds: onData === null && rebuilt === null && status === 'VALID' && afterDelete === 'VALID' && after >= 0.8,
      seen:
        `on an empty table: ${onEmpty ?? 'made'}; with ${ROWS} rows, APPROX finds ${percent(grown)}; REBUILD ONLINE: ` +
        `${rebuilt ?? 'done'}, then ${percent(after)}, ${status} (${kind}); after DELETE ${percent(left)}, ` +
        `${afterDelete}; after TRUNCATE (${truncated ?? 'done'}) ${afterTruncate}; ${besideWriter}`,
    };
  },
};

const percent = (n: number) => `${Math.round(n * 100)} %`;

/** Null where it was done, else the refusal. */
async function attempt(session: ProbeSession, work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    return `refused (${refusalOf(error, session.signal)})`;
  }
}

async function recall(session: ProbeSession, vectors: StoredVector[], questions: Float32Array[]): Promise<number> {
  let sum = 0;
  for (const question of questions) {
    const found = (await session.rows(APPROX, { question, k: K })).map(({ id }) => Number(id));
    sum += share(nearestIds(question, vectors, K), found);
  }
  return sum / questions.length;
}

async function statusOf({ names }: ProbeContext, session: ProbeSession): Promise<{ status: string; kind: string }> {
  const [index] = await session.rows(STATUS, { index_name: names.fill('<ivf>') });
  return { status: String(index?.status ?? 'no index'), kind: String(index?.index_subtype ?? 'no kind') };
}
