-- Words are searched by the stems that the product writes beside each passage: those of the text's own language. Chunks without
-- a language are indexed again by the next bootstrap, which embeds nothing.

ALTER TABLE rag_chunk
  ADD COLUMN language VARCHAR(8),
  ADD COLUMN terms    TEXT;

CREATE INDEX rag_chunk_terms_ix ON rag_chunk USING gin (to_tsvector('simple', COALESCE(terms, '')));

-- Ranked by BM25 where the database has it (RAG_TEXT_INDEX=bm25). It may be there and not to be had: not preloaded, no right.
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'pg_textsearch') THEN
    BEGIN
      CREATE EXTENSION IF NOT EXISTS pg_textsearch;
      CREATE INDEX rag_chunk_bm25 ON rag_chunk USING bm25 (terms) WITH (text_config = 'simple', k1 = 1.2, b = 0.75);
    EXCEPTION WHEN OTHERS THEN
      RAISE NOTICE 'no index for BM25: %', SQLERRM;
    END;
  END IF;
END $$;
