import { codeOf, firstLine } from '../errors.ts';
import { type Finding, NotTried } from '../finding.ts';
import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';

const METADATA = `'{"function":"embedding","embeddingOutput":"embedding","input":{"input":["DATA"]}}'`;

const LOAD_FROM_CLOUD = `BEGIN
  DBMS_VECTOR.LOAD_ONNX_MODEL_CLOUD(
    model_name => :model_name, credential => NULL, uri => :uri,
    metadata => JSON(${METADATA}));
END;`;

const LOAD_FROM_DIRECTORY = `BEGIN
  DBMS_VECTOR.LOAD_ONNX_MODEL(
    directory => :directory_name, file_name => :file_name, model_name => :model_name,
    metadata => JSON(${METADATA}));
END;`;

const SHAPE = `SELECT a.vector_info
  FROM user_mining_models m
  JOIN user_mining_model_attributes a ON a.model_name = m.model_name AND a.attribute_type = 'VECTOR'
  WHERE m.model_name = :model_name AND m.mining_function = 'EMBEDDING' AND m.algorithm = 'ONNX'`;

/** The name is taken; DBMS_VECTOR may wrap it. */
const NAME_IS_TAKEN = /ORA-40204/;

export const twoLoads: Probe = {
  id: 'P13',
  question: 'What do two loads of one model at once end in?',
  needs: 'CREATE MINING MODEL, EXECUTE on DBMS_VECTOR, --model-source; two sessions',
  means: {
    holds: 'two bootstraps at once do no harm: the second takes the name that is there for success',
    differs: 'run one bootstrap at a time',
    open: 'bootstrap holds a lock while it loads, and takes ORA-40204 for success',
  },
  seconds: () => 900,
  async run(context) {
    const source = context.options.modelSource;
    if (source === null) {
      throw new NotTried('it loads a model of 133 MB, which is done with --model-source URL or DIRECTORY:file alone');
    }
    const sessions = [await context.open(), await context.open()];
    const name = context.scratch.reserve('model', 'model');
    const loads = await Promise.all(sessions.map((session) => load(session, name, source)));
    context.signal.throwIfAborted();
    const [shape] = await (await context.open()).rows(SHAPE, { model_name: name });
    return decide(loads, shape?.vector_info);
  },
};

interface Load {
  seconds: number;
  /** Null where it succeeded. */
  error: unknown;
}

async function load(session: ProbeSession, name: string, source: string): Promise<Load> {
  const start = performance.now();
  const [directory = '', file = ''] = source.split(':', 2);
  const work = /^https:/i.test(source)
    ? session.block(LOAD_FROM_CLOUD, { model_name: name, uri: source })
    : session.block(LOAD_FROM_DIRECTORY, { model_name: name, directory_name: directory, file_name: file });
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return { seconds: Math.round((performance.now() - start) / 1000), error };
}

function decide(loads: Load[], shape: unknown): Finding {
  const errors = loads.map(({ error }) => error).filter((error) => error !== null);
  // Where neither was loaded, nothing is learned of two: the reason is the probe's outcome.
  if (errors.length === loads.length) throw errors[0];
  const told = loads.map(({ seconds, error }) =>
    error === null
      ? `one is loaded in ${seconds} s`
      : `one ends after ${seconds} s with ${codeOf(error) || firstLine(error)}`,
  );
  const isTaken = errors.length === 1 && NAME_IS_TAKEN.test(String(errors[0]));
  return {
    holds: isTaken && typeof shape === 'string',
    seen: `${told.join(', ')}; the model in the database makes ${typeof shape === 'string' ? shape : 'nothing'}`,
  };
}
