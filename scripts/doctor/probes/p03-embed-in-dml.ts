import { refusalOf } from '../errors.ts';
import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';

const TABLE = `CREATE TABLE <items> (
    source_id    VARCHAR2(64) PRIMARY KEY,
    content      VARCHAR2(4000) NOT NULL,
    content_hash VARCHAR2(64) NOT NULL,
    embedding    VECTOR(<dimension>, FLOAT32)
  )`;

/** As the product writes its chunks. */
const INSERT = `INSERT INTO <items> (source_id, content, content_hash, embedding)
  VALUES (:source_id, :content, :content_hash, VECTOR_EMBEDDING(<model> USING :vector AS DATA))`;

const MERGE = `MERGE INTO <items> t
  USING (SELECT :source_id AS source_id, :content AS content, :content_hash AS content_hash FROM dual) s
  ON (t.source_id = s.source_id)
  WHEN MATCHED THEN UPDATE SET
    t.content = s.content, t.content_hash = s.content_hash,
    t.embedding = VECTOR_EMBEDDING(<model> USING s.content AS DATA)
  WHEN NOT MATCHED THEN INSERT (source_id, content, content_hash, embedding)
  VALUES (s.source_id, s.content, s.content_hash, VECTOR_EMBEDDING(<model> USING s.content AS DATA))`;

/** How far what is stored is from the embedding of the text that was to be embedded: 0 where it is that. */
const CHECK = `SELECT VECTOR_DIMENSION_COUNT(t.embedding) AS dimension, t.content_hash,
    VECTOR_DISTANCE(t.embedding, (SELECT VECTOR_EMBEDDING(<model> USING :content AS DATA) FROM dual), COSINE) AS distance
  FROM <items> t
  WHERE t.source_id = :source_id`;

const PUMP = 'The pump of the coffee machine on floor 2 is broken.';
const INVOICE = 'The invoice of the caterer was paid on time.';
/** An embedding may differ a little within a batch. */
const SAME = 0.01;

export const embedInDml: Probe = {
  id: 'P3',
  question: 'Does the array INSERT embed its texts, and does MERGE embed a column of its source?',
  needs: 'CREATE TABLE, the model',
  means: {
    holds: 'chunks are embedded by the INSERT that writes them; MERGE would do as well',
    differs: 'where INSERT does not embed, chunks need vectors from outside (RAG_EMBEDDING_URL); MERGE is not used yet',
    open: 'chunks are embedded by the INSERT that writes them',
  },
  async run(context) {
    const session = await context.open();
    const dimension = await context.requireModel(session);
    await context.scratch.create(session, 'table', 'items', TABLE);
    const is = (sourceId: string, content: string, hash: string) =>
      isStored(session, dimension, sourceId, content, hash);
    const inserted = await attempt(session, async () => {
      await session.changes(INSERT, [
        { source_id: 'a', content: PUMP, content_hash: 'h1', vector: PUMP },
        { source_id: 'b', content: INVOICE, content_hash: 'h2', vector: INVOICE },
      ]);
      return (await is('a', PUMP, 'h1')) && (await is('b', INVOICE, 'h2'));
    });
    const merged = await attempt(session, async () => {
      await session.change(MERGE, { source_id: 'c', content: PUMP, content_hash: 'h3' });
      const isInserted = await is('c', PUMP, 'h3');
      await session.change(MERGE, { source_id: 'c', content: INVOICE, content_hash: 'h4' });
      return isInserted && (await is('c', INVOICE, 'h4'));
    });
    return {
      holds: inserted === 'yes' && merged === 'yes',
      seen: `array INSERT with VECTOR_EMBEDDING in VALUES: ${inserted}; MERGE with USING s.content, both branches: ${merged}`,
    };
  },
};

/** yes, no (what was stored is something else), or the code of the refusal. */
async function attempt(session: ProbeSession, work: () => Promise<boolean>): Promise<string> {
  try {
    return (await work()) ? 'yes' : 'no, it stores something else';
  } catch (error) {
    return `refused (${refusalOf(error, session.signal)})`;
  }
}

async function isStored(
  session: ProbeSession,
  wanted: number,
  sourceId: string,
  content: string,
  hash: string,
): Promise<boolean> {
  const [row] = await session.rows(CHECK, { source_id: sourceId, content });
  return row?.dimension === wanted && row.content_hash === hash && Math.abs(Number(row.distance)) < SAME;
}
