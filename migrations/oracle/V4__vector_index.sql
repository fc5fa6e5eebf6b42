-- The vector index is made when there is data, since its centroids are chosen from it, and made anew when there is ten
-- times as much. ${RUNTIME} decides when, and may do these two things alone.

CREATE TABLE rag_vector_index (
  column_name VARCHAR2(128) NOT NULL,
  index_name  VARCHAR2(128) NOT NULL,
  built_rows  NUMBER        NOT NULL,
  built_at    TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT rag_vector_index_pk PRIMARY KEY (column_name)
);

COMMENT ON TABLE rag_vector_index IS 'For each vector index: how many chunks there were when its centroids were chosen';

COMMENT ON COLUMN rag_vector_index.column_name IS 'The vector column of RAG_CHUNK';

COMMENT ON COLUMN rag_vector_index.index_name IS 'Its index';

COMMENT ON COLUMN rag_vector_index.built_rows IS 'The vectors that there were when it was built';

COMMENT ON COLUMN rag_vector_index.built_at IS 'When it was built';

CREATE OR REPLACE PACKAGE rag_index AUTHID DEFINER AS
  -- Makes the index of a vector column of RAG_CHUNK, which then held p_rows vectors; nothing where another session makes it.
  PROCEDURE build(p_column IN VARCHAR2, p_rows IN NUMBER);
  -- Chooses the centroids anew, while searches go on.
  PROCEDURE rebuild(p_column IN VARCHAR2, p_rows IN NUMBER);
END rag_index;
/

CREATE OR REPLACE PACKAGE BODY rag_index AS
  FUNCTION name_of(p_column IN VARCHAR2) RETURN VARCHAR2 IS
  BEGIN
    IF p_column IS NULL OR NOT REGEXP_LIKE(p_column, '^EMBEDDING(_[0-9]{1,5})?$') THEN
      RAISE_APPLICATION_ERROR(-20002, 'not a vector column');
    END IF;
    RETURN 'RAG_CHUNK_IVF' || SUBSTR(p_column, LENGTH('EMBEDDING') + 1);
  END name_of;

  PROCEDURE note(p_column IN VARCHAR2, p_rows IN NUMBER) IS
    v_name CONSTANT VARCHAR2(128) := name_of(p_column);
  BEGIN
    UPDATE rag_vector_index SET built_rows = p_rows, built_at = CURRENT_TIMESTAMP WHERE column_name = p_column;
    IF SQL%ROWCOUNT = 0 THEN
      INSERT INTO rag_vector_index (column_name, index_name, built_rows) VALUES (p_column, v_name, p_rows);
    END IF;
    COMMIT;
  END note;

  PROCEDURE rebuild(p_column IN VARCHAR2, p_rows IN NUMBER) IS
  BEGIN
    EXECUTE IMMEDIATE 'ALTER INDEX ' || name_of(p_column) || ' REBUILD ONLINE';
    note(p_column, p_rows);
  END rebuild;

  PROCEDURE build(p_column IN VARCHAR2, p_rows IN NUMBER) IS
    v_name CONSTANT VARCHAR2(128) := name_of(p_column);
    v_count NUMBER;
  BEGIN
    SELECT COUNT(*) INTO v_count FROM user_indexes WHERE index_name = v_name;
    IF v_count > 0 THEN
      -- One that another session was cut off at.
      rebuild(p_column, p_rows);
      RETURN;
    END IF;
    -- Waits for writers rather than fail at once.
    EXECUTE IMMEDIATE 'ALTER SESSION SET DDL_LOCK_TIMEOUT = 10';
    EXECUTE IMMEDIATE 'CREATE VECTOR INDEX ' || v_name || ' ON rag_chunk (' || p_column || ')'
      || ' ORGANIZATION NEIGHBOR PARTITIONS DISTANCE COSINE WITH TARGET ACCURACY 90';
    note(p_column, p_rows);
  EXCEPTION
    WHEN OTHERS THEN
      -- The name is taken, or the column is indexed: another session was faster.
      IF SQLCODE NOT IN (-955, -1408) THEN
        RAISE;
      END IF;
  END build;
END rag_index;
/

GRANT EXECUTE ON rag_index TO ${RUNTIME};

GRANT SELECT ON rag_vector_index TO ${RUNTIME};
