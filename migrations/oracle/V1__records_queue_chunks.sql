-- Records, the re-index queue, the chunks and the question log, for Oracle Database 23.6 or newer.
-- ${OWNER}, ${RUNTIME}, ${CONTEXT} and ${TEXT_BYTES} (32767 where MAX_STRING_SIZE is EXTENDED, else 4000) are filled in.

CREATE TABLE employee (
  employee_id NUMBER              NOT NULL,
  subject     VARCHAR2(255 CHAR)  NOT NULL,
  first_name  VARCHAR2(200 CHAR)  NOT NULL,
  last_name   VARCHAR2(200 CHAR)  NOT NULL,
  role        VARCHAR2(20)        NOT NULL,
  CONSTRAINT employee_pk PRIMARY KEY (employee_id),
  CONSTRAINT employee_subject_uk UNIQUE (subject),
  CONSTRAINT employee_role_ck CHECK (role IN ('developer', 'manager', 'admin'))
);

CREATE TABLE project (
  project_id  NUMBER             NOT NULL,
  name        VARCHAR2(300 CHAR) NOT NULL,
  status      VARCHAR2(20)       NOT NULL,
  start_date  DATE,
  end_date    DATE,
  description CLOB,
  CONSTRAINT project_pk PRIMARY KEY (project_id),
  CONSTRAINT project_status_ck CHECK (status IN ('planning', 'active', 'completed', 'on_hold'))
);

CREATE TABLE sprint (
  sprint_id  NUMBER             NOT NULL,
  project_id NUMBER,
  name       VARCHAR2(300 CHAR) NOT NULL,
  status     VARCHAR2(20)       NOT NULL,
  start_date DATE,
  end_date   DATE,
  goal       CLOB,
  CONSTRAINT sprint_pk PRIMARY KEY (sprint_id),
  CONSTRAINT sprint_project_fk FOREIGN KEY (project_id) REFERENCES project (project_id),
  CONSTRAINT sprint_status_ck CHECK (status IN ('planned', 'active', 'completed'))
);

CREATE INDEX sprint_project_ix ON sprint (project_id);

CREATE TABLE task (
  task_id         NUMBER             NOT NULL,
  project_id      NUMBER,
  sprint_id       NUMBER,
  assignee_id     NUMBER,
  title           VARCHAR2(500 CHAR) NOT NULL,
  status          VARCHAR2(20)       NOT NULL,
  priority        VARCHAR2(20)       NOT NULL,
  story_points    NUMBER(9, 2),
  estimated_hours NUMBER(9, 2),
  due_date        DATE,
  description     CLOB,
  CONSTRAINT task_pk PRIMARY KEY (task_id),
  CONSTRAINT task_project_fk FOREIGN KEY (project_id) REFERENCES project (project_id),
  CONSTRAINT task_sprint_fk FOREIGN KEY (sprint_id) REFERENCES sprint (sprint_id),
  CONSTRAINT task_assignee_fk FOREIGN KEY (assignee_id) REFERENCES employee (employee_id),
  CONSTRAINT task_status_ck CHECK (status IN ('todo', 'in_progress', 'done', 'blocked')),
  CONSTRAINT task_priority_ck CHECK (priority IN ('low', 'medium', 'high', 'critical'))
);

CREATE INDEX task_project_ix ON task (project_id);

CREATE INDEX task_sprint_ix ON task (sprint_id);

CREATE INDEX task_assignee_ix ON task (assignee_id);

CREATE TABLE task_comment (
  task_id    NUMBER NOT NULL,
  comment_id NUMBER NOT NULL,
  content    CLOB   NOT NULL,
  CONSTRAINT task_comment_pk PRIMARY KEY (task_id, comment_id),
  CONSTRAINT task_comment_task_fk FOREIGN KEY (task_id) REFERENCES task (task_id)
);

CREATE TABLE rag_source (
  source_type VARCHAR2(40)       NOT NULL,
  source_id   VARCHAR2(512 CHAR) NOT NULL,
  generation  NUMBER             NOT NULL,
  state       VARCHAR2(20)       NOT NULL,
  chunk_count NUMBER(9)          NOT NULL,
  indexed_at  TIMESTAMP WITH TIME ZONE,
  last_error  VARCHAR2(2000 CHAR),
  CONSTRAINT rag_source_pk PRIMARY KEY (source_type, source_id),
  CONSTRAINT rag_source_state_ck CHECK (state IN ('ready', 'empty', 'failed', 'deleted'))
);

