import type { ProbeContext } from '../context.ts';
import { refusalOf } from '../errors.ts';
import { change, type ProbeSession } from '../session.ts';
import type { Actor } from './actor.ts';

/** Part of P17: indexes of <chunks> that are made and kept while the row policy hides every row from the session. */

const TEXT_INDEX = `CREATE INDEX <text> ON <chunks> (content) INDEXTYPE IS CTXSYS.CONTEXT
  PARAMETERS ('STOPLIST CTXSYS.EMPTY_STOPLIST SYNC (ON COMMIT)')`;
const COUNT_WORD = 'SELECT COUNT(*) AS n FROM <chunks> c WHERE CONTAINS(c.content, :words) > 0';
/** As the product searches for words; what a policy adds must leave the label of the score alone (ORA-29907, ORA-29908). */
const SCORED = `SELECT c.id, SCORE(1) AS score
  FROM <chunks> c
  WHERE CONTAINS(c.content, :words, 1) > 0 AND (c.owner_id = :owner_id OR c.owner_id IS NULL)
  ORDER BY score DESC, c.id
  FETCH FIRST :k ROWS ONLY`;
const K = 10;
const INSERT = `INSERT INTO <chunks> (id, owner_id, content, embedding)
  SELECT :id, owner_id, :content, embedding FROM <chunks> WHERE id = 1`;

const VECTOR_INDEX = `CREATE VECTOR INDEX <ivf> ON <chunks> (embedding)
  ORGANIZATION NEIGHBOR PARTITIONS DISTANCE COSINE WITH TARGET ACCURACY 90`;
/** The index keeps its entries in a table of its own. */
const ENTRIES = `SELECT table_name FROM user_tables
  WHERE table_name LIKE 'VECTOR$%CENTROID_PARTITIONS' AND INSTR(table_name, :index_name) > 0`;
const COUNT_ENTRIES = 'SELECT COUNT(*) AS n FROM "<entries>"';
const ENTRIES_NAME = /^VECTOR\$[A-Z0-9_$#]+$/;

interface Part {
  holds: boolean;
  seen: string;
}

export async function indexedWhileHidden(
  context: ProbeContext,
  session: ProbeSession,
  actor: Actor,
  rows: number,
): Promise<Part> {
  await session.run([actor.leave]);
  const vector = await attempt(session, () => vectorIndex(context, session, rows));
  const text = await attempt(session, () => textIndex(context, session, actor, rows));
  return { holds: text.holds && vector.holds, seen: `text index: ${text.seen}; vector index: ${vector.seen}` };
}

/** An index that cannot be made here says nothing about policies. */
async function attempt(session: ProbeSession, work: () => Promise<Part>): Promise<Part> {
  try {
    return await work();
  } catch (error) {
    return { holds: true, seen: `not tried (${refusalOf(error, session.signal)})` };
  }
}

async function textIndex(context: ProbeContext, session: ProbeSession, actor: Actor, rows: number): Promise<Part> {
  await context.scratch.create(session, 'text index', 'text', TEXT_INDEX);
  const count = async (words: string) => {
    await session.run([actor.enter('system')]);
    const n = Number(await session.value(COUNT_WORD, { words }));
    await session.run([actor.leave]);
    return n;
  };
  const built = await count('{hidden}');
  // As the product commits: the context ends after the commit.
  await session.run([
    actor.enter('system'),
    change(INSERT, { id: 101, content: 'a zeppelin' }),
    { kind: 'commit' },
    actor.leave,
  ]);
  const within = await count('{zeppelin}');
  await session.run([actor.enter('system'), change(INSERT, { id: 102, content: 'a dirigible' }), actor.leave]);
  await session.commit();
  const outside = await count('{dirigible}');
  const system = await scored(session, actor, 'system');
  const employee = await scored(session, actor, '7');
  return {
    holds: built === rows && within === 1 && system.split(' ').length === K && employee === '1',
    seen:
      `made while rows are hidden it has ${built} of ${rows}; a row that is committed within the context is ` +
      `${within === 1 ? 'found' : 'not found'}, one that is committed after it is ${outside === 1 ? 'found' : 'not found'}; ` +
      `CONTAINS with SCORE(1) brings the system {${system}} (wanted ${K}), employee 7 {${employee}} (wanted {1})`,
  };
}

/** The ids, best first, or the code of the refusal. */
async function scored(session: ProbeSession, actor: Actor, who: string): Promise<string> {
  await session.run([actor.enter(who)]);
  const answer = await session.rows(SCORED, { words: '{hidden}', owner_id: 7, k: K }).then(
    (found) => found.map(({ id }) => String(id)).join(' '),
    (error: unknown) => refusalOf(error, session.signal),
  );
  await session.run([actor.leave]);
  return answer;
}

async function vectorIndex(context: ProbeContext, session: ProbeSession, rows: number): Promise<Part> {
  const { scratch, names } = context;
  await scratch.create(session, 'index', 'ivf', VECTOR_INDEX);
  const [table] = await session.rows(ENTRIES, { index_name: names.fill('<ivf>') });
  const name = String(table?.table_name ?? '');
  if (!ENTRIES_NAME.test(name)) return { holds: true, seen: 'made; where its entries are is not known' };
  names.set('entries', name);
  const n = Number(await session.value(COUNT_ENTRIES));
  return { holds: n === rows, seen: `made while rows are hidden it has ${n} of ${rows}` };
}
