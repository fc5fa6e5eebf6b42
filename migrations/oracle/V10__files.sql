-- Files: documents, the output of diagnostics, and what resolved them. Their raw bytes are in the object store, their text here.

CREATE TABLE document (
  path         VARCHAR2(512 CHAR) NOT NULL,
  title        VARCHAR2(500 CHAR) NOT NULL,
  content_type VARCHAR2(255 CHAR) NOT NULL,
  charset      VARCHAR2(40),
  size_bytes   NUMBER             NOT NULL,
  digest       VARCHAR2(64)       NOT NULL,
  text_format  VARCHAR2(20)       NOT NULL,
  content      CLOB,
  empty_reason VARCHAR2(500 CHAR),
  audience     VARCHAR2(20)       NOT NULL,
  project_id   NUMBER,
  labels       JSON               NOT NULL,
  origin       VARCHAR2(20)       NOT NULL,
  object_etag  VARCHAR2(200 CHAR),
  written_at   TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT document_pk PRIMARY KEY (path),
  CONSTRAINT document_project_fk FOREIGN KEY (project_id) REFERENCES project (project_id),
  CONSTRAINT document_format_ck CHECK (text_format IN ('plain', 'markdown', 'csv')),
  CONSTRAINT document_audience_ck CHECK (audience IN ('organization', 'managers', 'people')),
  CONSTRAINT document_origin_ck CHECK (origin IN ('api', 'bucket'))
);

CREATE INDEX document_project_ix ON document (project_id);

CREATE TABLE diagnostic (
  diagnostic_id   VARCHAR2(128 CHAR) NOT NULL,
  format          VARCHAR2(40)       NOT NULL,
  content_type    VARCHAR2(255 CHAR) NOT NULL,
  charset         VARCHAR2(40)       NOT NULL,
  size_bytes      NUMBER             NOT NULL,
  digest          VARCHAR2(64)       NOT NULL,
  content         CLOB,
  environment_id  VARCHAR2(200 CHAR) NOT NULL,
  erp_module      VARCHAR2(200 CHAR) NOT NULL,
  erp_version     VARCHAR2(200 CHAR) NOT NULL,
  source_script   VARCHAR2(200 CHAR) NOT NULL,
  error_codes     JSON               NOT NULL,
  resolution_type VARCHAR2(200 CHAR),
  audience        VARCHAR2(20)       NOT NULL,
  project_id      NUMBER,
  labels          JSON               NOT NULL,
  written_at      TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT diagnostic_pk PRIMARY KEY (diagnostic_id),
  CONSTRAINT diagnostic_project_fk FOREIGN KEY (project_id) REFERENCES project (project_id),
  CONSTRAINT diagnostic_audience_ck CHECK (audience IN ('organization', 'managers', 'people'))
);

CREATE INDEX diagnostic_project_ix ON diagnostic (project_id);

CREATE TABLE resolution (
  diagnostic_id  VARCHAR2(128 CHAR) NOT NULL,
  content        CLOB               NOT NULL,
  environment_id VARCHAR2(200 CHAR) NOT NULL,
  erp_module     VARCHAR2(200 CHAR) NOT NULL,
  erp_version    VARCHAR2(200 CHAR) NOT NULL,
  written_at     TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT resolution_pk PRIMARY KEY (diagnostic_id),
  CONSTRAINT resolution_diagnostic_fk FOREIGN KEY (diagnostic_id) REFERENCES diagnostic (diagnostic_id)
);

CREATE TABLE source_reader (
  source_type VARCHAR2(40)       NOT NULL,
  source_id   VARCHAR2(512 CHAR) NOT NULL,
  employee_id NUMBER             NOT NULL,
  CONSTRAINT source_reader_pk PRIMARY KEY (source_type, source_id, employee_id)
);

CREATE INDEX source_reader_employee_ix ON source_reader (employee_id);

CREATE TABLE rag_fact (
  source_type VARCHAR2(40)       NOT NULL,
  source_id   VARCHAR2(512 CHAR) NOT NULL,
  section     NUMBER(9)          NOT NULL,
  name        VARCHAR2(40)       NOT NULL,
  value       VARCHAR2(200 CHAR),
  amount      NUMBER
);

CREATE INDEX rag_fact_value_ix ON rag_fact (name, value, source_type, source_id, section);

CREATE INDEX rag_fact_amount_ix ON rag_fact (name, amount);

CREATE INDEX rag_fact_source_ix ON rag_fact (source_type, source_id);

