-- The two users of the product, made and kept by an administrator (ADMIN in the cloud, SYSTEM elsewhere). Every statement may
-- be run again. ${OWNER} owns tables, packages, row policies and the embedding model, and logs in for bootstrap alone.
-- ${RUNTIME} is whom the functions log in as: it owns nothing, and can neither alter nor bypass a row policy.

CREATE USER IF NOT EXISTS ${OWNER} NO AUTHENTICATION;

CREATE USER IF NOT EXISTS ${RUNTIME} NO AUTHENTICATION;

-- Rights that stored code of the owner needs are given to the owner itself: roles do not count there.
GRANT CREATE SESSION, CREATE TABLE, CREATE SEQUENCE, CREATE PROCEDURE, CREATE MINING MODEL, CREATE ANY CONTEXT,
  UNLIMITED TABLESPACE TO ${OWNER};

GRANT CTXAPP TO ${OWNER};

GRANT EXECUTE ON CTXSYS.CTX_DDL TO ${OWNER};

GRANT EXECUTE ON SYS.DBMS_RLS TO ${OWNER};

GRANT CREATE SESSION TO ${RUNTIME};

-- Where the model is fetched through DBMS_CLOUD; a database without that package loads it by other routes.
BEGIN
  EXECUTE IMMEDIATE 'GRANT EXECUTE ON DBMS_CLOUD TO ${OWNER}';
EXCEPTION
  WHEN OTHERS THEN
    -- No such package, or not for this administrator to give.
    IF SQLCODE NOT IN (-942, -1031, -1720, -4042) THEN
      RAISE;
    END IF;
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
