import type { Block } from '../blocks.ts';
import { type Fact, METRICS, type Metric } from '../facts.ts';
import type { Metadata, Part } from '../kinds/kind.ts';
import { toSingleLine, truncate } from '../text.ts';
import { type DiagnosticSource, partOf } from './part.ts';

/** The figures of a statement; cpu and elapsed in seconds. */
export type Figures = Partial<Record<Metric, number>>;

export interface Statement {
  /** Oracle's name for it, 13 letters and digits; null where the report gives none. */
  sqlId: string | null;
  /** Its text, as far as the report gives it. */
  sql: string;
  /** Without the executions. */
  figures: Figures;
  /** How often it was executed, where it is known; a figure too. */
  executions: number | null;
  /** What else is known of it: planHash, userId, userName, depth, misses. */
  about: Metadata;
}

/** As much of a statement's text as goes into its metadata, and into a heading in place of a name. */
const MAX_SQL = 200;
const MAX_NAME = 60;

/**
 * The part of a statement: its anchor states the figures, so that any passage of it tells what the statement cost.
 * @param facts the figures that it is put in order by: all of them unless given
 */
export function statementPart(
  source: DiagnosticSource,
  statement: Statement,
  blocks: Block[],
  { facts = statement.figures, section, codes }: { facts?: Figures; section?: string; codes?: string[] } = {},
): Part {
  // A statement can be megabytes long; its beginning names it.
  const sql = toSingleLine(statement.sql.slice(0, 10 * MAX_SQL));
  const name = statement.sqlId === null ? truncate(sql, MAX_NAME) || 'without text' : statement.sqlId;
  const heading = statement.sqlId === null ? name : `SQL ID ${statement.sqlId}`;
  const { executions } = statement;
  // A section that gives no count, or not for the first time, orders nothing by executions either.
  const ordering = facts.count === undefined || executions === null ? facts : { ...facts, executions };
  return partOf(source, section === undefined ? heading : `${section} > ${heading}`, blocks, {
    kind: 'statement',
    anchor: [`SQL ${name}`, ...figuresInWords(statement)].join(' · '),
    metadata: {
      sqlId: statement.sqlId,
      sql: truncate(sql, MAX_SQL),
      executions,
      ...statement.about,
      ...statement.figures,
    },
    facts: METRICS.flatMap((metric): Fact[] => {
      const amount = ordering[metric];
      return amount === undefined ? [] : [{ name: metric, amount }];
    }),
    ...(codes !== undefined && { codes }),
  });
}

function figuresInWords({ figures, executions }: Statement): string[] {
  const words: [string, number | null | undefined, string?][] = [
    ['elapsed', figures.elapsed, 's'],
    ['cpu', figures.cpu, 's'],
    ['executions', executions],
    ['calls', figures.count === executions ? null : figures.count],
    ['disk', figures.disk],
    ['buffer gets', figures.query],
    // Mostly none; with the buffer gets, the logical reads.
    ['current', figures.current === 0 ? null : figures.current],
    ['rows', figures.rows],
  ];
  return words.flatMap(([name, amount, unit]) => {
    if (amount === undefined || amount === null) return [];
    return [unit === undefined ? `${name} ${amount}` : `${name} ${inSeconds(amount)} ${unit}`];
  });
}

/** With at least two and at most six decimals. */
const inSeconds = (amount: number) => amount.toFixed(6).replace(/0{1,4}$/, '');