ALTER TABLE rag_chunk ADD (heading VARCHAR2(1000 CHAR));

ALTER TABLE rag_chunk ADD (repeated NUMBER(9));

CREATE INDEX rag_chunk_project_ix ON rag_chunk (project_id);

CREATE INDEX rag_chunk_sprint_ix ON rag_chunk (sprint_id);

CREATE TABLE rag_chore (
  name    VARCHAR2(40) NOT NULL,
  done_at TIMESTAMP WITH TIME ZONE NOT NULL,
  CONSTRAINT rag_chore_pk PRIMARY KEY (name)
);

CREATE TABLE object_note (
  name     VARCHAR2(1000 BYTE) NOT NULL,
  noted_at TIMESTAMP WITH TIME ZONE NOT NULL,
  CONSTRAINT object_note_pk PRIMARY KEY (name)
);

COMMENT ON TABLE document IS 'Documents, by their paths';

COMMENT ON COLUMN document.path IS 'What names it: parts with / between them';

COMMENT ON COLUMN document.title IS 'What it is cited by';

COMMENT ON COLUMN document.content_type IS 'The media type of its raw bytes';

COMMENT ON COLUMN document.charset IS 'How its bytes were read as text; null: they are no text';

COMMENT ON COLUMN document.size_bytes IS 'Of the raw bytes, which are the object documents/<path>/<digest>';

COMMENT ON COLUMN document.digest IS 'SHA-256 of the raw bytes, in hex';

COMMENT ON COLUMN document.text_format IS 'How the text is built: plain, markdown or csv';

COMMENT ON COLUMN document.content IS 'The text that was read from the bytes; null: there is none';

COMMENT ON COLUMN document.empty_reason IS 'Why there is no text, and what can be done about it';

COMMENT ON COLUMN document.audience IS 'Who sees it besides managers: organization (everybody known), managers (nobody) or people (SOURCE_READER)';

COMMENT ON COLUMN document.project_id IS 'Its project, if it has one';

COMMENT ON COLUMN document.labels IS 'Free words, as a JSON array';

COMMENT ON COLUMN document.origin IS 'api or bucket: where it has come from';

COMMENT ON COLUMN document.object_etag IS 'Which version of the bucket''s object was last looked at under this path: its ETag and its time';

COMMENT ON COLUMN document.written_at IS 'When it was last written';

COMMENT ON TABLE diagnostic IS 'The output of diagnostics, as it was run';

COMMENT ON COLUMN diagnostic.diagnostic_id IS 'What names it';

COMMENT ON COLUMN diagnostic.format IS 'What it was recognised as: tkprof, sql_trace, awr_text, awr_html, alert_log and so on, or plain';

COMMENT ON COLUMN diagnostic.content_type IS 'The media type of its raw bytes';

COMMENT ON COLUMN diagnostic.charset IS 'How its bytes were read as text; with (assumed) where nothing said so';

COMMENT ON COLUMN diagnostic.size_bytes IS 'Of the raw bytes, which are the object diagnostics/<id>/<digest>';

COMMENT ON COLUMN diagnostic.digest IS 'SHA-256 of the raw bytes, in hex';

COMMENT ON COLUMN diagnostic.content IS 'The text; null: it is blank';

COMMENT ON COLUMN diagnostic.environment_id IS 'Where it was run';

COMMENT ON COLUMN diagnostic.erp_module IS 'The module that it is about';

COMMENT ON COLUMN diagnostic.erp_version IS 'The version that was running';

COMMENT ON COLUMN diagnostic.source_script IS 'What has made it';

COMMENT ON COLUMN diagnostic.error_codes IS 'The codes that its sender names, as a JSON array; those in the text are found there';

COMMENT ON COLUMN diagnostic.resolution_type IS 'How it was resolved, in a word';

COMMENT ON COLUMN diagnostic.audience IS 'Who sees it besides managers: organization (everybody known), managers (nobody) or people (SOURCE_READER)';

COMMENT ON COLUMN diagnostic.project_id IS 'Its project, if it has one';

COMMENT ON COLUMN diagnostic.labels IS 'Free words, as a JSON array';

COMMENT ON COLUMN diagnostic.written_at IS 'When it was last written';

COMMENT ON TABLE resolution IS 'The validated fixes, one for a diagnostic; a source of their own';

COMMENT ON COLUMN resolution.diagnostic_id IS 'What it resolves';

