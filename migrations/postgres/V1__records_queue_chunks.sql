-- Records, the re-index queue, the chunks and the question log, for PostgreSQL 17 or newer with pgvector.

CREATE EXTENSION IF NOT EXISTS vector;

-- What Oracle calls DUAL: one row, for statements that select from nothing.
CREATE VIEW dual AS SELECT 'X' AS dummy;

CREATE TABLE employee (
  employee_id BIGINT PRIMARY KEY,
  subject     VARCHAR(255) NOT NULL UNIQUE,
  first_name  VARCHAR(200) NOT NULL,
  last_name   VARCHAR(200) NOT NULL,
  role        VARCHAR(20)  NOT NULL CHECK (role IN ('developer', 'manager', 'admin'))
);

CREATE TABLE project (
  project_id  BIGINT PRIMARY KEY,
  name        VARCHAR(300) NOT NULL,
  status      VARCHAR(20)  NOT NULL CHECK (status IN ('planning', 'active', 'completed', 'on_hold')),
  start_date  DATE,
  end_date    DATE,
  description TEXT
);

CREATE TABLE sprint (
  sprint_id  BIGINT PRIMARY KEY,
  project_id BIGINT REFERENCES project,
  name       VARCHAR(300) NOT NULL,
  status     VARCHAR(20)  NOT NULL CHECK (status IN ('planned', 'active', 'completed')),
  start_date DATE,
  end_date   DATE,
  goal       TEXT
);
CREATE INDEX sprint_project_ix ON sprint (project_id);

CREATE TABLE task (
  task_id         BIGINT PRIMARY KEY,
  project_id      BIGINT REFERENCES project,
  sprint_id       BIGINT REFERENCES sprint,
  assignee_id     BIGINT REFERENCES employee,
  title           VARCHAR(500) NOT NULL,
  status          VARCHAR(20)  NOT NULL CHECK (status IN ('todo', 'in_progress', 'done', 'blocked')),
  priority        VARCHAR(20)  NOT NULL CHECK (priority IN ('low', 'medium', 'high', 'critical')),
  story_points    NUMERIC(9, 2),
  estimated_hours NUMERIC(9, 2),
  due_date        DATE,
  description     TEXT
);
CREATE INDEX task_project_ix ON task (project_id);
CREATE INDEX task_sprint_ix ON task (sprint_id);
CREATE INDEX task_assignee_ix ON task (assignee_id);

CREATE TABLE task_comment (
  task_id    BIGINT NOT NULL REFERENCES task,
  comment_id BIGINT NOT NULL,
  content    TEXT   NOT NULL,
  PRIMARY KEY (task_id, comment_id)
);

CREATE TABLE rag_source (
  source_type VARCHAR(40)  COLLATE "C" NOT NULL,
  source_id   VARCHAR(512) COLLATE "C" NOT NULL,
  generation  BIGINT       NOT NULL,
  state       VARCHAR(20)  NOT NULL CHECK (state IN ('ready', 'empty', 'failed', 'deleted')),
  chunk_count INTEGER      NOT NULL,
  indexed_at  TIMESTAMP WITH TIME ZONE,
  last_error  VARCHAR(2000),
  PRIMARY KEY (source_type, source_id)
) WITH (fillfactor = 50); -- Room for new row versions beside the old, which then need no new index entries.

CREATE TABLE rag_chunk (
  chunk_id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source_type       VARCHAR(40)  COLLATE "C" NOT NULL,
  source_id         VARCHAR(512) COLLATE "C" NOT NULL,
  chunk_no          INTEGER      NOT NULL,
  section           INTEGER,
  owner_employee_id BIGINT,
  audience          VARCHAR(40)  NOT NULL,
  project_id        BIGINT,
  sprint_id         BIGINT,
  title             VARCHAR(1000) NOT NULL,
  content           TEXT         NOT NULL,
  content_hash      VARCHAR(64)  NOT NULL,
  metadata          JSON,
  embedding         vector       NOT NULL,
  embedding_model   VARCHAR(128) NOT NULL,
  updated_at        TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  UNIQUE (source_type, source_id, chunk_no)
);
-- In the row itself: a search reads every vector, and none is worth compressing.
ALTER TABLE rag_chunk ALTER COLUMN embedding SET STORAGE PLAIN;
CREATE INDEX rag_chunk_owner_ix ON rag_chunk (owner_employee_id);

