-- Words are searched in the passages by Oracle Text: accents do not count, and what is committed can be found.

BEGIN
  CTX_DDL.CREATE_PREFERENCE('RAG_LEXER', 'BASIC_LEXER');
  CTX_DDL.SET_ATTRIBUTE('RAG_LEXER', 'BASE_LETTER', 'YES');
EXCEPTION
  WHEN OTHERS THEN
    -- ORA-20000 with DRG-10701: it is there already.
    IF SQLCODE <> -20000 OR INSTR(SQLERRM, 'DRG-10701') = 0 THEN
      RAISE;
    END IF;
END;
/

CREATE INDEX rag_chunk_text ON rag_chunk (content) INDEXTYPE IS CTXSYS.CONTEXT
  PARAMETERS ('LEXER RAG_LEXER STOPLIST CTXSYS.EMPTY_STOPLIST SYNC (ON COMMIT)');