COMMENT ON COLUMN resolution.content IS 'The fix';

COMMENT ON COLUMN resolution.environment_id IS 'Where it was seen to work: the diagnostic''s of that moment';

COMMENT ON COLUMN resolution.erp_module IS 'The same for the module';

COMMENT ON COLUMN resolution.erp_version IS 'The same for the version';

COMMENT ON COLUMN resolution.written_at IS 'When it was recorded';

COMMENT ON TABLE source_reader IS 'Who reads a file besides managers and admins, as of now';

COMMENT ON COLUMN source_reader.source_type IS 'document, diagnostic or resolution';

COMMENT ON COLUMN source_reader.source_id IS 'The path or the id';

COMMENT ON COLUMN source_reader.employee_id IS 'Who reads it; 0: everybody known';

COMMENT ON TABLE rag_fact IS 'What sections are filtered by and put in order by; written by the drain alone';

COMMENT ON COLUMN rag_fact.source_type IS 'The kind of source';

COMMENT ON COLUMN rag_fact.source_id IS 'The source';

COMMENT ON COLUMN rag_fact.section IS 'RAG_CHUNK.SECTION, or 0 for the whole source';

COMMENT ON COLUMN rag_fact.name IS 'As filters and figures are named: errorCode, erpVersion, elapsed and so on';

COMMENT ON COLUMN rag_fact.value IS 'For what is filtered by';

COMMENT ON COLUMN rag_fact.amount IS 'For what is put in order by: seconds, or a number of something';

COMMENT ON COLUMN rag_chunk.heading IS 'Where in its source it stands, the outermost title first; null: it has none';

COMMENT ON COLUMN rag_chunk.repeated IS 'How many UTF-16 units at its start repeat what stands elsewhere; null until it is indexed again';

COMMENT ON COLUMN rag_chunk.audience IS 'Who sees it besides managers: organization (everybody known), managers (nobody), people (SOURCE_READER) or owner (OWNER_EMPLOYEE_ID)';

COMMENT ON COLUMN rag_source.last_error IS 'Why the last attempt failed, or why there is nothing to index; null: neither';

COMMENT ON TABLE rag_chore IS 'What is done once in a while, by whichever process comes first';

COMMENT ON COLUMN rag_chore.name IS 'The chore';

COMMENT ON COLUMN rag_chore.done_at IS 'When it was last begun';

COMMENT ON TABLE object_note IS 'Objects of the object store that are to be removed unless a row comes to name them';

COMMENT ON COLUMN object_note.name IS 'The whole name: documents/<path>/<digest> or diagnostics/<id>/<digest>';

COMMENT ON COLUMN object_note.noted_at IS 'When it was last begun to be written, or let go of';

