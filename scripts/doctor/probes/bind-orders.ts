import type { Binds } from '../../../functions/ports/database.ts';
import type { ProbeContext } from '../context.ts';
import { refusalOf } from '../errors.ts';
import type { ProbeSession } from '../session.ts';
import { longestText } from './text-bytes.ts';

/** Part of P19: a long text beside JSON in one INSERT, which ORA-24816 may refuse by the order of the two. */

const TEXT_BYTES = 20_000;
const JSON_BYTES = [40, 6000];

const TABLE = `CREATE TABLE <wide> (
    id NUMBER PRIMARY KEY, note CLOB, content VARCHAR2(<text_bytes>), metadata JSON
  )`;

interface Form {
  what: string;
  sql: string;
  /** Whether the product has its binds in this order. */
  isOurs: boolean;
  isMany?: boolean;
  /** Whether the text must fit a VARCHAR2. */
  isShort?: boolean;
}

const INTO_CONTENT = 'INSERT INTO <wide> (id, content, metadata) VALUES (:id, :long_text, :metadata)';

const FORMS: Form[] = [
  {
    what: 'before a CLOB',
    sql: 'INSERT INTO <wide> (id, metadata, note) VALUES (:id, :metadata, :long_text)',
    isOurs: false,
  },
  {
    what: 'after a CLOB',
    sql: 'INSERT INTO <wide> (id, note, metadata) VALUES (:id, :long_text, :metadata)',
    isOurs: true,
  },
  {
    what: 'before a VARCHAR2',
    sql: 'INSERT INTO <wide> (id, metadata, content) VALUES (:id, :metadata, :long_text)',
    isOurs: false,
    isShort: true,
  },
  { what: 'after a VARCHAR2', sql: INTO_CONTENT, isOurs: true, isShort: true },
  { what: 'after a VARCHAR2, many rows', sql: INTO_CONTENT, isOurs: true, isShort: true, isMany: true },
];

export async function bindOrders(
  context: ProbeContext,
  session: ProbeSession,
): Promise<{ holds: boolean; seen: string }> {
  const longest = await longestText(context, session);
  await context.scratch.create(session, 'table', 'wide', TABLE);
  let id = 0;
  let holds = true;
  const told: string[] = [];
  for (const form of FORMS) {
    const bytes = form.isShort ? Math.min(TEXT_BYTES, longest) : TEXT_BYTES;
    const answers: string[] = [];
    for (const size of JSON_BYTES) {
      const row = () => ({ id: ++id, long_text: 'x'.repeat(bytes), metadata: jsonOf(size) });
      const refusal = await insert(session, form, form.isMany ? [row(), row()] : [row()]);
      if (refusal !== null) answers.push(`${size} bytes refused (${refusal})`);
    }
    holds &&= !form.isOurs || answers.length === 0;
    told.push(`${form.what} of ${bytes} bytes: ${answers.length === 0 ? 'yes' : answers.join(', ')}`);
  }
  return { holds, seen: `JSON ${told.join('; ')}` };
}

const jsonOf = (bytes: number) => JSON.stringify({ status: 'x'.repeat(bytes - '{"status":""}'.length) });

/** Null where it is taken. */
async function insert(session: ProbeSession, { sql, isMany }: Form, rows: Binds[]): Promise<string | null> {
  try {
    if (isMany) await session.changes(sql, rows);
    else await session.change(sql, rows[0]);
    return null;
  } catch (error) {
    return refusalOf(error, session.signal);
  }
}
