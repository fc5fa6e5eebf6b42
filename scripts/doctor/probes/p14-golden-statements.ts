import { readFile } from 'node:fs/promises';
import type { ProbeContext } from '../context.ts';
import { refusalOf } from '../errors.ts';
import { NotTried } from '../finding.ts';
import type { Probe } from '../probe.ts';

const GOLDEN = new URL('../../../test/golden/oracle-statements.json', import.meta.url);

/** The schema that the recorded statements were made for. */
const RECORDED_OWNER = /\bRAG_OWNER\./g;
const RECORDED_MODEL = /VECTOR_EMBEDDING\(\S+ USING/g;
/** A column that a test's model has, and a database has for a model of that dimension alone. */
const OTHER_COLUMN = /\bembedding_\d+\b/i;
/** What the driver parses without running it. It sends no DDL: to parse that is to run it. */
const PARSED = /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE|MERGE|BEGIN|DECLARE)\b/i;

/** So many refusals are named. */
const NAMED = 8;

/** The tables or the owner are not there, or not for this login; packages and model are not either, then. */
const NO_TABLES = new Set(['ORA-00942', 'ORA-41900', 'ORA-01435']);
const NOT_BOOTSTRAPPED = new Set([...NO_TABLES, 'ORA-06550', 'ORA-40284']);

export const goldenStatements: Probe = {
  id: 'P14',
  question: "Does the database's parser take every statement that the product sends?",
  needs: "the product's tables (after bootstrap), as the owner or as the functions' user",
  means: {
    holds: 'every statement that was recorded in the tests parses on this version',
    differs: 'the part of the product that sends these statements fails on this version; report them',
    open: 'the statements are checked by a linter and by the driver alone',
  },
  async run(context) {
    const statements = await readGolden(context);
    const session = await context.open();
    // Names without a schema are the owner's, as in the product.
    session.connection.currentSchema = context.settings.owner;
    const refused: string[] = [];
    const codes: string[] = [];
    for (const sql of statements.parsed) {
      context.signal.throwIfAborted();
      session.connection.callTimeout = 20_000;
      try {
        await session.connection.getStatementInfo(sql);
      } catch (error) {
        const refusal = refusalOf(error, context.signal);
        codes.push(refusal);
        refused.push(`${refusal}: ${sql.replace(/\s+/g, ' ').slice(0, 90)}`);
      }
    }
    if (codes.some((code) => NO_TABLES.has(code)) && codes.every((code) => NOT_BOOTSTRAPPED.has(code))) {
      throw new NotTried(
        `the product's tables are not there or not visible (${codes.length} statements with ${[...new Set(codes)].join(', ')}); ` +
          'run bootstrap first, and set RAG_DATABASE_OWNER',
      );
    }
    const left = statements.left === 0 ? '' : `; ${statements.left} are not parsed (DDL, or a column of a test)`;
    const named = [...refused.slice(0, NAMED), ...(refused.length > NAMED ? ['and so on'] : [])];
    return {
      holds: refused.length === 0,
      seen: `${statements.parsed.length - refused.length} of ${statements.parsed.length} parse${left}${named.map((line) => `; ${line}`).join('')}`,
    };
  },
};

interface Golden {
  parsed: string[];
  left: number;
}

async function readGolden({ settings }: ProbeContext): Promise<Golden> {
  const text = await readFile(GOLDEN, 'utf8').catch(() => {
    throw new NotTried('test/golden/oracle-statements.json is not there: run the doctor in a clone of the repository');
  });
  const all = (JSON.parse(text) as { sql: string }[]).map(({ sql }) => sql);
  const parsed = all
    .filter((sql) => PARSED.test(sql) && !OTHER_COLUMN.test(sql))
    .map((sql) =>
      sql
        .replace(RECORDED_OWNER, `${settings.owner}.`)
        .replace(RECORDED_MODEL, `VECTOR_EMBEDDING(${settings.owner}.${settings.model} USING`),
    );
  return { parsed, left: all.length - parsed.length };
}
