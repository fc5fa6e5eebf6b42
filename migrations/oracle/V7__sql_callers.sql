-- Optional: For those who live in SQL and APEX: the view RAG_KNOWLEDGE and the package RAG. Nobody but the owner may use them until an
-- administrator grants it (docs/sql.md): by plain grants, since roles count neither in APEX nor in stored code.

-- What the packages know of the product's settings; one row, which bootstrap writes.
CREATE TABLE rag_setting (
  setting_id        NUMBER(1)           NOT NULL,
  embedding_model   VARCHAR2(128)       NOT NULL,
  model_object      VARCHAR2(128),
  vector_column     VARCHAR2(128)       NOT NULL,
  cutoff            NUMBER              NOT NULL,
  top_k             NUMBER(3)           NOT NULL,
  answer_model      VARCHAR2(128 CHAR),
  answer_params     VARCHAR2(4000),
  keeps_text        NUMBER(1)           NOT NULL,
  calls_per_day     NUMBER              NOT NULL,
  calls_per_person  NUMBER              NOT NULL,
  fence_key         VARCHAR2(128)       NOT NULL,
  CONSTRAINT rag_setting_pk PRIMARY KEY (setting_id),
  CONSTRAINT rag_setting_one_ck CHECK (setting_id = 1),
  CONSTRAINT rag_setting_object_ck CHECK (REGEXP_LIKE(model_object, '^[A-Z][A-Z0-9_]{0,122}$')),
  CONSTRAINT rag_setting_column_ck CHECK (REGEXP_LIKE(vector_column, '^embedding(_[0-9]{1,5})?$'))
);

COMMENT ON TABLE rag_setting IS 'The settings that the package RAG goes by: one row, written by bootstrap from the product''s own';

COMMENT ON COLUMN rag_setting.setting_id IS '1';

COMMENT ON COLUMN rag_setting.embedding_model IS 'RAG_EMBEDDING_MODEL, as RAG_CHUNK.EMBEDDING_MODEL has it';

COMMENT ON COLUMN rag_setting.model_object IS 'The model''s name in the owner''s schema; null: it is not in the database';

COMMENT ON COLUMN rag_setting.vector_column IS 'The column of RAG_CHUNK that holds the model''s vectors, in lower case';

COMMENT ON COLUMN rag_setting.cutoff IS 'RAG_RETRIEVAL_CUTOFF: the cosine distance beyond which nothing is near';

COMMENT ON COLUMN rag_setting.top_k IS 'RAG_RETRIEVAL_TOP_K: how many sources are looked at';

COMMENT ON COLUMN rag_setting.answer_model IS 'The model of OCI Generative AI that answers; null: none, and RAG.ASK answers nothing';

COMMENT ON COLUMN rag_setting.answer_params IS 'The parameters of DBMS_VECTOR_CHAIN.UTL_TO_GENERATE_TEXT, as JSON';

COMMENT ON COLUMN rag_setting.keeps_text IS 'RAG_LOG_TEXT: 1: questions and answers are kept in RAG_LOG';

COMMENT ON COLUMN rag_setting.calls_per_day IS 'RAG_LIMIT_MODEL_CALLS_PER_DAY, of everybody together; 0: no limit';

COMMENT ON COLUMN rag_setting.calls_per_person IS 'RAG_LIMIT_MODEL_CALLS_PER_PERSON, a day; 0: no limit';

COMMENT ON COLUMN rag_setting.fence_key IS 'What makes the fences of prompts unguessable: a secret, random at each bootstrap';

-- Who a session is. Nobody can say so of himself: the name is the one that the database, or APEX, has authenticated.
CREATE TABLE rag_sql_identity (
  identity VARCHAR2(256)      NOT NULL,
  subject  VARCHAR2(255 CHAR) NOT NULL,
  CONSTRAINT rag_sql_identity_pk PRIMARY KEY (identity),
  CONSTRAINT rag_sql_identity_ck CHECK (REGEXP_LIKE(identity, '^(database|apex):.'))
);

COMMENT ON TABLE rag_sql_identity IS 'Which employee a session of SQL or APEX acts for; a session without a row here sees nothing';

COMMENT ON COLUMN rag_sql_identity.identity IS 'database:<the user who logged in>, or apex:<APP_USER>, exactly as the session has it';

COMMENT ON COLUMN rag_sql_identity.subject IS 'EMPLOYEE.SUBJECT of the person';