CREATE TABLE rag_chunk (
  chunk_id          NUMBER GENERATED ALWAYS AS IDENTITY,
  source_type       VARCHAR2(40)        NOT NULL,
  source_id         VARCHAR2(512 CHAR)  NOT NULL,
  chunk_no          NUMBER(9)           NOT NULL,
  section           NUMBER(9),
  owner_employee_id NUMBER,
  audience          VARCHAR2(40)        NOT NULL,
  project_id        NUMBER,
  sprint_id         NUMBER,
  title             VARCHAR2(1000 CHAR) NOT NULL,
  content           VARCHAR2(${TEXT_BYTES}) NOT NULL,
  content_hash      VARCHAR2(64)        NOT NULL,
  metadata          JSON,
  embedding         VECTOR(384, FLOAT32),
  embedding_model   VARCHAR2(128)       NOT NULL,
  updated_at        TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT rag_chunk_pk PRIMARY KEY (chunk_id),
  CONSTRAINT rag_chunk_uk UNIQUE (source_type, source_id, embedding_model, chunk_no)
);

CREATE INDEX rag_chunk_owner_ix ON rag_chunk (owner_employee_id);

CREATE INDEX rag_chunk_scope_ix ON rag_chunk (embedding_model, audience);

-- ORDER: the DIRTY_IDs of a source rise in the order in which its writes commit, on every instance of a cluster.
CREATE TABLE rag_dirty (
  dirty_id        NUMBER GENERATED ALWAYS AS IDENTITY (NOCACHE ORDER),
  source_type     VARCHAR2(40)       NOT NULL,
  source_id       VARCHAR2(512 CHAR) NOT NULL,
  action          VARCHAR2(10)       NOT NULL,
  enqueued_at     TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  attempts        NUMBER(9) DEFAULT 0 NOT NULL,
  last_error      VARCHAR2(2000 CHAR),
  claimed_until   TIMESTAMP WITH TIME ZONE,
  next_attempt_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT rag_dirty_pk PRIMARY KEY (dirty_id),
  CONSTRAINT rag_dirty_action_ck CHECK (action IN ('UPSERT', 'DELETE'))
);

CREATE INDEX rag_dirty_order_ix ON rag_dirty (enqueued_at, dirty_id);

CREATE INDEX rag_dirty_source_ix ON rag_dirty (source_type, source_id);

CREATE TABLE rag_log (
  log_id      NUMBER GENERATED ALWAYS AS IDENTITY,
  call_id     VARCHAR2(128 CHAR) NOT NULL,
  asked_at    TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  employee_id NUMBER             NOT NULL,
  question    CLOB               NOT NULL,
  outcome     VARCHAR2(20)       NOT NULL,
  answer      CLOB,
  retrieved   JSON               NOT NULL,
  cited       JSON               NOT NULL,
  model       VARCHAR2(128 CHAR),
  timings     JSON               NOT NULL,
  tokens      JSON,
  CONSTRAINT rag_log_pk PRIMARY KEY (log_id),
  CONSTRAINT rag_log_outcome_ck CHECK (outcome IN ('answered', 'not_found', 'off_topic', 'failed'))
);

COMMENT ON TABLE employee IS 'People: who they are to the token issuer, and their role';

COMMENT ON COLUMN employee.subject IS 'The value of the token''s claim that names this person';

COMMENT ON COLUMN employee.role IS 'developer sees the organisation''s records and their own, manager and admin everything';

COMMENT ON TABLE project IS 'Projects, seen by everybody known';

COMMENT ON TABLE sprint IS 'Sprints, seen by everybody known';

COMMENT ON TABLE task IS 'Tasks, seen by their assignee and by managers';

COMMENT ON COLUMN task.assignee_id IS 'Whose task it is; null: only managers see it';

COMMENT ON TABLE task_comment IS 'Comments, part of what is indexed of their task';

COMMENT ON TABLE rag_source IS 'One row for each source that was ever indexed: its state, and what makes late writers lose';

COMMENT ON COLUMN rag_source.generation IS 'The newest DIRTY_ID whose text or deletion is in the chunks';

COMMENT ON COLUMN rag_source.state IS 'ready, empty (nothing to index), failed (given up) or deleted';

COMMENT ON TABLE rag_chunk IS 'Passages with their vectors, for each embedding model of their own; written by the drain alone';

COMMENT ON COLUMN rag_chunk.section IS 'The larger unit that the passage was cut from; null: the passage is the whole';

COMMENT ON COLUMN rag_chunk.audience IS 'Who sees it besides managers: organization (everybody known) or owner (OWNER_EMPLOYEE_ID)';

COMMENT ON COLUMN rag_chunk.content_hash IS 'SHA-256, in hex, of the exact text embedded';

COMMENT ON COLUMN rag_chunk.embedding IS 'The vector, where the model has 384 dimensions; others are in EMBEDDING_<dimensions>';

COMMENT ON COLUMN rag_chunk.embedding_model IS 'The model that made the vector: distances of two models are never compared';

COMMENT ON TABLE rag_dirty IS 'The re-index queue: a row for each change of a source, written in the change''s own transaction';

COMMENT ON COLUMN rag_dirty.claimed_until IS 'Until when a drain holds the row; past: that drain is dead';

COMMENT ON COLUMN rag_dirty.attempts IS 'How often the row was claimed; at the limit it is parked until it is requeued';

COMMENT ON TABLE rag_log IS 'One row for each question, written also where the answer failed';