CREATE TABLE rag_dirty (
  dirty_id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  source_type     VARCHAR(40)  COLLATE "C" NOT NULL,
  source_id       VARCHAR(512) COLLATE "C" NOT NULL,
  action          VARCHAR(10)  NOT NULL CHECK (action IN ('UPSERT', 'DELETE')),
  enqueued_at     TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  attempts        INTEGER      DEFAULT 0 NOT NULL,
  last_error      VARCHAR(2000),
  claimed_until   TIMESTAMP WITH TIME ZONE,
  next_attempt_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX rag_dirty_order_ix ON rag_dirty (enqueued_at, dirty_id);
CREATE INDEX rag_dirty_source_ix ON rag_dirty (source_type, source_id);

CREATE TABLE rag_log (
  log_id      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  call_id     VARCHAR(128) NOT NULL,
  asked_at    TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  employee_id BIGINT       NOT NULL,
  question    TEXT         NOT NULL,
  outcome     VARCHAR(20)  NOT NULL CHECK (outcome IN ('answered', 'not_found', 'off_topic', 'failed')),
  answer      TEXT,
  retrieved   JSON         NOT NULL,
  cited       JSON         NOT NULL,
  model       VARCHAR(128),
  timings     JSON         NOT NULL,
  tokens      JSON
);

-- Row security. The functions act as one of two roles, chosen for each transaction:
-- rag_system (writes, the queue, the index) sees every row by policies of its own;
-- rag_reader acts for the employee named in the transaction's settings, and without one sees nothing.
DO $$
BEGIN
  CREATE ROLE rag_system NOLOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;
DO $$
BEGIN
  CREATE ROLE rag_reader NOLOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;
GRANT rag_system, rag_reader TO CURRENT_USER;

GRANT SELECT, INSERT, UPDATE, DELETE ON
  employee, project, sprint, task, task_comment, rag_source, rag_chunk, rag_dirty TO rag_system;
GRANT SELECT ON dual, rag_log TO rag_system;
GRANT SELECT ON employee, project, sprint, task, task_comment, rag_chunk, dual TO rag_reader;
GRANT INSERT ON rag_log TO rag_reader;

CREATE FUNCTION rag_employee_id() RETURNS BIGINT STABLE LANGUAGE sql AS
  $$ SELECT CAST(NULLIF(current_setting('rag.employee_id', true), '') AS BIGINT) $$;
CREATE FUNCTION rag_sees_everything() RETURNS BOOLEAN STABLE LANGUAGE sql AS
  $$ SELECT rag_employee_id() IS NOT NULL AND current_setting('rag.role', true) IN ('manager', 'admin') $$;

ALTER TABLE employee     ENABLE ROW LEVEL SECURITY;
ALTER TABLE employee     FORCE ROW LEVEL SECURITY;
ALTER TABLE project      ENABLE ROW LEVEL SECURITY;
ALTER TABLE project      FORCE ROW LEVEL SECURITY;
ALTER TABLE sprint       ENABLE ROW LEVEL SECURITY;
ALTER TABLE sprint       FORCE ROW LEVEL SECURITY;
ALTER TABLE task         ENABLE ROW LEVEL SECURITY;
ALTER TABLE task         FORCE ROW LEVEL SECURITY;
ALTER TABLE task_comment ENABLE ROW LEVEL SECURITY;
ALTER TABLE task_comment FORCE ROW LEVEL SECURITY;
ALTER TABLE rag_chunk    ENABLE ROW LEVEL SECURITY;
ALTER TABLE rag_chunk    FORCE ROW LEVEL SECURITY;
ALTER TABLE rag_log      ENABLE ROW LEVEL SECURITY;
ALTER TABLE rag_log      FORCE ROW LEVEL SECURITY;

CREATE POLICY employee_system     ON employee     TO rag_system USING (true) WITH CHECK (true);
CREATE POLICY project_system      ON project      TO rag_system USING (true) WITH CHECK (true);
CREATE POLICY sprint_system       ON sprint       TO rag_system USING (true) WITH CHECK (true);
CREATE POLICY task_system         ON task         TO rag_system USING (true) WITH CHECK (true);
CREATE POLICY task_comment_system ON task_comment TO rag_system USING (true) WITH CHECK (true);
CREATE POLICY rag_chunk_system    ON rag_chunk    TO rag_system USING (true) WITH CHECK (true);
CREATE POLICY rag_log_system      ON rag_log      TO rag_system USING (true);

CREATE POLICY employee_reader ON employee FOR SELECT TO rag_reader
  USING ((SELECT rag_sees_everything()) OR employee_id = (SELECT rag_employee_id()));
CREATE POLICY project_reader ON project FOR SELECT TO rag_reader USING ((SELECT rag_employee_id()) IS NOT NULL);
CREATE POLICY sprint_reader ON sprint FOR SELECT TO rag_reader USING ((SELECT rag_employee_id()) IS NOT NULL);
CREATE POLICY task_reader ON task FOR SELECT TO rag_reader
  USING ((SELECT rag_sees_everything()) OR assignee_id = (SELECT rag_employee_id()));
CREATE POLICY task_comment_reader ON task_comment FOR SELECT TO rag_reader
  USING (EXISTS (SELECT 1 FROM task t WHERE t.task_id = task_comment.task_id));
-- An owner's chunk is seen while the record itself is still the owner's: a right that is taken away is gone at once, also
-- before the queue has reached it. TASK shows a developer that developer's own rows alone, by the policy above.
CREATE POLICY rag_chunk_reader ON rag_chunk FOR SELECT TO rag_reader
  USING ((SELECT rag_sees_everything())
    OR (audience = 'organization' AND (SELECT rag_employee_id()) IS NOT NULL)
    OR (owner_employee_id = (SELECT rag_employee_id())
      AND (source_type <> 'task' OR source_id IN (SELECT CAST(t.task_id AS VARCHAR(512)) FROM task t))));
CREATE POLICY rag_log_reader ON rag_log FOR INSERT TO rag_reader
  WITH CHECK (employee_id = (SELECT rag_employee_id()));
