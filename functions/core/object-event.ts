import * as z from 'zod';

/** An object of a bucket was created, overwritten or deleted. Which of these plays no part: the bucket is asked. */
export interface ObjectEvent {
  namespace: string;
  bucket: string;
  objectName: string;
}

/** What OCI Events sends (CloudEvents 0.1), as far as it is used; Object Storage's are named by their types. */
const cloudEvent = z.object({
  eventType: z.string().regex(/^com\.oraclecloud\.objectstorage\.(create|update|delete)object$/, {
    error: 'is not an event of an object',
  }),
  data: z.object({
    resourceName: z.string().min(1),
    additionalDetails: z.object({ bucketName: z.string().min(1), namespace: z.string().min(1) }),
  }),
});

/**
 * Reads what a function is sent of a bucket: an event, or several in a list, as they are or as the text of a message of
 * OCI Notifications (`{"Message": "…"}`). What is no such event is told by its fault, and harms no other.
 */
export function readObjectEvents(body: string): { events: ObjectEvent[]; faults: string[] } {
  const events: ObjectEvent[] = [];
  const faults: string[] = [];
  for (const value of valuesOf(body)) {
    const parsed = cloudEvent.safeParse(value);
    if (parsed.success) {
      const { resourceName, additionalDetails } = parsed.data.data;
      events.push({
        namespace: additionalDetails.namespace,
        bucket: additionalDetails.bucketName,
        objectName: resourceName,
      });
    } else {
      const [issue] = parsed.error.issues;
      faults.push(`${issue?.path.join('.') || 'event'}: ${issue?.message ?? 'is not valid'}`);
    }
  }
  return { events, faults };
}

/** How often a message may be wrapped into another. */
const MAX_WRAPPINGS = 3;

function valuesOf(body: string): unknown[] {
  let value = parse(body);
  for (let i = 0; i < MAX_WRAPPINGS; i++) {
    const text = typeof value === 'string' ? value : messageOf(value);
    if (text === null) break;
    value = parse(text);
  }
  return Array.isArray(value) ? value : [value];
}

/** The text within a message of Notifications; null for anything else. */
function messageOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const { Message, message, body } = value as Record<string, unknown>;
  return [Message, message, body].find((text): text is string => typeof text === 'string') ?? null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
