import { oracleDialect } from '../../../functions/adapters/oracle/dialect.ts';
import type { Candidate } from '../../../functions/core/fusion.ts';
import type { Caller } from '../../../functions/core/scope.ts';
import type { Binds, Database } from '../../../functions/ports/database.ts';
import type { EmbeddingModel } from '../../../functions/ports/embedder.ts';
import { searchCandidates } from '../../../functions/store/candidates.ts';
import type { ProbeContext } from '../context.ts';
import { refusalOf } from '../errors.ts';
import { NotTried } from '../finding.ts';
import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';

/** The columns, and the table of readers, that the search reads. */
const TABLE = `CREATE TABLE <chunks> (
    chunk_id          NUMBER PRIMARY KEY,
    source_type       VARCHAR2(40) NOT NULL,
    source_id         VARCHAR2(512 CHAR) NOT NULL,
    chunk_no          NUMBER(9) NOT NULL,
    section           NUMBER(9),
    owner_employee_id NUMBER,
    audience          VARCHAR2(40) NOT NULL,
    title             VARCHAR2(1000 CHAR) NOT NULL,
    heading           VARCHAR2(1000 CHAR),
    content           VARCHAR2(4000) NOT NULL,
    repeated          NUMBER(9),
    metadata          JSON,
    embedding         VECTOR(<dimension>, FLOAT32),
    embedding_model   VARCHAR2(128) NOT NULL,
    terms             VARCHAR2(4000)
  )`;
const READERS = 'CREATE TABLE <readers> (source_type VARCHAR2(40), source_id VARCHAR2(512 CHAR), employee_id NUMBER)';
const INSERT = `INSERT INTO <chunks> (chunk_id, source_type, source_id, chunk_no, section, owner_employee_id, audience,
    title, content, embedding, embedding_model, terms)
  VALUES (:chunk_id, 'task', :source_id, :chunk_no, :section, 7, 'owner', 'A title', :content, :embedding, :model, :terms)`;
const INDEX = `CREATE INDEX <text> ON <chunks> (terms) INDEXTYPE IS CTXSYS.CONTEXT
  PARAMETERS ('STOPLIST CTXSYS.EMPTY_STOPLIST SYNC (ON COMMIT)')`;
const EMBED = `UPDATE <chunks> SET embedding_model = :model,
    embedding = VECTOR_EMBEDDING(<model> USING :text AS DATA)
  WHERE chunk_id = :chunk_id`;

/** The product's own text of the search, on the scratch tables. */
const onScratch = (sql: string) => sql.replace(/\brag_chunk\b/g, '<chunks>').replace(/\bsource_reader\b/g, '<readers>');

const TEXTS = [
  'The invoice of the caterer was paid.',
  'The pump of the coffee machine is broken.',
  'The sprint ends on Friday.',
  'Penguins breed on the ice of Antarctica.',
];
const QUESTION = 'The pump of the coffee machine is broken.';
const DEVELOPER: Caller = { employeeId: 7, role: 'developer' };
const MANAGER: Caller = { employeeId: 1, role: 'manager' };
const DIMENSION = 8;
const NOT_TRIED = 'not tried';

type Search = Parameters<typeof searchCandidates>[2];
/** By meaning alone, which needs no text index. */
const PLAIN = { terms: [], named: { sources: [], codes: [] }, order: null, filters: {}, depth: 2, approximate: false };
/** The second text by its words, and the other source by its id. */
const WORDED: Partial<Search> = {
  terms: ['pump', 'coffee'],
  named: { sources: [{ type: 'task', id: '2' }], codes: ['KB-201'] },
  filters: { sourceTypes: ['task', 'sprint'] },
};

