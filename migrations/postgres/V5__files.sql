-- Files: documents, the output of diagnostics, and what resolved them. Their raw bytes are in the object store, their text here.

CREATE TABLE document (
  path         VARCHAR(512) COLLATE "C" PRIMARY KEY,
  title        VARCHAR(500) NOT NULL,
  content_type VARCHAR(255) NOT NULL,
  charset      VARCHAR(40),
  size_bytes   BIGINT       NOT NULL,
  digest       VARCHAR(64)  NOT NULL,
  text_format  VARCHAR(20)  NOT NULL CHECK (text_format IN ('plain', 'markdown', 'csv')),
  content      TEXT,
  empty_reason VARCHAR(500),
  audience     VARCHAR(20)  NOT NULL CHECK (audience IN ('organization', 'managers', 'people')),
  project_id   BIGINT REFERENCES project,
  labels       JSON         NOT NULL,
  origin       VARCHAR(20)  NOT NULL CHECK (origin IN ('api', 'bucket')),
  object_etag  VARCHAR(200),
  written_at   TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE INDEX document_project_ix ON document (project_id);

CREATE TABLE diagnostic (
  diagnostic_id   VARCHAR(128) COLLATE "C" PRIMARY KEY,
  format          VARCHAR(40)  NOT NULL,
  content_type    VARCHAR(255) NOT NULL,
  charset         VARCHAR(40)  NOT NULL,
  size_bytes      BIGINT       NOT NULL,
  digest          VARCHAR(64)  NOT NULL,
  content         TEXT,
  environment_id  VARCHAR(200) NOT NULL,
  erp_module      VARCHAR(200) NOT NULL,
  erp_version     VARCHAR(200) NOT NULL,
  source_script   VARCHAR(200) NOT NULL,
  error_codes     JSON         NOT NULL,
  resolution_type VARCHAR(200),
  audience        VARCHAR(20)  NOT NULL CHECK (audience IN ('organization', 'managers', 'people')),
  project_id      BIGINT REFERENCES project,
  labels          JSON         NOT NULL,
  written_at      TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
);
CREATE INDEX diagnostic_project_ix ON diagnostic (project_id);

CREATE TABLE resolution (
  diagnostic_id  VARCHAR(128) COLLATE "C" PRIMARY KEY REFERENCES diagnostic,
  content        TEXT         NOT NULL,
  environment_id VARCHAR(200) NOT NULL,
  erp_module     VARCHAR(200) NOT NULL,
  erp_version    VARCHAR(200) NOT NULL,
  written_at     TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
);

-- Who reads a file besides managers and admins, as of now: employees, or 0 for everybody known.
CREATE TABLE source_reader (
  source_type VARCHAR(40)  COLLATE "C" NOT NULL,
  source_id   VARCHAR(512) COLLATE "C" NOT NULL,
  employee_id BIGINT       NOT NULL,
  PRIMARY KEY (source_type, source_id, employee_id)
);
CREATE INDEX source_reader_employee_ix ON source_reader (employee_id);

-- What sections are filtered by (value) and put in order by (amount). Section 0 is the whole source.
CREATE TABLE rag_fact (
  source_type VARCHAR(40)  COLLATE "C" NOT NULL,
  source_id   VARCHAR(512) COLLATE "C" NOT NULL,
  section     INTEGER      NOT NULL,
  name        VARCHAR(40)  COLLATE "C" NOT NULL,
  value       VARCHAR(200) COLLATE "C",
  amount      DOUBLE PRECISION
);
CREATE INDEX rag_fact_value_ix ON rag_fact (name, value, source_type, source_id, section);
CREATE INDEX rag_fact_amount_ix ON rag_fact (name, amount);
CREATE INDEX rag_fact_source_ix ON rag_fact (source_type, source_id);

ALTER TABLE rag_chunk
  ADD COLUMN heading  VARCHAR(1000),
  ADD COLUMN repeated INTEGER;
CREATE INDEX rag_chunk_project_ix ON rag_chunk (project_id);
CREATE INDEX rag_chunk_sprint_ix ON rag_chunk (sprint_id);

-- What is done once in a while, by whichever process comes first.
CREATE TABLE rag_chore (
  name    VARCHAR(40) PRIMARY KEY,
  done_at TIMESTAMP WITH TIME ZONE NOT NULL
);

-- Objects that are to be removed unless a row comes to name them.
CREATE TABLE object_note (
  name     VARCHAR(1000) COLLATE "C" PRIMARY KEY,
  noted_at TIMESTAMP WITH TIME ZONE NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON document, diagnostic, resolution, source_reader, rag_fact, rag_chore, object_note
  TO rag_system;
GRANT SELECT ON document, diagnostic, resolution, source_reader, rag_fact TO rag_reader;

ALTER TABLE document      ENABLE ROW LEVEL SECURITY;
ALTER TABLE document      FORCE ROW LEVEL SECURITY;
ALTER TABLE diagnostic    ENABLE ROW LEVEL SECURITY;
ALTER TABLE diagnostic    FORCE ROW LEVEL SECURITY;
ALTER TABLE resolution    ENABLE ROW LEVEL SECURITY;
ALTER TABLE resolution    FORCE ROW LEVEL SECURITY;
ALTER TABLE source_reader ENABLE ROW LEVEL SECURITY;
ALTER TABLE source_reader FORCE ROW LEVEL SECURITY;
ALTER TABLE rag_fact      ENABLE ROW LEVEL SECURITY;
ALTER TABLE rag_fact      FORCE ROW LEVEL SECURITY;
ALTER TABLE object_note   ENABLE ROW LEVEL SECURITY;
ALTER TABLE object_note   FORCE ROW LEVEL SECURITY;

CREATE POLICY document_system      ON document      TO rag_system USING (true) WITH CHECK (true);
CREATE POLICY diagnostic_system    ON diagnostic    TO rag_system USING (true) WITH CHECK (true);
CREATE POLICY resolution_system    ON resolution    TO rag_system USING (true) WITH CHECK (true);
CREATE POLICY source_reader_system ON source_reader TO rag_system USING (true) WITH CHECK (true);
CREATE POLICY rag_fact_system      ON rag_fact      TO rag_system USING (true) WITH CHECK (true);
CREATE POLICY object_note_system   ON object_note   TO rag_system USING (true) WITH CHECK (true);

-- An employee sees what says that the employee is a reader.
CREATE POLICY source_reader_reader ON source_reader FOR SELECT TO rag_reader
  USING ((SELECT rag_sees_everything()) OR employee_id = (SELECT rag_employee_id())
    OR (employee_id = 0 AND (SELECT rag_employee_id()) IS NOT NULL));
CREATE POLICY document_reader ON document FOR SELECT TO rag_reader
  USING ((SELECT rag_sees_everything())
    OR path IN (SELECT r.source_id FROM source_reader r WHERE r.source_type = 'document'));
CREATE POLICY diagnostic_reader ON diagnostic FOR SELECT TO rag_reader
  USING ((SELECT rag_sees_everything())
    OR diagnostic_id IN (SELECT r.source_id FROM source_reader r WHERE r.source_type = 'diagnostic'));
CREATE POLICY resolution_reader ON resolution FOR SELECT TO rag_reader
  USING ((SELECT rag_sees_everything())
    OR diagnostic_id IN (SELECT r.source_id FROM source_reader r WHERE r.source_type = 'resolution'));

-- Of a file, the readers of now decide: a right that is taken away is gone at once, as it is for an owner's chunk. What is indexed
-- for listed people is theirs alone: who becomes a reader sees the text that was written then, and none from before.
DROP POLICY rag_chunk_reader ON rag_chunk;
CREATE POLICY rag_chunk_reader ON rag_chunk FOR SELECT TO rag_reader
  USING ((SELECT rag_sees_everything())
    OR (audience = 'organization' AND (SELECT rag_employee_id()) IS NOT NULL
      AND (source_type IN ('task', 'sprint', 'project')
        OR (source_type, source_id) IN (SELECT r.source_type, r.source_id FROM source_reader r)))
    OR (audience = 'people'
      AND (source_type, source_id) IN (SELECT r.source_type, r.source_id FROM source_reader r)
      AND (source_type, source_id) IN (SELECT f.source_type, f.source_id FROM rag_fact f
        WHERE f.name = 'reader' AND f.value = CAST((SELECT rag_employee_id()) AS VARCHAR(200))))
    OR (owner_employee_id = (SELECT rag_employee_id())
      AND (source_type <> 'task' OR source_id IN (SELECT CAST(t.task_id AS VARCHAR(512)) FROM task t))));
-- Facts of files alone: what a file's reader may know.
CREATE POLICY rag_fact_reader ON rag_fact FOR SELECT TO rag_reader
  USING ((SELECT rag_sees_everything())
    OR (source_type, source_id) IN (SELECT r.source_type, r.source_id FROM source_reader r));
