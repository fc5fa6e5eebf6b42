-- Words are searched in the passages by Oracle Text: accents do not count, and what is committed can be found.

BEGIN
  CTX_DDL.CREATE_PREFERENCE('RAG_LEXER', 'BASIC_LEXER');
EXCEPTION
  WHEN OTHERS THEN
    -- ORA-20000 with DRG-10701: it is there already.
    IF SQLCODE <> -20000 OR INSTR(SQLERRM, 'DRG-10701') = 0 THEN
      RAISE;
    END IF;
END;
/

BEGIN
  CTX_DDL.SET_ATTRIBUTE('RAG_LEXER', 'BASE_LETTER', 'YES');
END;
/

-- A text index that was cut off stays in the catalog, and every write to its table fails until it is dropped.
DECLARE
  v_is_there NUMBER;
BEGIN
  FOR r IN (
    SELECT index_name FROM user_indexes
    WHERE index_name = 'RAG_CHUNK_TEXT' AND (NVL(domidx_opstatus, '-') <> 'VALID' OR NVL(domidx_status, '-') <> 'VALID')
  ) LOOP
    EXECUTE IMMEDIATE 'DROP INDEX ' || r.index_name || ' FORCE';
  END LOOP;
  SELECT COUNT(*) INTO v_is_there FROM user_indexes WHERE index_name = 'RAG_CHUNK_TEXT';
  IF v_is_there = 0 THEN
    EXECUTE IMMEDIATE q'[CREATE INDEX rag_chunk_text ON rag_chunk (content) INDEXTYPE IS CTXSYS.CONTEXT
      PARAMETERS ('LEXER RAG_LEXER STOPLIST CTXSYS.EMPTY_STOPLIST SYNC (ON COMMIT)')]';
  END IF;
END;
/
