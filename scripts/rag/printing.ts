import { RECORD_TYPES } from '../../functions/core/kinds/kind.ts';

/** Text from a record or a server without what would steer a terminal; line ends and tabs stay. */
export const printable = (text: string) => text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '');

export const say = (line: string) => {
  process.stdout.write(`${printable(line)}\n`);
};

/** `task #12`, `document hr/leave.md`: only the ids of records are numbers. */
export const sourceName = ({ sourceType, sourceId }: { sourceType: string; sourceId: string }) =>
  (RECORD_TYPES as readonly string[]).includes(sourceType) ? `${sourceType} #${sourceId}` : `${sourceType} ${sourceId}`;

/** "1 source", "2 sources". */
export const count = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;

export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
