#!/bin/bash
# Run by the image at each start, as SYS: what bootstrap needs and SYSTEM cannot do. Every statement may be run again.
set -euo pipefail

sqlplus -s / as sysdba <<'SQL'
WHENEVER SQLERROR EXIT FAILURE
-- In both: nobody changes these passwords in time, and a wrong one tried too often would lock SYSTEM.
ALTER PROFILE default LIMIT FAILED_LOGIN_ATTEMPTS UNLIMITED PASSWORD_LIFE_TIME UNLIMITED;
ALTER SESSION SET CONTAINER = freepdb1;
ALTER PROFILE default LIMIT FAILED_LOGIN_ATTEMPTS UNLIMITED PASSWORD_LIFE_TIME UNLIMITED;

-- SYSTEM may not pass on what is SYS's, nor, in a protected schema, what is Oracle Text's.
GRANT EXECUTE ON sys.dbms_rls TO system WITH GRANT OPTION;
GRANT EXECUTE ON ctxsys.ctx_ddl TO system WITH GRANT OPTION;

-- To PUBLIC: bootstrap makes the owner and loads the model in one go, so there is no moment to grant it to the owner alone.
-- It may be read only, it holds a file that Oracle publishes, and only this machine reaches the database.
CREATE OR REPLACE DIRECTORY rag_models AS '/models';
GRANT READ ON DIRECTORY rag_models TO PUBLIC;
EXIT
SQL

# For the health check: the passwords are set and all scripts have run.
touch /tmp/oci-rag-ready