export const searchShape: Probe = {
  id: 'P18',
  question:
    "Does the product's search run: its branches by meaning, words and names in one statement, neighbours joined?",
  needs: 'CREATE TABLE; the model and Oracle Text for a part of it each',
  means: {
    holds: 'questions are answered by one statement, with a model in the database and with one outside',
    differs: 'questions fail on this version: report the code',
    open: 'questions are answered by one statement of this shape',
  },
  async run(context) {
    const session = await context.open();
    const model = await modelHere(context, session);
    const dimension = typeof model === 'number' ? model : DIMENSION;
    context.names.set('dimension', String(dimension));
    await context.scratch.create(session, 'table', 'chunks', TABLE);
    await context.scratch.create(session, 'table', 'readers', READERS);
    await session.changes(INSERT, TEXTS.map(toRow(dimension)));
    const outside: EmbeddingModel = { model: 'OUTSIDE', dimension: 384, inDatabase: false };
    const question = unit(dimension, 1);
    const bound = await searchBoth(context, session, { ...PLAIN, question, model: outside });
    const worded = await searchWords(context, session, { ...PLAIN, question, model: outside });
    const inside: EmbeddingModel = { model: context.settings.model, dimension: 384, inDatabase: true };
    const embedded = typeof model === 'string' ? model : await embedAndSearch(context, session, inside);
    return {
      holds: [bound, worded, embedded].every((seen) => seen === 'runs' || seen.startsWith(NOT_TRIED)),
      seen: `with a bound vector: ${bound}; with words and names: ${worded}; with the model in the database: ${embedded}`,
    };
  },
};

/** The model's dimension, or why it is not here. */
async function modelHere(context: ProbeContext, session: ProbeSession): Promise<number | string> {
  try {
    return await context.requireModel(session);
  } catch (error) {
    if (error instanceof NotTried) return `${NOT_TRIED}: ${error.message}`;
    throw error;
  }
}

/** The vector that points along one axis. */
const unit = (dimension: number, axis: number) =>
  Float32Array.from({ length: dimension }, (_, i) => (i === axis ? 1 : 0.01));

/** Three passages of one section, and one of another source that is the whole. */
const toRow = (dimension: number) => (content: string, i: number) => ({
  chunk_id: i + 1,
  source_id: i < 3 ? '1' : '2',
  chunk_no: i < 3 ? i : 0,
  section: i < 3 ? 1 : null,
  content,
  embedding: unit(dimension, i),
  model: 'OUTSIDE',
  terms: content.toLowerCase().replace('.', ''),
});

async function embedAndSearch(context: ProbeContext, session: ProbeSession, model: EmbeddingModel): Promise<string> {
  for (const [i, text] of TEXTS.entries()) {
    await session.change(EMBED, { model: model.model, text, chunk_id: i + 1 });
  }
  return searchBoth(context, session, { ...PLAIN, question: QUESTION, model });
}

async function searchWords(context: ProbeContext, session: ProbeSession, search: Search): Promise<string> {
  try {
    await context.scratch.create(session, 'text index', 'text', INDEX);
  } catch (error) {
    return `${NOT_TRIED}: no text index can be made (${refusalOf(error, session.signal)})`;
  }
  return searchBoth(context, session, { ...search, ...WORDED });
}

/** As an employee and as a manager, whose statements differ. */
async function searchBoth(context: ProbeContext, session: ProbeSession, search: Search): Promise<string> {
  const dialect = oracleDialect(context.settings.owner);
  // The one method that a search uses.
  const database = {
    dialect,
    rows: (_: Caller, sql: string, binds: Binds) => session.rows(onScratch(sql), binds, 256),
  } as unknown as Database;
  try {
    for (const caller of [DEVELOPER, MANAGER]) {
      const found = await searchCandidates(database, caller, search);
      if (!isRight(found, search))
        return `runs, and finds {${found.map(({ chunkId }) => chunkId).join(' ')}} instead of {2 4}, or without its words`;
    }
    return 'runs';
  } catch (error) {
    return `refused (${refusalOf(error, session.signal)})`;
  }
}

/** The passage that was asked for with both its neighbours, and the other source's; by their words too, where there are any. */
function isRight(found: Candidate[], { terms }: Search): boolean {
  const [first, second] = found;
  return (
    found.length === 2 &&
    first?.chunkId === 2 &&
    first.before[0]?.content === TEXTS[0] &&
    first.after[0]?.content === TEXTS[2] &&
    second?.chunkId === 4 &&
    first.textScore > 0 === terms.length > 0
  );
}
