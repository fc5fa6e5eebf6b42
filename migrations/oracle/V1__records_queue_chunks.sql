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

COMMENT ON COLUMN employee.employee_id IS 'The number that records refer to';

COMMENT ON COLUMN employee.subject IS 'The value of the token''s claim that names this person';

COMMENT ON COLUMN employee.first_name IS 'Shown by the tasks assigned to this person';

COMMENT ON COLUMN employee.last_name IS 'Shown by the tasks assigned to this person';

COMMENT ON COLUMN employee.role IS 'developer sees the organisation''s records and their own, manager and admin everything';

COMMENT ON TABLE project IS 'Projects, seen by everybody known';

COMMENT ON COLUMN project.project_id IS 'The number that records refer to';

COMMENT ON COLUMN project.name IS 'Shown by its sprints and tasks';

COMMENT ON COLUMN project.status IS 'planning, active, completed or on_hold';

COMMENT ON COLUMN project.start_date IS 'First day, if known';

COMMENT ON COLUMN project.end_date IS 'Last day, if known';

COMMENT ON COLUMN project.description IS 'Free text, at most 100,000 characters';

COMMENT ON TABLE sprint IS 'Sprints, seen by everybody known';

COMMENT ON COLUMN sprint.sprint_id IS 'The number that records refer to';

COMMENT ON COLUMN sprint.project_id IS 'Its project, if it has one';

COMMENT ON COLUMN sprint.name IS 'Shown by its tasks';

COMMENT ON COLUMN sprint.status IS 'planned, active or completed';

COMMENT ON COLUMN sprint.start_date IS 'First day, if known';

COMMENT ON COLUMN sprint.end_date IS 'Last day, if known';

COMMENT ON COLUMN sprint.goal IS 'Free text';

COMMENT ON TABLE task IS 'Tasks, seen by their assignee and by managers';

COMMENT ON COLUMN task.task_id IS 'The number that records refer to';

COMMENT ON COLUMN task.project_id IS 'Its project, if it has one';

COMMENT ON COLUMN task.sprint_id IS 'Its sprint, if it has one';

COMMENT ON COLUMN task.assignee_id IS 'Whose task it is; null: only managers see it';

COMMENT ON COLUMN task.title IS 'One line';

COMMENT ON COLUMN task.status IS 'todo, in_progress, done or blocked';

COMMENT ON COLUMN task.priority IS 'low, medium, high or critical';

COMMENT ON COLUMN task.story_points IS 'Its size, if estimated';

COMMENT ON COLUMN task.estimated_hours IS 'Its effort, if estimated';

COMMENT ON COLUMN task.due_date IS 'When it should be done, if known';

COMMENT ON COLUMN task.description IS 'Free text, at most 100,000 characters';

COMMENT ON TABLE task_comment IS 'Comments, part of what is indexed of their task';

COMMENT ON COLUMN task_comment.task_id IS 'The task';

COMMENT ON COLUMN task_comment.comment_id IS 'The number of the comment within its task';

COMMENT ON COLUMN task_comment.content IS 'Free text';

COMMENT ON TABLE rag_source IS 'One row for each source that was ever indexed: its state, and what makes late writers lose';

COMMENT ON COLUMN rag_source.source_type IS 'The kind of source: task, sprint, project';

COMMENT ON COLUMN rag_source.source_id IS 'The source''s number, or another name within its kind';

COMMENT ON COLUMN rag_source.generation IS 'The newest DIRTY_ID whose text or deletion is in the chunks';

COMMENT ON COLUMN rag_source.state IS 'ready, empty (nothing to index), failed (given up) or deleted';

COMMENT ON COLUMN rag_source.chunk_count IS 'The chunks of the current embedding model';

COMMENT ON COLUMN rag_source.indexed_at IS 'When the chunks were last switched';

COMMENT ON COLUMN rag_source.last_error IS 'Why the last attempt failed; null: it did not';

