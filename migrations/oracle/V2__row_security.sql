-- Row security. Every statement of ${RUNTIME} is bound by an application context that the package RAG_SECURITY alone can set:
-- without one it sees nothing and writes nothing; for an employee it reads what that employee may see; for the system
-- (writes, the queue, the index) it sees every row by the policies themselves, which are never switched off.

CREATE OR REPLACE PACKAGE rag_security AUTHID DEFINER AS
  -- Statements act for the system until LEAVE.
  PROCEDURE enter_system;
  -- Statements act for an employee, with the role that EMPLOYEE gives, until LEAVE.
  PROCEDURE enter_employee(p_employee_id IN NUMBER, p_role IN VARCHAR2);
  -- Statements act for nobody.
  PROCEDURE leave;
END rag_security;
/

CREATE OR REPLACE PACKAGE BODY rag_security AS
  PROCEDURE leave IS
  BEGIN
    DBMS_SESSION.CLEAR_ALL_CONTEXT('${CONTEXT}');
  END leave;

  PROCEDURE enter_system IS
  BEGIN
    leave;
    DBMS_SESSION.SET_CONTEXT('${CONTEXT}', 'ACTOR', 'system');
  END enter_system;

  PROCEDURE enter_employee(p_employee_id IN NUMBER, p_role IN VARCHAR2) IS
  BEGIN
    leave;
    IF p_employee_id IS NULL OR p_role IS NULL OR p_role NOT IN ('developer', 'manager', 'admin') THEN
      RAISE_APPLICATION_ERROR(-20001, 'an employee has a role that is not known');
    END IF;
    DBMS_SESSION.SET_CONTEXT('${CONTEXT}', 'ACTOR', 'employee');
    DBMS_SESSION.SET_CONTEXT('${CONTEXT}', 'EMPLOYEE_ID', TO_CHAR(p_employee_id));
    DBMS_SESSION.SET_CONTEXT('${CONTEXT}', 'ROLE', p_role);
  END enter_employee;
END rag_security;
/

CREATE OR REPLACE CONTEXT ${CONTEXT} USING ${OWNER}.rag_security;

-- The predicates. They are the same text for everybody and read the context when a statement runs.
CREATE OR REPLACE PACKAGE rag_policy AUTHID DEFINER AS
  FUNCTION system_only(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
  FUNCTION everybody_known(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
  FUNCTION read_employee(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
  FUNCTION read_task(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
  FUNCTION read_task_comment(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
  FUNCTION read_chunk(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
  FUNCTION own_log(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
END rag_policy;
/

CREATE OR REPLACE PACKAGE BODY rag_policy AS
  c_is_system CONSTANT VARCHAR2(200) := q'[SYS_CONTEXT('${CONTEXT}', 'ACTOR') = 'system']';
  c_sees_everything CONSTANT VARCHAR2(400) := q'[(SYS_CONTEXT('${CONTEXT}', 'ACTOR') = 'system'
    OR SYS_CONTEXT('${CONTEXT}', 'ROLE') IN ('manager', 'admin'))]';
  c_me CONSTANT VARCHAR2(200) := q'[TO_NUMBER(SYS_CONTEXT('${CONTEXT}', 'EMPLOYEE_ID'))]';

  FUNCTION system_only(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN c_is_system;
  END system_only;

  FUNCTION everybody_known(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN q'[SYS_CONTEXT('${CONTEXT}', 'ACTOR') IN ('system', 'employee')]';
  END everybody_known;

  FUNCTION read_employee(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN c_sees_everything || ' OR employee_id = ' || c_me;
  END read_employee;

  FUNCTION read_task(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN c_sees_everything || ' OR assignee_id = ' || c_me;
  END read_task;

  FUNCTION read_task_comment(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN c_sees_everything
      || ' OR task_id IN (SELECT t.task_id FROM ${OWNER}.task t WHERE t.assignee_id = ' || c_me || ')';
  END read_task_comment;

  -- An owner's chunk is seen while the record itself is still the owner's: a right that is taken away is gone at once, also
  -- before the queue has reached it.
  FUNCTION read_chunk(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN c_sees_everything
      || q'[ OR (audience = 'organization' AND SYS_CONTEXT('${CONTEXT}', 'ACTOR') = 'employee')]'
      || ' OR (owner_employee_id = ' || c_me || q'[ AND (source_type <> 'task']'
      || ' OR source_id IN (SELECT TO_CHAR(t.task_id) FROM ${OWNER}.task t WHERE t.assignee_id = ' || c_me || ')))';
  END read_chunk;

  FUNCTION own_log(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN 'employee_id = ' || c_me;
  END own_log;
END rag_policy;
/

-- One policy a table for reading and one for writing.
DECLARE
  PROCEDURE add_policy(p_table IN VARCHAR2, p_types IN VARCHAR2, p_function IN VARCHAR2) IS
  BEGIN
    DBMS_RLS.ADD_POLICY(
      object_schema => '${OWNER}', object_name => p_table,
      policy_name => p_table || CASE WHEN p_types = 'SELECT' THEN '_READ' ELSE '_WRITE' END,
      function_schema => '${OWNER}', policy_function => 'RAG_POLICY.' || p_function,
      statement_types => p_types, update_check => p_types <> 'SELECT', policy_type => DBMS_RLS.STATIC);
  EXCEPTION
    WHEN OTHERS THEN
      -- ORA-28101: it is there already.
      IF SQLCODE <> -28101 THEN
        RAISE;
      END IF;
  END add_policy;
BEGIN
  FOR r IN (
    SELECT 'EMPLOYEE' AS table_name, 'READ_EMPLOYEE' AS reads FROM dual UNION ALL
    SELECT 'PROJECT', 'EVERYBODY_KNOWN' FROM dual UNION ALL
    SELECT 'SPRINT', 'EVERYBODY_KNOWN' FROM dual UNION ALL
    SELECT 'TASK', 'READ_TASK' FROM dual UNION ALL
    SELECT 'TASK_COMMENT', 'READ_TASK_COMMENT' FROM dual UNION ALL
    SELECT 'RAG_CHUNK', 'READ_CHUNK' FROM dual UNION ALL
    SELECT 'RAG_SOURCE', 'SYSTEM_ONLY' FROM dual UNION ALL
    SELECT 'RAG_DIRTY', 'SYSTEM_ONLY' FROM dual UNION ALL
    SELECT 'RAG_LOG', 'SYSTEM_ONLY' FROM dual
  ) LOOP
    add_policy(r.table_name, 'SELECT', r.reads);
    add_policy(
      r.table_name, 'INSERT,UPDATE,DELETE', CASE r.table_name WHEN 'RAG_LOG' THEN 'OWN_LOG' ELSE 'SYSTEM_ONLY' END);
  END LOOP;
END;
/

GRANT EXECUTE ON rag_security TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON employee TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON project TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON sprint TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON task TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON task_comment TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON rag_source TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON rag_chunk TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON rag_dirty TO ${RUNTIME};

GRANT SELECT, INSERT ON rag_log TO ${RUNTIME};
