-- Optional: The package RAG: search and answers for SQL and APEX (docs/sql.md).

-- The door for SQL and APEX. AUTHID DEFINER: callers need no right to tables, model or credential, and get none; what they may
-- see is decided by RAG_CALLER and the row policies, not by their database rights.
CREATE OR REPLACE PACKAGE rag AUTHID DEFINER AS
  -- From here on RAG_KNOWLEDGE shows what the session's person may see, until LEAVE.
  PROCEDURE enter;
  PROCEDURE leave;
  -- The nearest sources that the session's person may see, nearest first and one for each section of a record, as an array of
  -- {n, source_type, source_id, title, text, distance}. k: how many, 1 to 50 (RAG_RETRIEVAL_TOP_K). max_distance: how far the
  -- farthest may be, 0 to 2 (RAG_RETRIEVAL_CUTOFF).
  FUNCTION retrieve(question IN VARCHAR2, k IN NUMBER DEFAULT NULL, max_distance IN NUMBER DEFAULT NULL) RETURN JSON;
  -- A short answer that cites its sources as [n], or one of the fixed sentences: in the question's language from the model; the
  -- fixed ones in answer_language (en, es, fr, de, pt, it), else in the session's.
  FUNCTION ask(question IN VARCHAR2, answer_language IN VARCHAR2 DEFAULT NULL) RETURN CLOB;
END rag;
/

