-- The two users of the product, made and kept by an administrator (ADMIN in the cloud, SYSTEM elsewhere). Every statement may
-- be run again. ${OWNER} owns tables, packages, row policies and the embedding model, and logs in for bootstrap alone.
-- ${RUNTIME} is whom the functions log in as: it owns nothing, and can neither alter nor bypass a row policy.

CREATE USER IF NOT EXISTS ${OWNER} NO AUTHENTICATION;

CREATE USER IF NOT EXISTS ${RUNTIME} NO AUTHENTICATION;

-- Rights that stored code of the owner needs are given to the owner itself: roles do not count there.
GRANT CREATE SESSION, CREATE TABLE, CREATE SEQUENCE, CREATE PROCEDURE, CREATE MINING MODEL, CREATE ANY CONTEXT,
  UNLIMITED TABLESPACE TO ${OWNER};

-- With Oracle Text's own package, which is used in blocks alone, where roles do count.
GRANT CTXAPP TO ${OWNER};

GRANT CREATE SESSION TO ${RUNTIME};

-- What an administrator may not be allowed to pass on, or a database does not have. Where it is needed and lacks, the
-- migration that needs it says so.
DECLARE
  v_is_given BOOLEAN;

  FUNCTION is_given(p_right IN VARCHAR2) RETURN BOOLEAN IS
  BEGIN
    EXECUTE IMMEDIATE 'GRANT ' || p_right || ' TO ${OWNER}';
    RETURN TRUE;
  EXCEPTION
    WHEN OTHERS THEN
      -- No such package, role or privilege, or not for this administrator to give.
      IF SQLCODE IN (-942, -990, -1031, -1720, -1919, -4042) THEN
        RETURN FALSE;
      END IF;
      RAISE;
  END is_given;
BEGIN
  -- The role brings the right to use DBMS_RLS where that cannot be given by itself.
  v_is_given := is_given('EXECUTE ON SYS.DBMS_RLS') OR is_given('DB_DEVELOPER_ROLE');
  v_is_given := is_given('ADMINISTER ROW LEVEL SECURITY POLICY ON SCHEMA ${OWNER}');
  v_is_given := is_given('EXECUTE ON CTXSYS.CTX_DDL');
  -- The model is fetched through it; a database without it loads the model by other routes.
  v_is_given := is_given('EXECUTE ON DBMS_CLOUD');
END;
/

-- A service has nobody who changes its password in time; without the profile it expires after what the default one says.
BEGIN
  EXECUTE IMMEDIATE 'CREATE PROFILE ${OWNER}_SERVICE LIMIT PASSWORD_LIFE_TIME UNLIMITED';
EXCEPTION
  WHEN OTHERS THEN
    -- It is there already.
    IF SQLCODE <> -2379 THEN
      RAISE;
    END IF;
END;
/

ALTER USER ${OWNER} PROFILE ${OWNER}_SERVICE;

ALTER USER ${RUNTIME} PROFILE ${OWNER}_SERVICE;
