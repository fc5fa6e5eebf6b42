import type { Finding } from '../finding.ts';
import type { Probe } from '../probe.ts';
import { ROUND_TRIP_RIGHTS, roundTripsOf } from './round-trips.ts';
import { groupedVectors, randomOf } from './vectors.ts';

const ROWS = 40;
const LIMIT = 8;

const TABLE = `CREATE TABLE <items> (
    id NUMBER PRIMARY KEY, enqueued_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
    content VARCHAR2(4000) NOT NULL, embedding VECTOR(16, FLOAT32)
  )`;
const INSERT = 'INSERT INTO <items> (id, content, embedding) VALUES (:id, :content, :embedding)';

const CLAIM = `SELECT id FROM <items>
  WHERE id < :last
  ORDER BY enqueued_at, id
  FOR UPDATE SKIP LOCKED`;

const SEARCH = `SELECT c.id, c.content, VECTOR_DISTANCE(c.embedding, :question, COSINE) AS distance
  FROM <items> c
  ORDER BY distance, c.id
  FETCH EXACT FIRST :k ROWS ONLY`;

export const roundTrips: Probe = {
  id: 'P15',
  question: 'Do a claim and a search take one round trip each?',
  needs: `CREATE TABLE, ${ROUND_TRIP_RIGHTS}`,
  means: {
    holds: 'rows come with the execution, as the product is built',
    differs: 'each question and each claim waits for the network more often; nothing is wrong otherwise',
    open: 'rows come with the execution where all fetch sizes are alike',
  },
  async run(context) {
    const session = await context.open();
    await context.scratch.create(session, 'table', 'items', TABLE);
    const vectors = groupedVectors(ROWS, 16, randomOf(15));
    await session.changes(
      INSERT,
      vectors.map(({ id, embedding }) => ({ id, content: `Passage ${id}`, embedding })),
    );
    await session.commit();
    const question = vectors[0]?.embedding ?? new Float32Array(16);
    const claim = () => session.rows(CLAIM, { last: 1000 }, LIMIT);
    const search = () => session.rows(SEARCH, { question, k: LIMIT });
    // At the first time the statement is parsed and described as well.
    return decide({
      claimFirst: await roundTripsOf(session, claim),
      claim: await roundTripsOf(session, claim),
      searchFirst: await roundTripsOf(session, search),
      search: await roundTripsOf(session, search),
    });
  },
};

function decide(trips: Record<'claimFirst' | 'claim' | 'searchFirst' | 'search', number>): Finding {
  return {
    holds: trips.claim === 1 && trips.search === 1,
    seen:
      `a claim of ${LIMIT} of ${ROWS} rows: ${trips.claimFirst} the first time, then ${trips.claim}; ` +
      `a search: ${trips.searchFirst} the first time, then ${trips.search}`,
  };
}
