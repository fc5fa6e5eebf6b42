import type { ProbeContext } from '../context.ts';
import { refusalOf } from '../errors.ts';
import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';
import { makeActor } from './actor.ts';

const LOG = 'CREATE TABLE <notes> (note VARCHAR2(100), retrieved JSON)';

/** As RAG and what is behind it: V7__sql_callers.sql and on. */
const INNER = `CREATE PACKAGE <inner> AUTHID DEFINER ACCESSIBLE BY (PACKAGE <callers>) AS
  TYPE hit IS RECORD (n NUMBER, text CLOB);
  TYPE hits IS TABLE OF hit INDEX BY PLS_INTEGER;
  PROCEDURE enter(p_who IN VARCHAR2);
  PROCEDURE leave;
END;`;
const INNER_BODY = `CREATE PACKAGE BODY <inner> AS
  PROCEDURE enter(p_who IN VARCHAR2) IS
  BEGIN
    <enter_who>
  END enter;

  PROCEDURE leave IS
  BEGIN
    <leave_who>
  END leave;
END;`;
const CALLERS = `CREATE PACKAGE <callers> AUTHID DEFINER AS
  FUNCTION retrieve(question IN VARCHAR2, k IN NUMBER DEFAULT NULL) RETURN JSON;
END;`;
const CALLERS_BODY = `CREATE PACKAGE BODY <callers> AS
  c_search CONSTANT VARCHAR2(400) := q'~SELECT :question || ' [1, 9] ' || <who> AS text FROM dual FETCH FIRST :k ROWS ONLY~';

  PROCEDURE note(p_hits IN <inner>.hits) IS
    PRAGMA AUTONOMOUS_TRANSACTION;
    v_all JSON_ARRAY_T := JSON_ARRAY_T();
    v_text CLOB;
  BEGIN
    v_all.append(p_hits(1).n);
    v_text := v_all.to_clob();
    INSERT INTO <notes> (note, retrieved) VALUES (SUBSTR(p_hits(1).text, 1, 100), JSON(v_text));
    COMMIT;
  EXCEPTION
    WHEN OTHERS THEN
      ROLLBACK;
      RAISE;
  END note;

  FUNCTION retrieve(question IN VARCHAR2, k IN NUMBER DEFAULT NULL) RETURN JSON IS
    v_cursor SYS_REFCURSOR;
    v_text VARCHAR2(400);
    v_hits <inner>.hits;
    v_source JSON_OBJECT_T := JSON_OBJECT_T();
    v_sources JSON_ARRAY_T := JSON_ARRAY_T();
  BEGIN
    <inner>.enter('7');
    OPEN v_cursor FOR c_search USING question, NVL(k, 1);
    FETCH v_cursor INTO v_text;
    CLOSE v_cursor;
    v_hits(1).n := 1;
    v_hits(1).text := REGEXP_REPLACE(v_text, ' *\\[ *[0-9]{1,4}( *[,;] *[0-9]{1,4})* *\\]');
    v_source.put('n', v_hits(1).n);
    v_source.put('text', v_hits(1).text);
    v_source.put('exact', FALSE);
    v_source.put_null('fused');
    v_sources.append(v_source);
    note(v_hits);
    <inner>.leave;
    RETURN JSON(v_sources.to_clob());
  EXCEPTION
    WHEN OTHERS THEN
      <inner>.leave;
      RAISE;
  END retrieve;
END;`;

const COMPILE_FAULTS = 'SELECT text FROM user_errors WHERE name = :name ORDER BY sequence';
const ASK = `SELECT s.n, s.text FROM JSON_TABLE(<callers>.retrieve(:question), '$[*]'
    COLUMNS (n NUMBER, text VARCHAR2(400))) s`;
const NOTES = "SELECT note || ' ' || JSON_VALUE(retrieved, '$[0]') AS noted FROM <notes>";
const WHO_NOW = 'SELECT <who> AS who FROM dual';
const SESSION = `SELECT SYS_CONTEXT('USERENV', 'SESSION_USER') AS session_user, SYS_CONTEXT('APEX$SESSION', 'APP_USER') AS app_user,
    SYS_CONTEXT('USERENV', 'LANG') AS session_language FROM dual`;
const FENCE = `SELECT LENGTH(RAWTOHEX(STANDARD_HASH(:secret || RAWTOHEX(SYS_GUID()), 'SHA256'))) AS letters FROM dual`;
const CALL_INNER = "BEGIN <inner>.enter('8'); END;";

const QUESTION = 'which';
const WANTED = 'which 7';

export const sqlCallers: Probe = {
  id: 'P20',
  question:
    'May a function in a query enter a context, run SQL, note it in a transaction of its own, and give JSON; is what is behind it closed?',
  needs: 'CREATE TABLE, CREATE PROCEDURE; EXECUTE on SYS.DBMS_SESSION, which PUBLIC has',
  means: {
    holds: 'RAG.RETRIEVE and RAG.ASK can be called from SQL and APEX as they are written',
    differs: 'where what is behind RAG is not closed, grant RAG to nobody; else report what is seen',
    open: 'RAG.RETRIEVE and RAG.ASK rest on this; the functions do not',
  },
  async run(context) {
    const session = await context.open();
    await makePackages(context, session);
    const answer = await attempt(session, async () => {
      const [row] = await session.rows(ASK, { question: QUESTION });
      return `${row?.n} ${row?.text}`;
    });
    await session.rollback();
    const noted = await attempt(session, async () => String(await session.value(NOTES)));
    const who = await session.value(WHO_NOW);
    const direct = await attempt(session, async () => {
      await session.block(CALL_INNER);
      return 'taken';
    });
    const letters = await attempt(session, async () => String(await session.value(FENCE, { secret: 'probe' })));
    const [now] = await session.rows(SESSION);
    return {
      holds:
        answer === `1 ${WANTED}` && noted === `${WANTED} 1` && who === null && direct !== 'taken' && letters === '64',
      seen:
        `a query gets {${answer}} (wanted {1 ${WANTED}}); noted, after a rollback: {${noted}}; afterwards the context is ` +
        `${who === null ? 'empty' : `of ${String(who)}`}; what is behind is, from outside, ${direct === 'taken' ? 'open' : `refused (${direct})`}; ` +
        `a hash has ${letters} letters; this session is ${String(now?.session_user)}, in APEX ${String(now?.app_user)}, ` +
        `its language ${String(now?.session_language)}`,
    };
  },
};

/** The value that is got, or the code of the refusal. */
async function attempt(session: ProbeSession, work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    return refusalOf(error, session.signal);
  }
}

async function makePackages(context: ProbeContext, session: ProbeSession): Promise<void> {
  const { scratch, names } = context;
  const { by } = await makeActor(context, session);
  const isContext = by === 'a context of its own';
  names.set('enter_who', isContext ? '<actor_package>.enter(p_who);' : 'DBMS_SESSION.SET_IDENTIFIER(p_who);');
  names.set('leave_who', isContext ? '<actor_package>.leave;' : 'DBMS_SESSION.CLEAR_IDENTIFIER;');
  await scratch.create(session, 'table', 'notes', LOG);
  // Each names the other: both are reserved before one is made.
  scratch.reserve('package', 'callers');
  await scratch.create(session, 'package', 'inner', INNER, INNER_BODY);
  for (const sql of [CALLERS, CALLERS_BODY]) await session.block(sql);
  for (const label of ['inner', 'callers']) {
    const [fault] = await session.rows(COMPILE_FAULTS, { name: names.fill(`<${label}>`) });
    if (fault !== undefined) throw new Error(`the package does not compile: ${String(fault.text)}`);
  }
}