COMMENT ON TABLE rag_chunk IS 'Passages with their vectors, for each embedding model of their own; written by the drain alone';

COMMENT ON COLUMN rag_chunk.chunk_id IS 'The passage';

COMMENT ON COLUMN rag_chunk.source_type IS 'The kind of source that it was cut from';

COMMENT ON COLUMN rag_chunk.source_id IS 'The source that it was cut from';

COMMENT ON COLUMN rag_chunk.chunk_no IS 'Its place in the source, from 0';

COMMENT ON COLUMN rag_chunk.section IS 'The larger unit that the passage was cut from; null: the passage is the whole';

COMMENT ON COLUMN rag_chunk.owner_employee_id IS 'Whose it is; null: nobody''s';

COMMENT ON COLUMN rag_chunk.audience IS 'Who sees it besides managers: organization (everybody known) or owner (OWNER_EMPLOYEE_ID)';

COMMENT ON COLUMN rag_chunk.project_id IS 'The project of its source';

COMMENT ON COLUMN rag_chunk.sprint_id IS 'The sprint of its source';

COMMENT ON COLUMN rag_chunk.title IS 'What it is cited by';

COMMENT ON COLUMN rag_chunk.content IS 'The exact text embedded';

COMMENT ON COLUMN rag_chunk.content_hash IS 'SHA-256, in hex, of the exact text embedded';

COMMENT ON COLUMN rag_chunk.metadata IS 'What is known of its source besides';

COMMENT ON COLUMN rag_chunk.embedding IS 'The vector, where the model has 384 dimensions; others are in EMBEDDING_<dimensions>';

COMMENT ON COLUMN rag_chunk.embedding_model IS 'The model that made the vector: distances of two models are never compared';

COMMENT ON COLUMN rag_chunk.updated_at IS 'When text, rights or metadata were last written';

COMMENT ON TABLE rag_dirty IS 'The re-index queue: a row for each change of a source, written in the change''s own transaction';

COMMENT ON COLUMN rag_dirty.dirty_id IS 'Rises in the order in which the writes of a source commit';

COMMENT ON COLUMN rag_dirty.source_type IS 'The kind of source that changed';

COMMENT ON COLUMN rag_dirty.source_id IS 'The source that changed';

COMMENT ON COLUMN rag_dirty.action IS 'UPSERT or DELETE';

COMMENT ON COLUMN rag_dirty.enqueued_at IS 'When it changed: the order of the queue';

COMMENT ON COLUMN rag_dirty.attempts IS 'How often the row was claimed; at the limit it is parked until it is requeued';

COMMENT ON COLUMN rag_dirty.last_error IS 'Why the last attempt failed';

COMMENT ON COLUMN rag_dirty.claimed_until IS 'Until when a drain holds the row; past: that drain is dead';

COMMENT ON COLUMN rag_dirty.next_attempt_at IS 'Not before this time, after a failure';

COMMENT ON TABLE rag_log IS 'One row for each question, written also where the answer failed';

COMMENT ON COLUMN rag_log.log_id IS 'The question';

COMMENT ON COLUMN rag_log.call_id IS 'The call, as in the functions'' log';

COMMENT ON COLUMN rag_log.asked_at IS 'When it was asked';

COMMENT ON COLUMN rag_log.employee_id IS 'Who asked';

COMMENT ON COLUMN rag_log.question IS 'The question as asked';

COMMENT ON COLUMN rag_log.outcome IS 'answered, not_found, off_topic or failed';

COMMENT ON COLUMN rag_log.answer IS 'What was said; null where it failed';

COMMENT ON COLUMN rag_log.retrieved IS 'The chunks found, with their distances';

COMMENT ON COLUMN rag_log.cited IS 'The chunks that the answer cites';

COMMENT ON COLUMN rag_log.model IS 'Who answered; null: no model was asked';

COMMENT ON COLUMN rag_log.timings IS 'Milliseconds by stage';

COMMENT ON COLUMN rag_log.tokens IS 'What the language model used, if one did';
