-- The question log holds what it takes to explain an answer; its texts may be kept out. Model calls are counted by day.

BEGIN
  EXECUTE IMMEDIATE 'ALTER TABLE rag_log MODIFY (question NULL)';
EXCEPTION
  WHEN OTHERS THEN
    -- ORA-01451: it takes nulls already.
    IF SQLCODE <> -1451 THEN
      RAISE;
    END IF;
END;
/

ALTER TABLE rag_log ADD (standalone_question CLOB);

ALTER TABLE rag_log ADD (language VARCHAR2(8 CHAR));

ALTER TABLE rag_log ADD (reason VARCHAR2(60 CHAR));

ALTER TABLE rag_log ADD (error_code VARCHAR2(60 CHAR));

ALTER TABLE rag_log ADD (cutoff NUMBER);

ALTER TABLE rag_log ADD (dropped_sources NUMBER(9));

ALTER TABLE rag_log ADD (support JSON);

ALTER TABLE rag_log ADD (removed_citations JSON);

ALTER TABLE rag_log ADD (cold NUMBER(1));

CREATE INDEX rag_log_call_ix ON rag_log (call_id);

CREATE INDEX rag_log_asked_ix ON rag_log (asked_at);

CREATE TABLE rag_usage (
  usage_day   DATE   NOT NULL,
  employee_id NUMBER NOT NULL,
  model_calls NUMBER NOT NULL,
  CONSTRAINT rag_usage_pk PRIMARY KEY (usage_day, employee_id)
);

COMMENT ON COLUMN rag_log.question IS 'The question as asked; null: texts are kept out of the log';

COMMENT ON COLUMN rag_log.answer IS 'What was said; null: it failed, or texts are kept out of the log';

COMMENT ON COLUMN rag_log.standalone_question IS 'What was searched for, where that is not the question as asked: a follow-up made whole';

COMMENT ON COLUMN rag_log.language IS 'The language of the question: en, es and so on';

COMMENT ON COLUMN rag_log.reason IS 'Why the outcome is what it is, where the outcome alone does not say; a code word';

COMMENT ON COLUMN rag_log.error_code IS 'The code of the error, where it failed';

COMMENT ON COLUMN rag_log.cutoff IS 'The distance beyond which nothing counted as near';

COMMENT ON COLUMN rag_log.retrieved IS 'What was found, in the order of its numbers: chunkId, sourceType, sourceId, n, distance, textScore, fused, exact';

COMMENT ON COLUMN rag_log.dropped_sources IS 'How many of the sources found did not fit before the model';

COMMENT ON COLUMN rag_log.support IS 'For each sentence of the answer, whether what it cites bears it out';

COMMENT ON COLUMN rag_log.removed_citations IS 'Citations of the model that named no source';

COMMENT ON COLUMN rag_log.cold IS '1: the first call of its process';

COMMENT ON TABLE rag_usage IS 'Calls of the language model by day, for the limits; written by the functions as the system';

COMMENT ON COLUMN rag_usage.usage_day IS 'The day, UTC';

COMMENT ON COLUMN rag_usage.employee_id IS 'Who asked; 0: everybody together';

COMMENT ON COLUMN rag_usage.model_calls IS 'The calls of that day, none over the limit among them';

CREATE OR REPLACE PACKAGE rag_log_policy AUTHID DEFINER AS
  FUNCTION read_log(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
END rag_log_policy;
/

CREATE OR REPLACE PACKAGE BODY rag_log_policy AS
  -- People read the questions that they have asked themselves, managers and admins everybody's.
  FUNCTION read_log(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN q'[SYS_CONTEXT('${CONTEXT}', 'ACTOR') = 'system'
      OR SYS_CONTEXT('${CONTEXT}', 'ROLE') IN ('manager', 'admin')
      OR employee_id = TO_NUMBER(SYS_CONTEXT('${CONTEXT}', 'EMPLOYEE_ID'))]';
  END read_log;
END rag_log_policy;
/

-- Policies of one kind of statement hold together, so that with the new ones before the old are dropped, no moment is
-- without any.
DECLARE
  PROCEDURE add_policy(p_table IN VARCHAR2, p_name IN VARCHAR2, p_types IN VARCHAR2, p_function IN VARCHAR2) IS
  BEGIN
    DBMS_RLS.ADD_POLICY(
      object_schema => '${OWNER}', object_name => p_table, policy_name => p_name,
      function_schema => '${OWNER}', policy_function => p_function,
      statement_types => p_types, update_check => p_types <> 'SELECT', policy_type => DBMS_RLS.STATIC);
  EXCEPTION
    WHEN OTHERS THEN
      -- ORA-28101: it is there already.
      IF SQLCODE <> -28101 THEN
        RAISE;
      END IF;
  END add_policy;

  PROCEDURE drop_policy(p_name IN VARCHAR2) IS
  BEGIN
    DBMS_RLS.DROP_POLICY(object_schema => '${OWNER}', object_name => 'RAG_LOG', policy_name => p_name);
  EXCEPTION
    WHEN OTHERS THEN
      -- ORA-28102: it has gone already.
      IF SQLCODE <> -28102 THEN
        RAISE;
      END IF;
  END drop_policy;
BEGIN
  FOR r IN (
    SELECT 'RAG_LOG' AS table_name, 'RAG_LOG_SELECT' AS name, 'SELECT' AS types, 'RAG_LOG_POLICY.READ_LOG' AS rule
      FROM dual UNION ALL
    SELECT 'RAG_LOG', 'RAG_LOG_INSERT', 'INSERT', 'RAG_POLICY.OWN_LOG' FROM dual UNION ALL
    SELECT 'RAG_LOG', 'RAG_LOG_CHANGE', 'UPDATE,DELETE', 'RAG_POLICY.SYSTEM_ONLY' FROM dual UNION ALL
    SELECT 'RAG_USAGE', 'RAG_USAGE_READ', 'SELECT', 'RAG_POLICY.SYSTEM_ONLY' FROM dual UNION ALL
    SELECT 'RAG_USAGE', 'RAG_USAGE_WRITE', 'INSERT,UPDATE,DELETE', 'RAG_POLICY.SYSTEM_ONLY' FROM dual
  ) LOOP
    add_policy(r.table_name, r.name, r.types, r.rule);
  END LOOP;
  drop_policy('RAG_LOG_READ');
  drop_policy('RAG_LOG_WRITE');
END;
/

GRANT DELETE ON rag_log TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON rag_usage TO ${RUNTIME};
