-- The question log holds what it takes to explain an answer; its texts may be kept out. Model calls are counted by day.

ALTER TABLE rag_log
  ALTER COLUMN question DROP NOT NULL,
  ADD COLUMN standalone_question TEXT,
  ADD COLUMN language            VARCHAR(8),
  ADD COLUMN reason              VARCHAR(60),
  ADD COLUMN error_code          VARCHAR(60),
  ADD COLUMN cutoff              DOUBLE PRECISION,
  ADD COLUMN dropped_sources     INTEGER,
  ADD COLUMN support             JSON,
  ADD COLUMN removed_citations   JSON,
  ADD COLUMN cold                SMALLINT;
CREATE INDEX rag_log_call_ix ON rag_log (call_id);
CREATE INDEX rag_log_asked_ix ON rag_log (asked_at);

-- People read the questions that they have asked themselves, managers and admins everybody's.
GRANT SELECT ON rag_log TO rag_reader;
GRANT DELETE ON rag_log TO rag_system;
CREATE POLICY rag_log_read ON rag_log FOR SELECT TO rag_reader
  USING ((SELECT rag_sees_everything()) OR employee_id = (SELECT rag_employee_id()));

CREATE TABLE rag_usage (
  usage_day   DATE   NOT NULL,
  employee_id BIGINT NOT NULL, -- 0: everybody together
  model_calls BIGINT NOT NULL,
  PRIMARY KEY (usage_day, employee_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON rag_usage TO rag_system;
