-- A source has chunks of the next embedding model beside those of the current one, each numbered from 0.

ALTER TABLE rag_chunk
  DROP CONSTRAINT rag_chunk_source_type_source_id_chunk_no_key,
  ADD CONSTRAINT rag_chunk_uk UNIQUE (source_type, source_id, embedding_model, chunk_no);
