import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, oracleError, type StandInSession } from './doctor-stand-in.ts';

/** Answers as a database that does everything the product hopes for; a new one for each test. */

const row = (values: Record<string, unknown>) => ({ rows: [values] });
const ids = (list: number[]) => ({ rows: list.map((id) => ({ ID: id })) });

const EVERY_PRIVILEGE = ['CREATE SESSION', 'CREATE PROCEDURE', 'CREATE ANY CONTEXT', 'DROP ANY CONTEXT'];

/** How many words the stand-in's model reads. */
const WORDS_READ = 254;

/** What the policies of P17 leave. */
const seenBy = (who: string | null): number[] => {
  if (who === 'system') return [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
  return who === '7' ? [1] : who === '8' ? [2] : [];
};

/** A call that takes too long, and is ended before the doctor's own limit. */
const cutOff = async () => {
  await sleep(60);
  return Promise.reject(oracleError('ORA-01013', 'user requested cancel of current operation'));
};

/** A vector that depends on each word that is read. */
function embed(text: string): Float32Array {
  const vector = new Float32Array(8);
  for (const [i, word] of text.split(/\s+/).slice(0, WORDS_READ).entries()) {
    for (const letter of word) vector[i % 8] = (vector[i % 8] ?? 0) + (letter.codePointAt(0) ?? 0) / 1000;
  }
  return vector;
}

const similarity = (a: Float32Array, b: Float32Array) => {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
};

export function fitDatabase(): Answer {
  const committed = new Map<number, Record<string, unknown>>();
  const pending = new Map<number, { session: StandInSession; row: Record<string, unknown> }>();
  const locks = new Map<number, number>();
  const words = new Map<string, string>();
  const loads: string[] = [];
  let roundTrips = 0;
  let status = 'VALID';

  const visible = (session: StandInSession) => [
    ...committed.values(),
    ...[...pending.values()].filter((entry) => entry.session === session).map((entry) => entry.row),
  ];
  /** Whether another session holds rows that are not committed. */
  const isBusy = (session: StandInSession) =>
    [...pending.values()].some((entry) => entry.session !== session && !entry.session.isGone);
  const end = (session: StandInSession, keep: boolean) => {
    for (const [id, entry] of pending) {
      if (entry.session !== session) continue;
      if (keep) committed.set(id, entry.row);
      pending.delete(id);
    }
    for (const [id, number] of locks) if (number === session.number) locks.delete(id);
    return {};
  };
  const become = (session: StandInSession, who: string | null) => {
    session.who = who;
    return {};
  };
  const note = (key: string, value: unknown) => {
    words.set(key, String(value));
    return { rowsAffected: 1 };
  };
  /** Each probe has its table to itself. */
  const begin = () => {
    committed.clear();
    pending.clear();
    words.clear();
    status = 'VALID';
    return {};
  };
  const nearest = (binds: Record<string, unknown>) =>
    [...committed.values()]
      .filter((item) => binds.owner_id === undefined || item.owner_id === binds.owner_id)
      .map((item) => ({
        id: Number(item.id),
        near: similarity(item.embedding as Float32Array, binds.question as Float32Array),
      }))
      .sort((a, b) => b.near - a.near)
      .slice(0, Number(binds.k));

  const answers: [RegExp, Answer][] = [
    [/^COMMIT$/, (_, __, session) => end(session, true)],
    [/^ROLLBACK$/, (_, __, session) => end(session, false)],
    // P10: who makes an index and may not wait
    [/^CREATE VECTOR INDEX \w+_BUSY_IVF[\s\S]* 90$/, () => oracleError('ORA-00054', 'resource busy')],
    [/^SELECT version_full/, () => row({ VERSION_FULL: '23.26.2.1.0' })],
    [/session_privs/, () => ({ rows: EVERY_PRIVILEGE.map((privilege) => ({ PRIVILEGE: privilege })) })],
    [/v\$mystat/, () => row({ VALUE: roundTrips++ })],
    [/FROM plan_table/, () => ({ rows: [{ OPERATION: 'TABLE ACCESS', OBJECT_NAME: 'VECTOR$X$IVF_FLAT_CENTROIDS' }] })],
    [/^BEGIN \w+_INNER\.enter/, () => oracleError('ORA-06550', 'PLS-00904: insufficient privilege to access object')],
    [/^CREATE PACKAGE/, () => ({})],
    [/\.enter\(|SET_IDENTIFIER\(/, (_, { who }, session) => become(session, String(who))],
    [/\.leave;|CLEAR_IDENTIFIER;/, (_, __, session) => become(session, null)],
    [/^SELECT VECTOR_DIMENSION_COUNT\(VECTOR_EMB/, () => row({ DIMENSION: 8 })],
    [/^SELECT VECTOR_EMBEDDING/, (_, { text }) => row({ VECTOR: embed(String(text)) })],

    // P20, P21
    [/_CALLERS\.retrieve\(/, (_, { question }) => row({ N: 1, TEXT: `${question} 7` })],
    [/AS noted FROM \w+_NOTES$/, () => row({ NOTED: 'which 7 1' })],
    [/STANDARD_HASH/, () => row({ LETTERS: 64 })],
    [/'SESSION_USER'/, () => row({ SESSION_USER: 'RAG_OWNER', APP_USER: null, SESSION_LANGUAGE: 'US' })],
    [/rag_setting/, () => row({ ANSWER_PARAMS: '{"provider":"ocigenai"}' })],
    [/all_credentials/, () => row({ N: 1 })],
    [/user_host_aces/, () => row({ HOST: 'inference.generativeai.eu-frankfurt-1.oci.oraclecloud.com' })],
    [/UTL_TO_GENERATE_TEXT/, () => row({ REPLY: 'ZEPPELIN' })],

    // P2, P15
    [
      /_QUEUE\s[\s\S]*FOR UPDATE SKIP LOCKED|_ITEMS\s[\s\S]*FOR UPDATE SKIP LOCKED/,
      (sql, _, session, { maxRows = 0 }) => {
        const free = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].filter(
          (id) => (locks.get(id) ?? session.number) === session.number,
        );
        const taken = free.slice(0, maxRows);
        for (const id of taken) locks.set(id, session.number);
        if (sql.includes('_ITEMS')) roundTrips++;
        return { rows: taken.map((id) => ({ ID: id, DIRTY_ID: id })) };
      },
    ],
    // P3
    [
      /^(INSERT|MERGE) INTO \w+_ITEMS (t|\(source_id)/,
      (_, { source_id, content_hash }) => note(String(source_id), content_hash),
    ],
    [
      /^SELECT VECTOR_DIMENSION_COUNT\(t\.embedding/,
      (_, { source_id }) => row({ DIMENSION: 8, CONTENT_HASH: words.get(String(source_id)), DISTANCE: 0 }),
    ],
    // P8, P17: what a policy leaves
    [/^SELECT id FROM \w+_ITEMS ORDER BY id$/, (_, __, { who }) => ids(who === '7' ? [1] : [])],
    [
      /^SELECT id FROM \w+_CHUNKS ORDER BY id/,
      (sql, _, { who }, { maxRows = 0 }) =>
        ids(sql.includes('FOR UPDATE') ? seenBy(who).slice(0, maxRows) : seenBy(who)),
    ],
    [/'mine'\)$/, (_, __, { who }) => (who === 'system' ? {} : oracleError('ORA-28115', 'policy with check option'))],
    [/COUNT\(\*\) AS n FROM \w+_CHUNKS/, (_, { words: text }) => row({ N: text === '{hidden}' ? 512 : 1 })],
    [/^SELECT c\.id, SCORE\(1\)[\s\S]*_CHUNKS c/, (_, { k }, { who }) => ids(seenBy(who).slice(0, Number(k)))],
    [/^SELECT c\.id, VECTOR_DISTANCE[\s\S]*_CHUNKS c/, (_, { k }, { who }) => ids(seenBy(who).slice(0, Number(k)))],
    [/^SELECT r\.task_id/, (_, __, { who }) => ids(who === 'system' ? [900] : [])],
    [
      /^INSERT INTO \w+_CHUNKS \(.*metadata\)/,
      (_, { id, metadata }, { who }) =>
        who === 'system' ? note(`json ${id}`, metadata) : oracleError('ORA-28115', 'policy with check option'),
    ],
    [
      /FROM user_tables/,
      (_, { index_name }) => row({ TABLE_NAME: `VECTOR$${index_name}$1$IVF_FLAT_CENTROID_PARTITIONS` }),
    ],
    [/FROM "VECTOR\$/, () => row({ N: 512 })],
    // P9
    [
      /CONTAINS\(d\.content/,
      (_, { words: text }) => {
        const found: Record<string, number[]> = {
          '{camion} ACCUM {llego}': [1],
          '{about}': [2],
          '{the}': [3, 2],
          '{camión} ACCUM {brake}': [1, 2],
          '{zeppelin}': [4],
          '{albatross}': [5],
        };
        return ids(found[String(text)] ?? []);
      },
    ],
    // P7, P10
    [
      /^TRUNCATE/,
      () => {
        status = 'UNUSABLE';
        return {};
      },
    ],
    [/FROM user_indexes/, () => row({ STATUS: status, INDEX_SUBTYPE: 'NEIGHBOR_PARTITIONS_IVF' })],
    [
      /^DELETE FROM \w+_ITEMS WHERE id <=/,
      (_, { id }) => {
        for (const known of [...committed.keys()]) if (known <= Number(id)) committed.delete(known);
        return {};
      },
    ],
    // P11, P12
    [/LENGTHB\(RPAD/, () => row({ BYTES: 32_767 })],
    [/v\$parameter/, () => row({ VALUE: '300' })],
    // P13
    [
      /LOAD_ONNX/,
      (_, { model_name }) => {
        loads.push(String(model_name));
        return loads.length > 1 ? oracleError('ORA-40204', 'model already exists') : {};
      },
    ],
    [/user_mining_models/, () => row({ VECTOR_INFO: 'VECTOR(384,FLOAT32)' })],
    // P16
    [
      /^SELECT i\.id, i\.note/,
      (_, __, { who }) => {
        roundTrips++;
        return { rows: Array.from({ length: 10 }, (_, i) => ({ ID: i + 1, NOTE: 'a note', WHO: who })) };
      },
    ],
    [/ AS who FROM dual$/, (_, __, { who }) => row({ WHO: who })],
    [
      /COUNT\(\*\) AS n FROM \w+_ITEMS WHERE id >=/,
      (_, { id }, session) => row({ N: visible(session).filter((item) => Number(item.id) >= Number(id)).length }),
    ],
    [/DBMS_SESSION\.SLEEP/, () => cutOff()],
    [/LOCK TABLE/, (_, __, session) => (isBusy(session) ? oracleError('ORA-00054', 'resource busy') : {})],
    // P18
    [
      /ROW_NUMBER\(\)/,
      (sql) => ({
        rows: [
          [2, 1, 0, 'The invoice of the caterer was paid.'],
          [2, 1, 1, 'The pump of the coffee machine is broken.'],
          [2, 1, 2, 'The sprint ends on Friday.'],
          [4, 0, 0, 'Penguins breed on the ice of Antarctica.'],
        ].map(([id, no, shownNo, shown]) => ({
          CHUNK_ID: id,
          CHUNK_NO: no,
          METADATA: null,
          SHOWN_NO: shownNo,
          SHOWN_CONTENT: shown,
          TEXT_SCORE: sql.includes('CONTAINS') && id === 2 ? 12 : 0,
        })),
      }),
    ],
    // P19
    [
      /JSON_VALUE/,
      (_, { id }) => row({ STATUS: JSON.parse(words.get(`json ${id}`) ?? '{}').status ?? null, DIMENSION: 8 }),
    ],
    [/^UPDATE \w+_(ITEMS|CHUNKS) SET metadata/, (_, { id, metadata }) => note(`json ${id}`, metadata)],
    [/TO_CHAR\(MIN/, () => row({ OLDEST: '2026-01-02T03:04:05Z' })],
    [/INTERVAL '70' SECOND/, () => row({ N: 1 })],
    [/'CURRENT_SCHEMA'/, (_, __, { currentSchema }) => row({ CURRENT_SCHEMA: currentSchema })],

    // Rows with ids of their own, for those who look at them again
    [
      /^SELECT c\.id,/,
      (_, binds) => {
        roundTrips++;
        if (!(binds.question instanceof Float32Array)) return ids([1, 2, 3]);
        return { rows: nearest(binds).map(({ id }) => ({ ID: id })) };
      },
    ],
    [
      /^INSERT INTO \w+_ITEMS \(id/,
      (_, binds, session) => {
        const id = Number(binds.id);
        if (committed.has(id) || pending.get(id)?.session.isGone === false)
          return oracleError('ORA-00001', 'unique constraint violated');
        pending.set(id, { session, row: binds });
        if ('metadata' in binds) words.set(`json ${id}`, String(binds.metadata));
        return { rowsAffected: 1 };
      },
    ],
    [/^CREATE TABLE/, begin],
  ];
  return (sql, binds, session, options) => {
    if (options.parseOnly) return {};
    for (const [form, answer] of answers) {
      if (form.test(sql)) return answer(sql, binds, session, options);
    }
    return undefined;
  };
}