-- The package that decides for whom statements act. AUTHID DEFINER, since callers have no right to EMPLOYEE or RAG_SECURITY;
-- RAG alone may call it, so that no caller reaches the moment in which it acts for the system.
CREATE OR REPLACE PACKAGE rag_caller AUTHID DEFINER ACCESSIBLE BY (PACKAGE rag) AS
  -- The session's name in RAG_SQL_IDENTITY.
  FUNCTION session_identity RETURN VARCHAR2;
  -- Whether statements act for the person whom the session is now.
  FUNCTION is_entered RETURN BOOLEAN;
  -- From here on statements act for that person; ORA-20010 where the session is nobody known.
  PROCEDURE enter(p_employee_id OUT NUMBER, p_role OUT VARCHAR2);
  -- Statements act for nobody.
  PROCEDURE leave;
  -- Counts a call of the language model, in a transaction of its own; ORA-20015 where a limit is reached. A limit of 0 is none.
  PROCEDURE take_model_call(p_employee_id IN NUMBER, p_per_day IN NUMBER, p_per_person IN NUMBER);
END rag_caller;
/

CREATE OR REPLACE PACKAGE BODY rag_caller AS
  c_everybody CONSTANT NUMBER := 0;

  -- A session of APEX belongs to its listener, and APEX alone knows who sits before it. In any other session APP_USER counts
  -- for nothing (APEX_SESSION.CREATE_SESSION sets it to what it is told), nor does the client identifier, which anyone can set.
  FUNCTION session_identity RETURN VARCHAR2 IS
    v_session_user CONSTANT VARCHAR2(128) := SYS_CONTEXT('USERENV', 'SESSION_USER');
  BEGIN
    IF v_session_user IN ('APEX_PUBLIC_USER', 'ORDS_PUBLIC_USER', 'ORDS_PLSQL_GATEWAY') THEN
      RETURN 'apex:' || SYS_CONTEXT('APEX$SESSION', 'APP_USER');
    END IF;
    RETURN 'database:' || v_session_user;
  END session_identity;

  FUNCTION is_entered RETURN BOOLEAN IS
  BEGIN
    RETURN NVL(SYS_CONTEXT('${OWNER}_SQL', 'IDENTITY') = session_identity, FALSE);
  END is_entered;

  PROCEDURE leave IS
  BEGIN
    DBMS_SESSION.CLEAR_ALL_CONTEXT('${OWNER}_SQL');
    rag_security.leave;
  END leave;

  PROCEDURE enter(p_employee_id OUT NUMBER, p_role OUT VARCHAR2) IS
    v_identity CONSTANT VARCHAR2(4000) := session_identity;
  BEGIN
    leave;
    -- Row policies bind the owner too: nobody is found but by the system, which does this one thing.
    rag_security.enter_system;
    SELECT e.employee_id, e.role
    INTO p_employee_id, p_role
    FROM rag_sql_identity i
    JOIN employee e ON e.subject = i.subject
    WHERE i.identity = v_identity;
    rag_security.enter_employee(p_employee_id, p_role);
    DBMS_SESSION.SET_CONTEXT('${OWNER}_SQL', 'IDENTITY', v_identity);
  EXCEPTION
    WHEN NO_DATA_FOUND THEN
      leave;
      RAISE_APPLICATION_ERROR(-20010, 'RAG: ' || SUBSTR(v_identity, 1, 256) || ' is nobody known: RAG_SQL_IDENTITY names no '
        || 'employee for this session');
    WHEN OTHERS THEN
      leave;
      RAISE;
  END enter;

  -- One more of a day's calls, unless that would be over the limit.
  PROCEDURE count_call(p_counted IN NUMBER, p_most IN NUMBER, p_whose IN VARCHAR2) IS
    v_day CONSTANT DATE := TRUNC(CAST(SYS_EXTRACT_UTC(SYSTIMESTAMP) AS DATE));
  BEGIN
    -- Twice, since another session may make the day's first row at the same moment.
    FOR v_try IN 1 .. 2 LOOP
      UPDATE rag_usage
      SET model_calls = model_calls + 1
      WHERE usage_day = v_day AND employee_id = p_counted AND model_calls < p_most;
      EXIT WHEN SQL%ROWCOUNT > 0;
      BEGIN
        INSERT INTO rag_usage (usage_day, employee_id, model_calls) VALUES (v_day, p_counted, 1);
        EXIT;
      EXCEPTION
        WHEN DUP_VAL_ON_INDEX THEN
          IF v_try = 2 THEN
            RAISE_APPLICATION_ERROR(-20015, 'RAG: the limit of ' || p_most || ' model calls a day ' || p_whose
              || ' is reached; it starts anew at 00:00 UTC');
          END IF;
      END;
    END LOOP;
  END count_call;

  PROCEDURE take_model_call(p_employee_id IN NUMBER, p_per_day IN NUMBER, p_per_person IN NUMBER) IS
    PRAGMA AUTONOMOUS_TRANSACTION;
    v_employee_id NUMBER;
    v_role VARCHAR2(20);
  BEGIN
    IF p_per_person > 0 OR p_per_day > 0 THEN
      -- The system alone sees the counts.
      rag_security.enter_system;
      IF p_per_person > 0 THEN
        count_call(p_employee_id, p_per_person, 'for one person');
      END IF;
      IF p_per_day > 0 THEN
        count_call(c_everybody, p_per_day, 'for everybody together');
      END IF;
      COMMIT;
      enter(v_employee_id, v_role);
    END IF;
  EXCEPTION
    WHEN OTHERS THEN
      ROLLBACK;
      enter(v_employee_id, v_role);
      RAISE;
  END take_model_call;
