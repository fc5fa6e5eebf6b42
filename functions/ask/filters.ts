import * as z from 'zod';
import { FACT_NAMES, type FactName, MAX_FACT_LENGTH, METRICS, type Metric, type Sort } from '../core/facts.ts';
import { errorCode, id, line } from '../core/fields.ts';
import { SOURCE_TYPES } from '../core/kinds/kind.ts';
import type { Filters } from '../store/scope.ts';

/** The longest list of values of one filter. */
const MAX_VALUES = 50;

/** One value, or a list of them: any of it holds. */
const oneOrMany = <T>(value: z.ZodType<T>) =>
  z
    .union(
      [
        value,
        z
          .array(value)
          .min(1, { error: 'must name at least one value' })
          .max(MAX_VALUES, {
            error: (issue) => `is at most ${MAX_VALUES} values, got ${(issue.input as unknown[]).length}`,
          }),
      ],
      { error: ({ input, errors }) => faultOfForm(errors[Array.isArray(input) ? 1 : 0] ?? []) },
    )
    .transform((given): T[] => (Array.isArray(given) ? given : [given]));

/** The first fault of a value, or of a list, in which it names the place. */
function faultOfForm([issue]: z.core.$ZodIssue[]): string {
  if (issue === undefined) return 'must be a value or a list of values';
  const [place] = issue.path;
  const fault = issue.code === 'invalid_type' && issue.expected === 'string' ? 'must be a text' : issue.message;
  return typeof place === 'number' ? `value ${place + 1} ${fault}` : fault;
}

const text = line(MAX_FACT_LENGTH);

const sourceType = z.enum(SOURCE_TYPES, { error: `must be one of ${SOURCE_TYPES.join(', ')}` });

const filtersShape = z.strictObject({
  sourceType: oneOrMany(sourceType).optional(),
  projectId: oneOrMany(id).optional(),
  sprintId: oneOrMany(id).optional(),
  ...(Object.fromEntries(
    FACT_NAMES.map((name) => [name, oneOrMany(name === 'errorCode' ? errorCode : text).optional()]),
  ) as Record<FactName, z.ZodOptional<ReturnType<typeof oneOrMany<string>>>>),
});

/** What a question is to be answered from, as a request says it. */
export const filters = filtersShape
  .transform(
    ({ sourceType, projectId, sprintId, ...facts }): Filters => ({
      sourceTypes: sourceType,
      projectIds: projectId,
      sprintIds: sprintId,
      facts: FACT_NAMES.flatMap((name) => {
        const values = facts[name];
        return values === undefined ? [] : [{ name, values }];
      }),
    }),
  )
  .describe(
    'What to look in: each a value or a list of them, any of which holds; several filters hold all together. A project or a sprint is in itself',
  );

const METRIC_NAMES = METRICS.join(', ');
const SORT_FORM = `must be a figure (${METRIC_NAMES}), and asc or desc (without either: desc), such as elapsed desc`;

/** An order by a figure: `elapsed desc`. */
export const sort = z
  .string({ error: SORT_FORM })
  .transform((written, context): Sort => {
    const [metric = '', direction = 'desc', ...rest] = written.trim().toLowerCase().split(/\s+/);
    const isSort = (METRICS as readonly string[]).includes(metric) && ['asc', 'desc'].includes(direction);
    if (!isSort || rest.length > 0) context.addIssue({ code: 'custom', message: SORT_FORM });
    return { metric: metric as Metric, descending: direction === 'desc' };
  })
  .describe(
    `Sections in the order of a figure of their SQL statement, and nothing else: one of ${METRIC_NAMES}, and \`asc\` or \`desc\``,
  );
