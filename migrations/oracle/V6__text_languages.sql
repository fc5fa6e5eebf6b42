-- Words are searched by the stems that the product writes beside each passage: those of the text's own language. Their index
-- takes the place of that of the passages themselves.

ALTER TABLE rag_chunk ADD (language VARCHAR2(8));

ALTER TABLE rag_chunk ADD (terms VARCHAR2(${TEXT_BYTES}));

COMMENT ON COLUMN rag_chunk.language IS 'The language of the whole text, as ISO 639-1 code; null until it is indexed again';

COMMENT ON COLUMN rag_chunk.terms IS 'The stems of the passage''s words, which the text index holds';

-- A text index that was cut off stays in the catalog, and every write to its table fails until it is dropped.
DECLARE
  v_is_there NUMBER;
BEGIN
  FOR r IN (
    SELECT index_name FROM user_indexes
    WHERE index_name = 'RAG_CHUNK_TEXT'
      OR (index_name = 'RAG_CHUNK_TERMS'
        AND (NVL(domidx_opstatus, '-') <> 'VALID' OR NVL(domidx_status, '-') <> 'VALID'))
  ) LOOP
    EXECUTE IMMEDIATE 'DROP INDEX ' || r.index_name || ' FORCE';
  END LOOP;
  SELECT COUNT(*) INTO v_is_there FROM user_indexes WHERE index_name = 'RAG_CHUNK_TERMS';
  IF v_is_there = 0 THEN
    EXECUTE IMMEDIATE q'[CREATE INDEX rag_chunk_terms ON rag_chunk (terms) INDEXTYPE IS CTXSYS.CONTEXT
      PARAMETERS ('LEXER RAG_LEXER STOPLIST CTXSYS.EMPTY_STOPLIST SYNC (ON COMMIT)')]';
  END IF;
END;
/