END rag_caller;
/

CREATE OR REPLACE CONTEXT ${OWNER}_SQL USING ${OWNER}.rag_caller;

-- What may be answered from. The row security of RAG_CHUNK applies beneath; it goes by what RAG.ENTER has set. That this was
-- set for whom the session is now is asked once more here, since an APEX listener lends one session to many people.
CREATE OR REPLACE VIEW rag_knowledge AS
SELECT c.source_type, c.source_id, c.chunk_no, c.section, c.title, c.content AS text, c.embedding, c.embedding_model,
       c.audience, c.owner_employee_id, c.project_id, c.sprint_id, c.updated_at
FROM rag_chunk c
WHERE c.embedding_model = (SELECT s.embedding_model FROM rag_setting s WHERE s.setting_id = 1)
AND SYS_CONTEXT('${OWNER}_SQL', 'IDENTITY') =
  CASE
    WHEN SYS_CONTEXT('USERENV', 'SESSION_USER') IN ('APEX_PUBLIC_USER', 'ORDS_PUBLIC_USER', 'ORDS_PLSQL_GATEWAY')
    THEN 'apex:' || SYS_CONTEXT('APEX$SESSION', 'APP_USER')
    ELSE 'database:' || SYS_CONTEXT('USERENV', 'SESSION_USER')
  END
WITH READ ONLY;

COMMENT ON TABLE rag_knowledge IS 'Everything that a question may be answered from, a row for each passage: after RAG.ENTER what the session''s person may see, before it nothing';

COMMENT ON COLUMN rag_knowledge.source_type IS 'The kind of record that the passage was cut from: task, sprint, project';

COMMENT ON COLUMN rag_knowledge.source_id IS 'The record''s number, or another name within its kind';

COMMENT ON COLUMN rag_knowledge.chunk_no IS 'The passage''s place in its record, from 0';

COMMENT ON COLUMN rag_knowledge.section IS 'The larger unit that the passage was cut from; passages of one section count as one source';

COMMENT ON COLUMN rag_knowledge.title IS 'What the record is cited by';

COMMENT ON COLUMN rag_knowledge.text IS 'The passage, exactly as it was embedded; its first line names the record';

COMMENT ON COLUMN rag_knowledge.embedding IS 'The passage''s vector of 384 dimensions, null for a model of others. Compare it by VECTOR_DISTANCE(…, COSINE) with what EMBEDDING_MODEL makes of the question, and with nothing else; FETCH EXACT FIRST keeps the nearest of what may be seen';

COMMENT ON COLUMN rag_knowledge.embedding_model IS 'The model that made the vector: the current one, in every row';

COMMENT ON COLUMN rag_knowledge.audience IS 'Who sees it besides managers: organization (everybody known) or owner (OWNER_EMPLOYEE_ID)';

COMMENT ON COLUMN rag_knowledge.owner_employee_id IS 'The employee whose record it is; null: nobody''s';

COMMENT ON COLUMN rag_knowledge.project_id IS 'The project of its record';

COMMENT ON COLUMN rag_knowledge.sprint_id IS 'The sprint of its record';

COMMENT ON COLUMN rag_knowledge.updated_at IS 'When its text, rights or metadata were last written';
