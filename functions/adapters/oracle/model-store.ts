import { ModelUnavailable } from '../../core/errors.ts';
import type { EmbeddingModel } from '../../ports/embedder.ts';
import type { ModelStore } from '../../ports/model-store.ts';
import { vectorColumnOf } from './dialect.ts';
import type { Connection, Driver } from './driver.ts';
import { oracleNumber } from './errors.ts';
import { withLock } from './lock.ts';
import { loadModel } from './model-load.ts';
import { catalogName, type SchemaNames } from './names.ts';
import type { Session } from './session.ts';

interface OracleModelStoreOptions extends SchemaNames {
  driver: Driver;
  /** Logs in as the owner. */
  connect(): Promise<Connection>;
  /** Where a model can be had: a pre-authenticated URL of its .onnx file, or DIRECTORY:file on the server; '' for nowhere. */
  sourceOf(model: string): Promise<string>;
}

const COLUMN_EXISTS = 1430;

/** The models of the owner's schema, looked after under the same lock as the migrations. */
export class OracleModelStore implements ModelStore {
  readonly #options: OracleModelStoreOptions;

  constructor(options: OracleModelStoreOptions) {
    this.#options = options;
  }

  prepare(model: EmbeddingModel): Promise<'present' | 'loaded'> {
    return withLock(this.#options, async (session) => {
      await addColumn(session, model.dimension);
      if (!model.inDatabase) return 'present';
      const name = catalogName(model.model);
      const wanted = `VECTOR(${model.dimension},FLOAT32)`;
      let result: 'present' | 'loaded' = 'present';
      const found = await readShape(session, name);
      if (found === null) {
        // Something of that name without the shape of an embedding model: a load that was cut off.
        if (await exists(session, name)) await drop(session, name);
        await this.#load(session, name, model.model);
        result = 'loaded';
        await requireShape(session, name, wanted);
      } else if (found !== wanted) throw wrongShape(name, found, wanted);
      await session.run([
        {
          kind: 'block',
          sql: `GRANT SELECT ON MINING MODEL ${name} TO ${catalogName(this.#options.runtime)}`,
          binds: {},
        },
      ]);
      await selfTest(session, name, model.dimension).catch(async (error: unknown) => {
        // What was loaded just now and does not work makes room for a better one.
        if (result === 'loaded') await drop(session, name);
        throw error;
      });
      return result;
    });
  }

  async #load(session: Session, name: string, model: string): Promise<void> {
    try {
      await loadModel(session, name, await this.#options.sourceOf(model));
    } catch (error) {
      if (await exists(session, name).catch(() => false)) await drop(session, name);
      throw error;
    }
  }
}

/** A dimension cannot be changed, so each has a column of its own beside the others. */
async function addColumn(session: Session, dimension: number): Promise<void> {
  const column = vectorColumnOf(dimension);
  const [found] = await session.run([
    {
      kind: 'query',
      sql: "SELECT column_name FROM user_tab_columns WHERE table_name = 'RAG_CHUNK' AND column_name = :column_name",
      binds: { column_name: column.toUpperCase() },
    },
  ]);
  if (found?.rows.length !== 0) return;
  const sql = `ALTER TABLE rag_chunk ADD (${column} VECTOR(${dimension}, FLOAT32))`;
  await session.run([{ kind: 'block', sql, binds: {} }]).catch((error: unknown) => {
    if (oracleNumber(error) !== COLUMN_EXISTS) throw error;
  });
}

/** What a model of the owner makes, as VECTOR(384,FLOAT32); null where there is no whole embedding model of the name. */
async function readShape(session: Session, name: string): Promise<string | null> {
  const [found] = await session.run([
    {
      kind: 'query',
      sql: `SELECT a.vector_info FROM user_mining_models m
            JOIN user_mining_model_attributes a ON a.model_name = m.model_name AND a.attribute_type = 'VECTOR'
            WHERE m.model_name = :model_name AND m.mining_function = 'EMBEDDING' AND m.algorithm = 'ONNX'`,
      binds: { model_name: name },
    },
  ]);
  const info = found?.rows[0]?.vector_info;
  return typeof info === 'string' ? info.replaceAll(' ', '').toUpperCase() : null;
}

async function exists(session: Session, name: string): Promise<boolean> {
  const [found] = await session.run([
    {
      kind: 'query',
      sql: 'SELECT model_name FROM user_mining_models WHERE model_name = :model_name',
      binds: { model_name: name },
    },
  ]);
  return found?.rows.length !== 0;
}

async function drop(session: Session, name: string): Promise<void> {
  await session.run([
    {
      kind: 'block',
      sql: 'BEGIN DBMS_VECTOR.DROP_ONNX_MODEL(model_name => :model_name, force => TRUE); END;',
      binds: { model_name: name },
    },
  ]);
}

async function requireShape(session: Session, name: string, wanted: string): Promise<void> {
  const found = await readShape(session, name);
  if (found === wanted) return;
  await drop(session, name);
  throw wrongShape(name, found, wanted);
}

const wrongShape = (name: string, found: string | null, wanted: string) =>
  new ModelUnavailable(
    `The model ${name} in the database makes ${found ?? 'no vectors'}, but ${wanted} is configured; ` +
      'correct RAG_EMBEDDING_DIMENSION, or give the other model another name (RAG_EMBEDDING_MODEL)',
  );

/** Two sentences that say the same in other words, and one about something else. */
const TEXT = 'The invoice was paid on time.';
const NEAR = 'The bill has been settled before its due date.';
const FAR = 'Penguins breed on the ice of Antarctica.';

/** That the model answers with vectors of its dimension, and finds the near sentence nearer than the far one. */
async function selfTest(session: Session, name: string, dimension: number): Promise<void> {
  const embedding = (bind: string) => `(SELECT VECTOR_EMBEDDING(${name} USING :${bind} AS DATA) FROM dual)`;
  const [tested] = await session.run([
    {
      kind: 'query',
      sql: `WITH v AS (
              SELECT ${embedding('text')} AS text_vector, ${embedding('near_text')} AS near_vector,
                     ${embedding('far_text')} AS far_vector
              FROM dual)
            SELECT VECTOR_DIMENSION_COUNT(v.text_vector) AS dimension,
                   VECTOR_DISTANCE(v.text_vector, v.near_vector, COSINE) AS near_distance,
                   VECTOR_DISTANCE(v.text_vector, v.far_vector, COSINE) AS far_distance
            FROM v`,
      binds: { text: TEXT, near_text: NEAR, far_text: FAR },
    },
  ]);
  const { dimension: found, near_distance, far_distance } = tested?.rows[0] ?? {};
  if (found !== dimension) throw wrongShape(name, `VECTOR(${String(found)})`, `VECTOR(${dimension})`);
  if (!(Number(near_distance) < Number(far_distance))) {
    throw new ModelUnavailable(
      `The model ${name} fails its self-test: a sentence of the same meaning is not nearer (${String(near_distance)}) ` +
        `than one about something else (${String(far_distance)}); is its file the augmented one that Oracle publishes?`,
    );
  }
}
