import { readFile } from 'node:fs/promises';
import { LOCAL_PEOPLE } from './token-issuer.ts';

/** The sample team: 12 people, 3 projects, 8 sprints, 120 tasks with comments. */
export const SAMPLE_FILE = new URL('./sample-data.ndjson', import.meta.url);

export const readSampleRecords = () => readFile(SAMPLE_FILE);

/** The three people whom the ready-made tokens name, for a data folder that starts empty. */
export function peopleAlone(): Buffer {
  const lines = Object.entries(LOCAL_PEOPLE).map(([role, id]) =>
    JSON.stringify({
      op: 'put',
      type: 'employee',
      id,
      data: { firstName: 'Local', lastName: role.charAt(0).toUpperCase() + role.slice(1), role },
    }),
  );
  return Buffer.from(lines.join('\n'));
}
