-- Words are searched by the stems that the product writes beside each passage: those of the text's own language. Chunks without
-- a language are indexed again by the next bootstrap, which embeds nothing.

ALTER TABLE rag_chunk
  ADD COLUMN language VARCHAR(8),
  ADD COLUMN terms    TEXT;

-- For the database's own full-text search. Where RAG_TEXT_INDEX is bm25, bootstrap makes the index for that.
CREATE INDEX rag_chunk_terms_ix ON rag_chunk USING gin (to_tsvector('simple', COALESCE(terms, '')));
