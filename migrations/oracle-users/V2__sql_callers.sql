-- What the owner needs besides for the view and the package that SQL and APEX use.

GRANT CREATE VIEW TO ${OWNER};

-- The package that asks language models: PUBLIC may use it in most databases, and where it is missing nothing but RAG.ASK is.
BEGIN
  EXECUTE IMMEDIATE 'GRANT EXECUTE ON CTXSYS.DBMS_VECTOR_CHAIN TO ${OWNER}';
EXCEPTION
  WHEN OTHERS THEN
    -- No such package, or not for this administrator to give.
    IF SQLCODE NOT IN (-942, -990, -1031, -1720, -4042) THEN
      RAISE;
    END IF;
END;
/
