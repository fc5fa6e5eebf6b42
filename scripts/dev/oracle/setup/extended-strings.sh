#!/bin/bash
# Run by the image once, after it has made the database. As in the cloud, a VARCHAR2 takes 32,767 bytes from here on: by
# the steps of the Database Reference (MAX_STRING_SIZE, in a PDB). A database that refuses them keeps its 4,000 bytes.
set -euo pipefail

sqlplus -s / as sysdba <<'SQL'
ALTER PLUGGABLE DATABASE freepdb1 CLOSE IMMEDIATE;
ALTER PLUGGABLE DATABASE freepdb1 OPEN UPGRADE;
ALTER SESSION SET CONTAINER = freepdb1;
ALTER SYSTEM SET max_string_size = EXTENDED;
@?/rdbms/admin/utl32k.sql
EXIT
SQL

sqlplus -s / as sysdba <<'SQL'
ALTER PLUGGABLE DATABASE freepdb1 CLOSE IMMEDIATE;
WHENEVER SQLERROR EXIT FAILURE
ALTER PLUGGABLE DATABASE freepdb1 OPEN;
ALTER SESSION SET CONTAINER = freepdb1;
WHENEVER SQLERROR CONTINUE
-- What the conversion has made invalid.
@?/rdbms/admin/utlrp.sql
SELECT LENGTHB(RPAD('x', 32767, 'x')) AS varchar2_bytes FROM dual;
EXIT
SQL
