import { describe, expect, test } from 'vitest';
import { question } from '../../functions/ask/question.ts';
import { InvalidInput } from '../../functions/core/errors.ts';
import { validate } from '../../functions/core/input.ts';

const read = (fields: object) => validate(question, { question: 'Why?', ...fields });
function faultsOf(fields: object): string[] {
  try {
    read(fields);
  } catch (error) {
    if (error instanceof InvalidInput) return error.faults.map(({ field, fault }) => `${field}: ${fault}`);
    throw error;
  }
  return [];
}

describe('filters', () => {
  test('are a value or a list of values each', () => {
    const { filters } = read({
      filters: {
        sourceType: 'task',
        projectId: [1, 2],
        errorCode: ['ora-1652', 'APP-FND-01564'],
        erpVersion: ' 12.2.9 ',
      },
    });

    expect(filters).toEqual({
      sourceTypes: ['task'],
      projectIds: [1, 2],
      facts: [
        { name: 'errorCode', values: ['ORA-01652', 'APP-FND-01564'] },
        { name: 'erpVersion', values: ['12.2.9'] },
      ],
    });
  });

  test('may be by each thing that is known', () => {
    const facts = {
      errorCode: 'ORA-00060',
      erpModule: 'GL',
      erpVersion: '12',
      sourceScript: 'tkprof',
      resolutionType: 'patch',
      environmentId: 'PROD',
      labels: ['hr', 'leave'],
    };

    expect(read({ filters: facts }).filters?.facts).toEqual(
      Object.entries(facts).map(([name, given]) => ({ name, values: [given].flat() })),
    );
    expect(read({ filters: {} }).filters).toEqual({ facts: [] });
  });

  const long = 'x'.repeat(201);
  test.each<[object, string]>([
    [{ color: 'red' }, 'filters.color: is not a field here'],
    [{ sourceTypes: ['task'] }, 'filters.sourceTypes: is not a field here'],
    [
      { sourceType: 'memo' },
      'filters.sourceType: must be one of task, sprint, project, document, diagnostic, resolution',
    ],
    [
      { sourceType: ['task', 'memo'] },
      'filters.sourceType: value 2 must be one of task, sprint, project, document, diagnostic, resolution',
    ],
    [{ projectId: 0 }, `filters.projectId: must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`],
    [{ projectId: '1' }, `filters.projectId: must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`],
    [{ sprintId: [1, 1.5] }, `filters.sprintId.1: must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`],
    [{ erpVersion: 12 }, 'filters.erpVersion: must be a text'],
    [{ erpVersion: ['12', null] }, 'filters.erpVersion: value 2 must be a text'],
    [{ erpVersion: ' ' }, 'filters.erpVersion: must not be blank'],
    [{ erpVersion: long }, 'filters.erpVersion: is at most 200 characters, got 201'],
    [{ erpVersion: ['12', long] }, 'filters.erpVersion.1: is at most 200 characters, got 201'],
    [
      { erpModule: 'G\u0000L' },
      'filters.erpModule: must not contain a NUL character or half of a surrogate pair (text that is not valid Unicode)',
    ],
    [{ labels: [] }, 'filters.labels: must name at least one value'],
    [{ labels: Array.from({ length: 51 }, (_, i) => `l${i}`) }, 'filters.labels: is at most 50 values, got 51'],
    [{ errorCode: 'bad' }, 'filters.errorCode: must be a code such as ORA-01652 or APP-FND-01564'],
    [{ errorCode: ['ORA-1', ''] }, 'filters.errorCode.1: must not be blank'],
  ])('of another form are refused with the field, the fault and the limit: %j', (filters, expected) => {
    expect(faultsOf({ filters })).toEqual([expected]);
  });

  test('by their former name are not taken', () => {
    expect(faultsOf({ filter: { projectId: 1 } })).toEqual(['filter: is not a field here']);
  });
});

describe('an order', () => {
  test.each([
    ['elapsed desc', 'elapsed', true],
    ['elapsed', 'elapsed', true],
    ['CPU ASC', 'cpu', false],
    ['  rows   desc ', 'rows', true],
  ])('%j is read', (sort, metric, descending) => {
    expect(read({ sort }).sort).toEqual({ metric, descending });
  });

  test.each(['', 'elapsed down', 'time desc', 'desc', 'elapsed desc, cpu', 'constructor desc', 7, ['elapsed']])(
    '%j is refused, with what there is',
    (sort) => {
      expect(faultsOf({ sort })).toEqual([
        'sort: must be a figure (count, executions, cpu, elapsed, disk, query, current, rows), and asc or desc (without either: desc), such as elapsed desc',
      ]);
    },
  );
});