CREATE OR REPLACE PACKAGE BODY rag AS
  c_longest_question CONSTANT PLS_INTEGER := 4000;
  c_most_sources CONSTANT PLS_INTEGER := 50;

  -- Whom a call acts for; before that is known, the session is left as it was found.
  TYPE person IS RECORD (employee_id NUMBER, role VARCHAR2(20), was_entered BOOLEAN := TRUE);
  -- What came of a question, for RAG_LOG.
  TYPE asked IS RECORD (
    call_id VARCHAR2(64), question VARCHAR2(32767), language VARCHAR2(8), outcome VARCHAR2(20), reason VARCHAR2(60),
    error_code VARCHAR2(60), answer CLOB, cited rag_text.numbers, dropped NUMBER, model VARCHAR2(128 CHAR),
    search_ms NUMBER, answer_ms NUMBER);

  FUNCTION begin_for_session RETURN person IS
    v_person person;
  BEGIN
    v_person.was_entered := rag_caller.is_entered;
    -- Read anew each time: a role that was taken away holds no longer than a call.
    rag_caller.enter(v_person.employee_id, v_person.role);
    RETURN v_person;
  END begin_for_session;

  PROCEDURE end_for_session(p_person IN person) IS
  BEGIN
    IF NOT p_person.was_entered THEN
      rag_caller.leave;
    END IF;
  END end_for_session;

  PROCEDURE enter IS
    v_employee_id NUMBER;
    v_role VARCHAR2(20);
  BEGIN
    rag_caller.enter(v_employee_id, v_role);
  END enter;

  PROCEDURE leave IS
  BEGIN
    rag_caller.leave;
  END leave;

  PROCEDURE require_question(p_question IN VARCHAR2) IS
  BEGIN
    IF TRIM(p_question) IS NULL THEN
      RAISE_APPLICATION_ERROR(-20011, 'RAG: question must not be blank');
    ELSIF LENGTH(p_question) > c_longest_question THEN
      RAISE_APPLICATION_ERROR(-20011, 'RAG: question is at most ' || c_longest_question || ' characters, got '
        || LENGTH(p_question));
    END IF;
  END require_question;

  FUNCTION retrieve(question IN VARCHAR2, k IN NUMBER DEFAULT NULL, max_distance IN NUMBER DEFAULT NULL) RETURN JSON IS
    v_person person;
    v_settings rag_setting%ROWTYPE;
    v_hits rag_text.hits;
    v_source JSON_OBJECT_T;
    v_sources JSON_ARRAY_T := JSON_ARRAY_T();
  BEGIN
    require_question(question);
    IF k <> TRUNC(k) OR k NOT BETWEEN 1 AND c_most_sources THEN
      RAISE_APPLICATION_ERROR(-20011, 'RAG: k must be a whole number from 1 to ' || c_most_sources);
    ELSIF max_distance NOT BETWEEN 0 AND 2 THEN
      RAISE_APPLICATION_ERROR(-20011, 'RAG: max_distance must be a number from 0 to 2');
    END IF;
    v_settings := rag_search.settings;
    v_person := begin_for_session;
    v_hits := rag_search.nearest(v_person.employee_id, v_person.role, v_settings, question, NVL(k, v_settings.top_k));
    FOR n IN 1 .. v_hits.COUNT LOOP
      EXIT WHEN v_hits(n).distance > NVL(max_distance, v_settings.cutoff);
      v_source := JSON_OBJECT_T();
      v_source.put('n', n);
      v_source.put('source_type', v_hits(n).source_type);
      v_source.put('source_id', v_hits(n).source_id);
      v_source.put('title', v_hits(n).title);
      v_source.put('text', v_hits(n).text);
      v_source.put('distance', ROUND(v_hits(n).distance, 4));
      v_sources.append(v_source);
    END LOOP;
    end_for_session(v_person);
    RETURN JSON(v_sources.to_clob());
  EXCEPTION
    WHEN OTHERS THEN
      end_for_session(v_person);
      -- The product's own errors are for callers; what else goes wrong is told by its number alone.
      IF SQLCODE BETWEEN -20019 AND -20010 THEN
        RAISE;
      END IF;
      RAISE_APPLICATION_ERROR(-20019, 'RAG: the search failed with ORA-' || LPAD(ABS(SQLCODE), 5, '0'));
  END retrieve;

  -- In a transaction of its own: the row stays when the caller's is undone, and a query may ask.
  PROCEDURE log_question(
    p_person IN person, p_settings IN rag_setting%ROWTYPE, p_hits IN rag_text.hits, p_asked IN asked) IS
    PRAGMA AUTONOMOUS_TRANSACTION;
    v_hit JSON_OBJECT_T;
    v_timings JSON_OBJECT_T := JSON_OBJECT_T();
    v_retrieved JSON_ARRAY_T := JSON_ARRAY_T();
    v_cited JSON_ARRAY_T := JSON_ARRAY_T();
    v_question CLOB := CASE WHEN p_settings.keeps_text = 1 THEN p_asked.question END;
    v_answer CLOB := CASE WHEN p_settings.keeps_text = 1 THEN p_asked.answer END;
    v_retrieved_text CLOB;
    v_cited_text CLOB;
    v_timings_text CLOB;
  BEGIN
    FOR n IN 1 .. p_hits.COUNT LOOP
      v_hit := JSON_OBJECT_T();
      v_hit.put('n', n);
      v_hit.put('chunkId', p_hits(n).chunk_id);
      v_hit.put('sourceType', p_hits(n).source_type);
      v_hit.put('sourceId', p_hits(n).source_id);
      v_hit.put('distance', p_hits(n).distance);
      v_hit.put_null('textScore');
      v_hit.put_null('fused');
      v_hit.put('exact', FALSE);
      v_retrieved.append(v_hit);
      IF p_asked.cited.EXISTS(n) THEN
        v_cited.append(p_hits(n).chunk_id);
      END IF;
    END LOOP;
    v_timings.put('search', NVL(p_asked.search_ms, 0));
    v_timings.put('answer', NVL(p_asked.answer_ms, 0));
    v_retrieved_text := v_retrieved.to_clob();
    v_cited_text := v_cited.to_clob();
    v_timings_text := v_timings.to_clob();
    INSERT INTO rag_log (call_id, employee_id, question, language, outcome, reason, error_code, answer, cutoff, retrieved,
      dropped_sources, cited, model, timings)
    VALUES (p_asked.call_id, p_person.employee_id, v_question, p_asked.language, p_asked.outcome, p_asked.reason,
      p_asked.error_code, v_answer, p_settings.cutoff, JSON(v_retrieved_text),
      p_asked.dropped, JSON(v_cited_text), p_asked.model, JSON(v_timings_text));
    COMMIT;
  EXCEPTION
    WHEN OTHERS THEN
      ROLLBACK;
      RAISE;
  END log_question;

  -- The model's reply; the database itself is who asks OCI Generative AI. By a text that never changes, so that the package
  -- compiles where DBMS_VECTOR_CHAIN is missing.
  FUNCTION reply_to(p_prompt IN CLOB, p_params IN VARCHAR2) RETURN CLOB IS
    v_reply CLOB;
  BEGIN
    EXECUTE IMMEDIATE 'BEGIN :reply := DBMS_VECTOR_CHAIN.UTL_TO_GENERATE_TEXT(:prompt, JSON(:params)); END;'
      USING OUT v_reply, IN p_prompt, IN p_params;
    RETURN v_reply;
  END reply_to;

  FUNCTION milliseconds_since(p_start IN TIMESTAMP WITH TIME ZONE) RETURN NUMBER IS
    v_time CONSTANT INTERVAL DAY TO SECOND := SYSTIMESTAMP - p_start;
  BEGIN
    RETURN ROUND(1000 * (EXTRACT(SECOND FROM v_time) + 60 * EXTRACT(MINUTE FROM v_time)), 1);
  END milliseconds_since;

  FUNCTION new_fence(p_key IN VARCHAR2) RETURN VARCHAR2 IS
    v_fence VARCHAR2(64);
  BEGIN
    -- Of a secret and of what occurs once: unguessable without a right to DBMS_CRYPTO.
    SELECT LOWER(RAWTOHEX(STANDARD_HASH(p_key || RAWTOHEX(SYS_GUID()), 'SHA256'))) INTO v_fence FROM dual;
    RETURN SUBSTR(v_fence, 1, 32);
  END new_fence;

  -- Answers from the sources found, by the rules of the functions (ask/ask.ts). NOCOPY: what is known when it fails is logged.
  PROCEDURE answer_from(
    p_person IN person, p_settings IN rag_setting%ROWTYPE, p_hits IN rag_text.hits, p_asked IN OUT NOCOPY asked) IS
    v_start TIMESTAMP WITH TIME ZONE;
    v_prompt CLOB;
    v_reply CLOB;
  BEGIN
    IF p_hits.COUNT = 0 OR p_hits(1).distance > p_settings.cutoff THEN
      p_asked.outcome := 'off_topic';
      p_asked.answer := rag_text.off_topic(p_asked.language);
      RETURN;
    END IF;
    IF p_settings.answer_params IS NULL THEN
      p_asked.error_code := 'no_answer_model';
      RAISE_APPLICATION_ERROR(-20014, 'RAG: no model of OCI Generative AI is set (RAG_ANSWER_MODEL=oci:…), so that RAG.ASK '
        || 'cannot answer; RAG.RETRIEVE needs none');
    END IF;
    p_asked.error_code := 'model_call_limit';
    rag_caller.take_model_call(p_person.employee_id, p_settings.calls_per_day, p_settings.calls_per_person);
    p_asked.error_code := 'answer_model_unavailable';
    p_asked.model := p_settings.answer_model;
    rag_text.build_prompt(p_asked.question, p_hits, new_fence(p_settings.fence_key), v_prompt, p_asked.dropped);
    v_start := SYSTIMESTAMP;
    v_reply := reply_to(v_prompt, p_settings.answer_params);
    p_asked.answer_ms := milliseconds_since(v_start);
    p_asked.error_code := NULL;
    rag_text.check_citations(v_reply, p_hits.COUNT - p_asked.dropped, p_asked.answer, p_asked.cited);
    IF p_asked.cited.COUNT = 0 OR rag_text.is_not_found(v_reply) THEN
      p_asked.outcome := 'not_found';
      p_asked.answer := rag_text.not_found(p_asked.language);
      p_asked.cited.DELETE;
    ELSE
      p_asked.outcome := 'answered';
    END IF;
  END answer_from;

  FUNCTION ask(question IN VARCHAR2, answer_language IN VARCHAR2 DEFAULT NULL) RETURN CLOB IS
    v_person person;
    v_settings rag_setting%ROWTYPE;
    v_hits rag_text.hits;
    v_asked asked;
    v_start TIMESTAMP WITH TIME ZONE;
    v_code NUMBER;
    v_log_code NUMBER;
  BEGIN
    require_question(question);
    v_asked.call_id := 'sql-' || LOWER(RAWTOHEX(SYS_GUID()));
    v_asked.question := question;
    v_asked.language := rag_text.language_of(answer_language);
    v_settings := rag_search.settings;
    v_person := begin_for_session;
    v_start := SYSTIMESTAMP;
    v_hits := rag_search.nearest(v_person.employee_id, v_person.role, v_settings, question, v_settings.top_k);
    v_asked.search_ms := milliseconds_since(v_start);
    answer_from(v_person, v_settings, v_hits, v_asked);
    log_question(v_person, v_settings, v_hits, v_asked);
    end_for_session(v_person);
    RETURN v_asked.answer;
  EXCEPTION
    WHEN OTHERS THEN
      v_code := SQLCODE;
      IF v_person.employee_id IS NOT NULL THEN
        BEGIN
          v_asked.outcome := 'failed';
          v_asked.answer := NULL;
          v_asked.reason := 'ORA-' || LPAD(ABS(v_code), 5, '0');
          v_asked.error_code := NVL(v_asked.error_code, 'internal_error');
          log_question(v_person, v_settings, v_hits, v_asked);
        EXCEPTION
          WHEN OTHERS THEN
            -- What failed first is what the caller hears of.
            v_log_code := SQLCODE;
        END;
      END IF;
      end_for_session(v_person);
      IF v_code BETWEEN -20019 AND -20010 THEN
        RAISE;
      END IF;
      RAISE_APPLICATION_ERROR(-20019, 'RAG: no answer: ' || NVL(v_asked.error_code, 'internal_error') || ', ORA-'
        || LPAD(ABS(v_code), 5, '0') || CASE WHEN v_log_code IS NULL THEN '; RAG_LOG has it as ' || v_asked.call_id
        ELSE '; RAG_LOG could not be written: ORA-' || LPAD(ABS(v_log_code), 5, '0') END);
  END ask;
END rag;
/
