import { ModelUnavailable } from '../../core/errors.ts';
import { isConnectionLost, oracleCode, oracleNumber } from './errors.ts';
import { isName } from './names.ts';
import type { Session } from './session.ts';

const METADATA = `JSON('{"function":"embedding","embeddingOutput":"embedding","input":{"input":["DATA"]}}')`;

/** From object storage; the credential is NULL, since the URL is one itself. A model that is there by now is as good. */
const LOAD_FROM_CLOUD = `BEGIN
  DBMS_VECTOR.LOAD_ONNX_MODEL_CLOUD(
    model_name => :model_name, credential => NULL, uri => :uri,
    metadata => ${METADATA});
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -40204 AND INSTR(SQLERRM, 'ORA-40204') = 0 THEN
      RAISE;
    END IF;
END;`;

/** The same by way of memory, for databases without that procedure. */
const LOAD_FROM_OBJECT = `DECLARE
  v_model BLOB;
BEGIN
  v_model := DBMS_CLOUD.GET_OBJECT(credential_name => NULL, object_uri => :uri);
  DBMS_VECTOR.LOAD_ONNX_MODEL(
    model_name => :model_name, model_data => v_model,
    metadata => ${METADATA});
END;`;

const LOAD_FROM_DIRECTORY = `BEGIN
  DBMS_VECTOR.LOAD_ONNX_MODEL(
    directory => :directory_name, file_name => :file_name, model_name => :model_name,
    metadata => ${METADATA});
END;`;

/** PL/SQL that does not compile: here, since a procedure is missing. */
const NOT_COMPILED = 6550;

/** Loads a model from `source`, an https URL or DIRECTORY:file; the URL is a secret, and is in no error. */
export async function loadModel(session: Session, name: string, source: string): Promise<void> {
  if (source === '') {
    throw new ModelUnavailable(
      `The embedding model ${name} is not in the database; set RAG_EMBEDDING_MODEL_SOURCE to a pre-authenticated URL of ` +
        'its .onnx file, or to DIRECTORY:file of a file on the server, and run bootstrap again',
    );
  }
  try {
    if (/^https:\/\//i.test(source)) await loadFromUrl(session, name, source);
    else await loadFromFile(session, name, source);
  } catch (error) {
    if (error instanceof ModelUnavailable || isConnectionLost(error)) throw error;
    throw explain(name, source, error);
  }
}

async function loadFromUrl(session: Session, name: string, uri: string): Promise<void> {
  const binds = { model_name: name, uri };
  try {
    await session.run([{ kind: 'block', sql: LOAD_FROM_CLOUD, binds }]);
  } catch (error) {
    if (oracleNumber(error) !== NOT_COMPILED) throw error;
    await session.run([{ kind: 'block', sql: LOAD_FROM_OBJECT, binds }]);
  }
}

async function loadFromFile(session: Session, name: string, source: string): Promise<void> {
  const [directory = '', file = ''] = source.split(':', 2);
  if (!isName(directory) || !/^[\w.-]+$/.test(file)) {
    throw new ModelUnavailable('RAG_EMBEDDING_MODEL_SOURCE must be https://… or DIRECTORY:file');
  }
  const binds = { model_name: name, directory_name: directory, file_name: file };
  await session.run([{ kind: 'block', sql: LOAD_FROM_DIRECTORY, binds }]);
}

const RENEW =
  'Make a new one with `oci os preauth-request create --bucket-name <bucket> --object-name <file>.onnx --name model ' +
  '--access-type ObjectRead --time-expires <date>`, set RAG_EMBEDDING_MODEL_SOURCE to it, and run bootstrap again.';

/** By server number: why a load failed, and what to do. */
const CAUSES: Record<number, string> = {
  20401: `the pre-authenticated URL has expired or was withdrawn. ${RENEW}`,
  20403: `the pre-authenticated URL does not allow reading. ${RENEW}`,
  20404: `nothing is at the pre-authenticated URL: it is wrong, has expired, or its object is gone. ${RENEW}`,
  24247: 'the database may not reach the network: an access control list forbids it.',
  29283: 'the file is not in the directory, or the database may not read it.',
  22285: 'the directory does not exist, or its owner may not read it.',
  6550: 'this database has no DBMS_VECTOR.LOAD_ONNX_MODEL: it is older than 23ai, or the owner may not use the package.',
  1031: 'the owner lacks CREATE MINING MODEL; run bootstrap with an administrator login (RAG_DATABASE_ADMIN_USER).',
  54408: 'the file is not an augmented model: it takes tokens, not text. Use the one that Oracle publishes.',
  54426: 'the file is not an augmented model: it takes tokens, not text. Use the one that Oracle publishes.',
  54457: 'the database has too little memory for it.',
  54467: 'the database has too little memory for it.',
};

/** One error that names the cause and what mends it. Of Oracle's own message only the codes are kept: it may hold the URL. */
function explain(name: string, source: string, error: unknown): ModelUnavailable {
  const message = (error as Error).message;
  const codes = [...new Set(message.match(/\b(?:ORA|DRG|PLS|NJS|KUP)-\d{3,5}\b/g) ?? [])];
  const numbers = [oracleNumber(error) ?? 0, ...codes.map((code) => Number(code.replace(/^ORA-/, '')))];
  const known = numbers.map((number) => CAUSES[number]).find((cause) => cause !== undefined);
  const told = codes.length > 0 ? codes.join(', ') : oracleCode(error) || 'no code';
  const where = /^https:/i.test(source) ? 'its URL' : source;
  return new ModelUnavailable(
    `The embedding model ${name} could not be loaded from ${where} (${told}): ${known ?? 'see the codes in the Oracle error reference'}`,
  );
}
