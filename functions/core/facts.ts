/** What a source or a section of it can be filtered by, as the filters of a question name them. */
export const FACT_NAMES = [
  'errorCode',
  'erpModule',
  'erpVersion',
  'sourceScript',
  'resolutionType',
  'environmentId',
  'labels',
] as const;
export type FactName = (typeof FACT_NAMES)[number];

/**
 * The figures of a statement: what sections can be put in order by. TKPROF's names: `count` is its total of calls (parse, execute,
 * fetch), `executions` that of its row Execute; where a report knows executions alone, `count` is the same.
 */
export const METRICS = ['count', 'executions', 'cpu', 'elapsed', 'disk', 'query', 'current', 'rows'] as const;
export type Metric = (typeof METRICS)[number];

/**
 * Something known of a source or a section: a value that it is filtered by, or an amount that it is ordered by. `reader` names
 * an employee who is listed as a reader of a file; no question can filter by it.
 */
export type Fact = { name: FactName | 'reader'; value: string } | { name: Metric; amount: number };

/** The longest value, in characters. */
export const MAX_FACT_LENGTH = 200;

export interface Sort {
  metric: Metric;
  descending: boolean;
}
