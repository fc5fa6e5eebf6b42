import { refusalOf } from '../errors.ts';
import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';
import { longestText } from './text-bytes.ts';

/** The column is as long as that of the passages: beyond 4000 bytes the database keeps it elsewhere. */
const TABLE = 'CREATE TABLE <docs> (id NUMBER PRIMARY KEY, content VARCHAR2(<text_bytes>) NOT NULL)';
const INSERT = 'INSERT INTO <docs> (id, content) VALUES (:id, :content)';

/** As V3__text_index.sql makes it, and V6__text_languages.sql the index. */
const LEXER = `BEGIN
  CTX_DDL.CREATE_PREFERENCE('<lexer>', 'BASIC_LEXER');
  CTX_DDL.SET_ATTRIBUTE('<lexer>', 'BASE_LETTER', 'YES');
END;`;
const INDEX = `CREATE INDEX <text> ON <docs> (content) INDEXTYPE IS CTXSYS.CONTEXT
  PARAMETERS ('LEXER <lexer> STOPLIST CTXSYS.EMPTY_STOPLIST SYNC (ON COMMIT)')`;

const SEARCH = `SELECT d.id, SCORE(1) AS text_score
  FROM <docs> d
  WHERE CONTAINS(d.content, :words, 1) > 0
  ORDER BY text_score DESC, d.id
  FETCH FIRST :k ROWS ONLY`;

/** What is searched, and which rows it must find. */
const SEARCHES: [string, string, string][] = [
  ['accents do not count', '{camion} ACCUM {llego}', '1'],
  ['a reserved word in braces', '{about}', '2'],
  ['a word that stop lists hold', '{the}', '2 3'],
  ['two words, either will do', '{camión} ACCUM {brake}', '1 2'],
  ['the last word of a text that fills the column', '{albatross}', '5'],
];

export const words: Probe = {
  id: 'P9',
  question: 'Does Oracle Text find quoted words, without accents, as soon as they are committed?',
  needs: 'CREATE TABLE, CTXAPP or EXECUTE on CTXSYS.CTX_DDL',
  means: {
    holds: 'the text index of the migrations serves the search for words, beside that for meaning',
    differs: 'the search for words must reckon with what is seen here; that for meaning does not use the text index',
    open: 'the migrations make a text index, by which every question is searched for too',
  },
  async run(context) {
    const { scratch } = context;
    const session = await context.open();
    const bytes = await longestText(context, session);
    await scratch.create(session, 'table', 'docs', TABLE);
    await session.changes(INSERT, [
      { id: 1, content: 'El camión de reparto llegó tarde' },
      { id: 2, content: 'All about the brake disc' },
      { id: 3, content: 'the' },
      { id: 5, content: textOf(bytes, ' albatross') },
    ]);
    await session.commit();
    await scratch.create(session, 'text preference', 'lexer', LEXER);
    await scratch.create(session, 'text index', 'text', INDEX);
    const answers: { what: string; wanted: string; found: string }[] = [];
    for (const [what, text, wanted] of SEARCHES) answers.push({ what, wanted, found: await find(session, text) });
    await session.change(INSERT, { id: 4, content: 'A zeppelin was seen' });
    await session.commit();
    answers.push({ what: 'found after the commit', wanted: '4', found: await find(session, '{zeppelin}') });
    const empty = await find(session, '');
    const told = answers.map(({ what, wanted, found }) => {
      const isRight = sorted(found) === wanted;
      return `${what}: ${isRight ? 'yes' : `{${found}}`}`;
    });
    return {
      holds: answers.every(({ wanted, found }) => sorted(found) === wanted),
      seen: [`the column has ${bytes} bytes`, ...told, `no word at all: {${empty}}`].join('; '),
    };
  },
};

const textOf = (bytes: number, end: string) => 'relleno '.repeat(bytes / 8 + 1).slice(0, bytes - end.length) + end;

const sorted = (ids: string) => ids.split(' ').sort().join(' ');

/** The ids that were found, best first, or the code of the refusal. */
async function find(session: ProbeSession, text: string): Promise<string> {
  try {
    return (await session.rows(SEARCH, { words: text, k: 10 })).map(({ id }) => String(id)).join(' ');
  } catch (error) {
    return refusalOf(error, session.signal);
  }
}
