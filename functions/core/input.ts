import type * as z from 'zod';
import { type Fault, InvalidInput, MalformedRequest } from './errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes UTF-8, refusing bytes that are none rather than replacing them. */
export function decodeUtf8(bytes: Uint8Array, what = 'body'): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new MalformedRequest(`The ${what} is not valid UTF-8`);
  }
}

/** The value of a JSON text; `what` names the text in the error. */
export function parseJson(text: string, what = 'body'): unknown {
  if (text.trim() === '') throw new MalformedRequest(`The ${what} is empty; it must be JSON`);
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    const at = /JSON at position (\d+)/.exec(message)?.[1];
    // Where the engine names no position, it quotes the place.
    const place = at === undefined ? message.replace(/ is not valid JSON$/, '') : `at character ${at}`;
    throw new MalformedRequest(`The ${what} is not valid JSON (${place})`);
  }
}

/** The parameters of a URL's query as texts; one that is given twice is InvalidInput. */
export function parseQuery(query: string): Record<string, string> {
  const given = [...new URLSearchParams(query)];
  const names = given.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw InvalidInput.of([{ field: twice, fault: 'is given more than once' }]);
  return Object.fromEntries(given);
}

/** The value in its shape, or InvalidInput with a fault for each field; `prefix` is where the value stands. */
export function validate<T>(shape: z.ZodType<T>, value: unknown, prefix = ''): T {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  throw InvalidInput.of(parsed.error.issues.flatMap((issue) => toFaults(issue, prefix)));
}

function toFaults(issue: z.core.$ZodIssue, prefix: string): Fault[] {
  const fieldOf = (...path: PropertyKey[]) => [prefix, ...path.map(String)].filter((part) => part !== '').join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: fieldOf(...issue.path, key), fault: 'is not a field here' }));
  }
  return [{ field: fieldOf(...issue.path) || 'body', fault: faultOf(issue) }];
}

/** The fault in our words where the schema has none of its own. */
function faultOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type': {
      const received = /received (\w+)/.exec(issue.message)?.[1];
      if (received === undefined) return issue.message;
      return received === 'undefined' ? 'is missing' : `must be of type ${issue.expected}, got ${received}`;
    }
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? `must be one of ${issue.options.join(', ')}`
        : issue.message;
    default:
      return issue.message;
  }
}
