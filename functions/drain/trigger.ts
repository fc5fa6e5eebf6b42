/** The types of an OCI alarm message that say that the alarm has stopped or was reset: nothing is to be done then. */
const QUIET_TYPES = new Set(['FIRING_TO_OK', 'RESET']);

/**
 * Whether the body is an alarm message (OCI Notifications, RAW format) that asks for nothing. Everything else drains:
 * a firing alarm, a nudge, an empty body, and what cannot be read, since a needless drain costs little.
 */
export function isQuietAlarm(body: Buffer): boolean {
  try {
    const message: unknown = JSON.parse(body.toString('utf8'));
    return (
      typeof message === 'object' && message !== null && 'type' in message && QUIET_TYPES.has(String(message.type))
    );
  } catch {
    return false;
  }
}
