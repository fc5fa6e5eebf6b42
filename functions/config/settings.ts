import { MAX_SECTION_SIZE, MIN_SECTION_SIZE, MIN_WINDOW } from '../core/passages.ts';
import { isNumber, keySet, oneOf, optional, type Reader, required, time, whole, within } from './readers.ts';

const ENCODER_ADDRESS =
  /^(database$|unix:\/|https?:\/\/|oci:[a-z]+-[a-z]+-\d+:ocid1\.(compartment|tenancy)\.[\w.-]+$|folder:.)/;
const ENCODER_ADDRESS_FAULT =
  'must be database, unix:/path, http://host:port, oci:<region>:<compartment OCID> or folder:/path';

const COMPARTMENT = /^ocid1\.(compartment|tenancy)\.[\w.-]+$/;
const COMPARTMENT_FAULT = 'must be the OCID of a compartment';

const ORACLE_NAME = /^[A-Z][A-Z0-9_]{0,29}$/;
const ORACLE_NAME_FAULT = 'must be an Oracle name: A-Z, 0-9 and _, a letter first, at most 30';

/**
 * Every knob: its environment name, its default, its limits. Plain readers rather than a schema, since each cold call
 * reads them.
 */
export const SETTINGS = {
  /**
   * Where the records are: oracle: and a connect string (a descriptor, host:port/service, an alias of the wallet's
   * tnsnames.ora), or postgres://user:password@host/database (?host=/folder for a Unix socket).
   */
  RAG_DATABASE: required(
    'a database address, oracle:… or postgres://…',
    /^(postgres(ql)?:\/\/|oracle:.)/,
    'must start with oracle: or postgres://',
  ),
  /** PostgreSQL: how words are ranked, by its own full-text search, or by BM25 where it has the extension pg_textsearch. */
  RAG_TEXT_INDEX: oneOf('fulltext', 'bm25'),
  /** Connections a function process holds at most; an Always Free database has 30 for everybody. */
  RAG_DATABASE_POOL_MAX: whole(1, 20, 2),
  /** Oracle: as whom the functions log in, and the password, or vault:<OCID of the secret that holds it>. */
  RAG_DATABASE_USER: optional('RAG_RUNTIME', ORACLE_NAME, ORACLE_NAME_FAULT),
  RAG_DATABASE_PASSWORD: optional(''),
  /** Instead of the password, a token of the function's resource principal for urn:oracle:db::id::<compartment>::<database>. */
  RAG_DATABASE_TOKEN_SCOPE: optional(
    '',
    /^urn:oracle:db::id::[^*]+$/,
    'must be urn:oracle:db::id::<compartment>::<database>',
  ),
  /** For mutual TLS: the folder with ewallet.pem and tnsnames.ora. */
  RAG_DATABASE_WALLET: optional(''),
  RAG_DATABASE_WALLET_PASSWORD: optional(''),
  /** Who owns tables and model; bootstrap logs in so. */
  RAG_DATABASE_OWNER: optional('RAG_OWNER', ORACLE_NAME, ORACLE_NAME_FAULT),
  RAG_DATABASE_OWNER_PASSWORD: optional(''),
  /** Who makes the two users above, in bootstrap; empty where they are there. */
  RAG_DATABASE_ADMIN_USER: optional('', ORACLE_NAME, ORACLE_NAME_FAULT),
  RAG_DATABASE_ADMIN_PASSWORD: optional(''),
  /** One log line for each call of the database driver. */
  RAG_DATABASE_TRACE: oneOf('false', 'true'),
  /**
   * Where the bytes of files are: folder:/absolute/path, oci:<namespace>/<bucket> (as the function itself, in its region),
   * or s3:<bucket> of a service that speaks S3.
   */
  RAG_STORAGE: required(
    'folder:/path, oci:<namespace>/<bucket> or s3:<bucket>',
    /^(folder:\/.|oci:[\w-]+\/[\w.-]+$|s3:[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$)/,
    'must be folder:/absolute/path, oci:<namespace>/<bucket> or s3:<bucket>',
  ),
  /** For s3: the service's address, its region, and the key, whose secret half may be vault:<OCID>. */
  RAG_STORAGE_URL: optional('', /^https?:\/\/[^\s/?#@]+\/?$/, 'must be http(s)://host, without a path'),
  RAG_STORAGE_REGION: optional('us-east-1', /^[\w-]+$/, 'must be a region such as us-east-1'),
  RAG_STORAGE_ACCESS_KEY: optional(''),
  RAG_STORAGE_SECRET_KEY: optional(''),
  /** The largest object of the bucket that is read, in bytes. */
  RAG_STORAGE_MAX_BYTES: whole(1_000_000, 200_000_000, 25_000_000),
  /** Who sees a document that comes from the bucket, besides managers; who sees it already keeps seeing it. */
  RAG_STORAGE_AUDIENCE: oneOf('organization', 'managers'),
  /** How often the bucket is listed for what events have missed; 0 for never. */
  RAG_STORAGE_RECONCILE_MINUTES: whole(0, 10_080, 60),
  /** The longest section of a document, and what of it the next one repeats, in characters. */
  RAG_DOCUMENT_SECTION_SIZE: whole(MIN_SECTION_SIZE, MAX_SECTION_SIZE, 1200),
  RAG_DOCUMENT_SECTION_OVERLAP: whole(0, 4000, 150),
  /** The longest passage of a diagnostic, in tokens, and the share of it that the next one repeats. */
  RAG_DIAGNOSTIC_PASSAGE_TOKENS: whole(50, 2000, 500),
  RAG_DIAGNOSTIC_PASSAGE_OVERLAP: within('number', 0, 0.5, 0.15, isNumber),
  RAG_EMBEDDING_MODEL: required("the embedding model's name"),
  /** Where the model is: in the Oracle database, or behind an encoder's address. */
  RAG_EMBEDDING_URL: required(
    'database, or the address of the encoder, unix:/path or http://host:port',
    ENCODER_ADDRESS,
    ENCODER_ADDRESS_FAULT,
  ),
  /**
   * Where bootstrap has the model from, if the database lacks it: a pre-authenticated https URL of its .onnx file (or
   * vault:<OCID>), or DIRECTORY:file of the database server.
   */
  RAG_EMBEDDING_MODEL_SOURCE: optional(''),
  /** Until when that URL can be read; the drain reports the hours that are left. */
  RAG_EMBEDDING_MODEL_SOURCE_EXPIRES: time,
  /** The numbers in one of its vectors. */
  RAG_EMBEDDING_DIMENSION: whole(1, 65_535, 384),
  /** What languages it understands: English alone, or any, which is the default for a model of OCI Generative AI. */
  RAG_EMBEDDING_LANGUAGES: oneOf('en', 'any'),
  /** The longest passage, in characters, that the embedding model reads to its end. */
  RAG_EMBEDDING_WINDOW: whole(MIN_WINDOW, 8000, 600),
  /**
   * The model that is to take the place of RAG_EMBEDDING_MODEL: its chunks are made and kept beside the current ones,
   * and answer nothing yet. Empty for none.
   */
  RAG_EMBEDDING_NEXT_MODEL: optional(''),
  /** Its encoder; empty where it is that of RAG_EMBEDDING_URL. */
  RAG_EMBEDDING_NEXT_URL: optional('', ENCODER_ADDRESS, ENCODER_ADDRESS_FAULT),
  RAG_EMBEDDING_NEXT_MODEL_SOURCE: optional(''),
  RAG_EMBEDDING_NEXT_DIMENSION: whole(1, 65_535, 384),
  RAG_EMBEDDING_NEXT_WINDOW: whole(MIN_WINDOW, 8000, 600),
  RAG_RETRIEVAL_TOP_K: whole(1, 50, 8),
  /** The cosine distance beyond which nothing is near; it belongs to the embedding model. */
  RAG_RETRIEVAL_CUTOFF: within('number', 0, 2, 0.8, isNumber),
  /** What the likeness of meaning counts against that of words, from 0 to 1; see calibrate. */
  RAG_RETRIEVAL_VECTOR_WEIGHT: within('number', 0, 1, 0.6, isNumber),
  /**
   * The share of a question's words, by their rarity, from which on a passage that has them is near, whatever its distance;
   * above 1: never. Measured (docs/retrieval.md): nearly all questions on a corpus reach the default, few on another subject.
   */
  RAG_RETRIEVAL_WORD_COVERAGE: within('number', 0, 2, 0.3, isNumber),
  /** The most sections of one source among those that are looked at; 0 for any number. */
  RAG_RETRIEVAL_MAX_PER_SOURCE: whole(0, 50, 0),
  RAG_WORKER_BATCH_SIZE: whole(1, 500, 32),
  RAG_WORKER_MAX_ATTEMPTS: whole(1, 50, 5),
  /** How long a claim holds; a killed drain's rows come back after it. */
  RAG_WORKER_LEASE_SECONDS: whole(1, 3600, 60),
  RAG_BACKFILL_ON_STARTUP: oneOf('true', 'false'),
  /**
   * Who answers: nobody (`extractive`: the sources' own sentences), a model of OCI Generative AI (oci:<model id>), or one
   * behind an API of OpenAI's kind (openai:<model id>).
   */
  RAG_ANSWER_MODEL: optional(
    'extractive',
    /^(extractive|oci:[\w.-]+|openai:\S+)$/,
    'must be extractive, oci:<model id> or openai:<model id>',
  ),
  /** For oci: the region of Generative AI, which need not be that of the functions, and the compartment that pays. */
  RAG_ANSWER_REGION: optional('', /^[a-z]+-[a-z]+-\d+$/, 'must be a region such as us-chicago-1'),
  RAG_ANSWER_COMPARTMENT: optional('', COMPARTMENT, COMPARTMENT_FAULT),
  /** For openai: what /chat/completions follows, such as http://127.0.0.1:11434/v1, and the key, or vault:<OCID>. */
  RAG_ANSWER_URL: optional('', /^https?:\/\/\S+$/, 'must be http(s)://…'),
  RAG_ANSWER_API_KEY: optional(''),
  /** The longest answer, and the longest prompt with its sources, in tokens. */
  RAG_ANSWER_MAX_TOKENS: whole(16, 16_000, 800),
  RAG_ANSWER_PROMPT_TOKENS: whole(1000, 1_000_000, 6000),
  /** Whether the texts of questions and answers are kept in the question log; everything else about them is. */
  RAG_LOG_TEXT: oneOf('true', 'false'),
  /** The days after which questions leave the log; 0 keeps them for ever. */
  RAG_LOG_RETENTION_DAYS: whole(0, 3650, 90),
  /** Calls of a language model a day (UTC), by everybody together; 0 for no limit. */
  RAG_LIMIT_MODEL_CALLS_PER_DAY: whole(0, 1_000_000_000, 0),
  /** The same for each person. */
  RAG_LIMIT_MODEL_CALLS_PER_PERSON: whole(0, 1_000_000_000, 0),
  RAG_AUTH_ISSUER: required("the token issuer, as in the token's iss claim"),
  RAG_AUTH_AUDIENCE: required("the audience, as in the token's aud claim"),
  /** The issuer's public keys. */
  RAG_AUTH_JWKS: keySet,
  /** The claim that names the person; its value is EMPLOYEE.SUBJECT. */
  RAG_AUTH_EMPLOYEE_CLAIM: optional('sub'),
  /**
   * Where a detached drain is started: unix:/path#/path, http://host:port/path, or oci:<invoke endpoint>/<OCID of the
   * drain function>; empty for none.
   */
  RAG_NUDGE_URL: optional(
    '',
    /^(unix:\/|http:\/\/|oci:https:\/\/[\w.-]+\/ocid1\.fnfunc\.[\w.-]+$)/,
    'must be unix:/path#/path, http://host:port/path or oci:https://<invoke endpoint>/<OCID of the drain function>',
  ),
  /** Where figures go: to the log, or to OCI Monitoring by oci:<namespace>:<OCID of a compartment>. */
  RAG_METRICS: optional(
    'log',
    /^(log|oci:(?!oci_|oracle_)[A-Za-z]\w*:ocid1\.(compartment|tenancy)\.[\w.-]+)$/,
    'must be log or oci:<namespace>:<compartment OCID>, the namespace of letters, digits and _, not oci_… or oracle_…',
  ),
  /** The folder that holds postgres/V1__….sql and so on. */
  RAG_MIGRATIONS: required('the folder of the migrations'),
} satisfies Record<string, Reader<string | number>>;

export type Config = { [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]> };