-- An employee's readers are the rows that name the employee or everybody; the conditions are repeated in each predicate, so
-- that none rests on another's policy.
CREATE OR REPLACE PACKAGE rag_file_policy AUTHID DEFINER AS
  FUNCTION read_reader(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
  FUNCTION read_document(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
  FUNCTION read_diagnostic(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
  FUNCTION read_resolution(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
  FUNCTION read_chunk(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
  FUNCTION read_fact(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2;
END rag_file_policy;
/

CREATE OR REPLACE PACKAGE BODY rag_file_policy AS
  c_sees_everything CONSTANT VARCHAR2(400) := q'[(SYS_CONTEXT('${CONTEXT}', 'ACTOR') = 'system'
    OR SYS_CONTEXT('${CONTEXT}', 'ROLE') IN ('manager', 'admin'))]';
  c_me CONSTANT VARCHAR2(200) := q'[TO_NUMBER(SYS_CONTEXT('${CONTEXT}', 'EMPLOYEE_ID'))]';
  c_employee CONSTANT VARCHAR2(200) := q'[SYS_CONTEXT('${CONTEXT}', 'ACTOR') = 'employee']';
  c_reads CONSTANT VARCHAR2(600) := '(r.employee_id = ' || c_me || ' OR (r.employee_id = 0 AND ' || c_employee || '))';

  c_is_read CONSTANT VARCHAR2(1000) :=
    '(source_type, source_id) IN (SELECT r.source_type, r.source_id FROM ${OWNER}.source_reader r WHERE ' || c_reads || ')';

  FUNCTION read_reader(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN c_sees_everything || ' OR employee_id = ' || c_me || ' OR (employee_id = 0 AND ' || c_employee || ')';
  END read_reader;

  FUNCTION reads_key(p_type IN VARCHAR2, p_key IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN c_sees_everything || ' OR ' || p_key || ' IN (SELECT r.source_id FROM ${OWNER}.source_reader r WHERE r.source_type = '''
      || p_type || ''' AND ' || c_reads || ')';
  END reads_key;

  FUNCTION read_document(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN reads_key('document', 'path');
  END read_document;

  FUNCTION read_diagnostic(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN reads_key('diagnostic', 'diagnostic_id');
  END read_diagnostic;

  FUNCTION read_resolution(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN reads_key('resolution', 'diagnostic_id');
  END read_resolution;

  -- Of a file, the readers of now decide; of an owner's chunk, whether the record is still the owner's: a right that is taken
  -- away is gone at once, also before the queue has reached it. What is indexed for listed people is theirs alone: who becomes a
  -- reader sees the text that was written then, and none from before.
  FUNCTION read_chunk(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN c_sees_everything
      || q'[ OR (audience = 'organization' AND ]' || c_employee
      || q'[ AND (source_type IN ('task', 'sprint', 'project') OR ]' || c_is_read || ')) OR ('
      || q'[audience = 'people' AND ]' || c_is_read
      || ' AND (source_type, source_id) IN (SELECT f.source_type, f.source_id FROM ${OWNER}.rag_fact f'
      || q'[ WHERE f.name = 'reader' AND f.value = SYS_CONTEXT('${CONTEXT}', 'EMPLOYEE_ID'))]'
      || ') OR (owner_employee_id = ' || c_me || q'[ AND (source_type <> 'task']'
      || ' OR source_id IN (SELECT TO_CHAR(t.task_id) FROM ${OWNER}.task t WHERE t.assignee_id = ' || c_me || ')))';
  END read_chunk;

  -- Facts of files alone: what a file's reader may know.
  FUNCTION read_fact(p_schema IN VARCHAR2, p_object IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    RETURN c_sees_everything || ' OR ' || c_is_read;
  END read_fact;
END rag_file_policy;
/

-- Policies of one kind of statement hold together, so that with the new one before the old is dropped, no moment is without
-- any.
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

  PROCEDURE drop_policy(p_table IN VARCHAR2, p_name IN VARCHAR2) IS
  BEGIN
    DBMS_RLS.DROP_POLICY(object_schema => '${OWNER}', object_name => p_table, policy_name => p_name);
  EXCEPTION
    WHEN OTHERS THEN
      -- ORA-28102: it has gone already.
      IF SQLCODE <> -28102 THEN
        RAISE;
      END IF;
  END drop_policy;
BEGIN
  FOR r IN (
    SELECT 'DOCUMENT' AS table_name, 'RAG_FILE_POLICY.READ_DOCUMENT' AS reads FROM dual UNION ALL
    SELECT 'DIAGNOSTIC', 'RAG_FILE_POLICY.READ_DIAGNOSTIC' FROM dual UNION ALL
    SELECT 'RESOLUTION', 'RAG_FILE_POLICY.READ_RESOLUTION' FROM dual UNION ALL
    SELECT 'SOURCE_READER', 'RAG_FILE_POLICY.READ_READER' FROM dual UNION ALL
    SELECT 'RAG_FACT', 'RAG_FILE_POLICY.READ_FACT' FROM dual UNION ALL
    SELECT 'RAG_CHORE', 'RAG_POLICY.SYSTEM_ONLY' FROM dual UNION ALL
    SELECT 'OBJECT_NOTE', 'RAG_POLICY.SYSTEM_ONLY' FROM dual
  ) LOOP
    add_policy(r.table_name, r.table_name || '_READ', 'SELECT', r.reads);
    add_policy(r.table_name, r.table_name || '_WRITE', 'INSERT,UPDATE,DELETE', 'RAG_POLICY.SYSTEM_ONLY');
  END LOOP;
  add_policy('RAG_CHUNK', 'RAG_CHUNK_SELECT', 'SELECT', 'RAG_FILE_POLICY.READ_CHUNK');
  drop_policy('RAG_CHUNK', 'RAG_CHUNK_READ');
END;
/

GRANT SELECT, INSERT, UPDATE, DELETE ON document TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON diagnostic TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON resolution TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON source_reader TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON rag_fact TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON rag_chore TO ${RUNTIME};

GRANT SELECT, INSERT, UPDATE, DELETE ON object_note TO ${RUNTIME};
