import { type Fault, InvalidInput, MalformedRequest } from '../core/errors.ts';
import { isModelSource, MODEL_SOURCE_FAULT } from '../core/model-source.ts';

export interface BootstrapRequest {
  /** The chunks of another model may be embedded anew. */
  reembed: boolean;
  /** Takes the place of RAG_EMBEDDING_MODEL_SOURCE; '' for none. A secret. */
  modelSource: string;
}

/** The last six only say what is deployed, so that a deploy that changes it calls again. */
const FIELDS: Record<string, 'boolean' | 'string'> = {
  reembed: 'boolean',
  modelSource: 'string',
  migrations: 'string',
  model: 'string',
  image: 'string',
  database: 'string',
  secrets: 'string',
  settings: 'string',
};

/** Reads the body: nothing, or a JSON object. Errors name fields, and say nothing of their values. */
export function readRequest(body: Buffer): BootstrapRequest {
  const fields = body.length === 0 ? {} : parse(body);
  const faults: Fault[] = [];
  for (const [field, value] of Object.entries(fields)) {
    const type = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    if (type === undefined) faults.push({ field, fault: 'is not a field here' });
    else if (typeof value !== type) faults.push({ field, fault: `must be of type ${type}` });
  }
  const { reembed = false, modelSource = '' } = fields as Partial<BootstrapRequest>;
  if (typeof modelSource === 'string' && modelSource !== '' && !isModelSource(modelSource)) {
    faults.push({ field: 'modelSource', fault: MODEL_SOURCE_FAULT });
  }
  if (faults.length > 0) throw InvalidInput.of(faults);
  return { reembed, modelSource };
}

function parse(body: Buffer): object {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    // Without the parser's message, which quotes the body.
    throw new MalformedRequest('The body is not valid JSON');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new MalformedRequest('The body must be a JSON object');
}
