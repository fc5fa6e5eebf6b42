import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { question } from '../../functions/ask/question.ts';
import { InvalidInput } from '../../functions/core/errors.ts';
import { line, optionalText } from '../../functions/core/fields.ts';
import { MAX_ID, parseId } from '../../functions/core/ids.ts';
import { validate } from '../../functions/core/input.ts';
import { employeeInput } from '../../functions/core/kinds/employee.ts';
import { projectInput } from '../../functions/core/kinds/project.ts';
import { sprintInput } from '../../functions/core/kinds/sprint.ts';
import { commentInput, taskInput } from '../../functions/core/kinds/task.ts';

/** The faults that a value has in a shape, as a caller is told them. */
function faultsOf(shape: z.ZodType, value: unknown): Record<string, string> {
  try {
    validate(shape, value);
    return {};
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return Object.fromEntries(error.faults.map(({ field, fault }) => [field, fault]));
  }
}

const UNICODE = 'must not contain a NUL character or half of a surrogate pair (text that is not valid Unicode)';
const WHOLE = `must be a whole number from 1 to ${MAX_ID}`;
const DATE = 'must be a date of the calendar, written YYYY-MM-DD';

const task = (rest: object) => ({ title: 'A task', ...rest });
const project = (rest: object) => ({ name: 'A project', ...rest });
const person = (rest: object) => ({ firstName: 'Ana', lastName: 'Ruiz', role: 'developer', ...rest });

describe('a bad field is named, with what is wrong and the limit', () => {
  test.each<[string, z.ZodType, object, string, string]>([
    ['a title that is too long', taskInput, { title: 'x'.repeat(501) }, 'title', 'is at most 500 characters, got 501'],
    ['a blank title', taskInput, { title: ' \t\u00a0\n' }, 'title', 'must not be blank'],
    ['an empty title', taskInput, { title: '' }, 'title', 'must not be blank'],
    ['a title with a NUL', taskInput, { title: 'a\0b' }, 'title', UNICODE],
    ['a title with half of a pair', taskInput, { title: 'a\ud800b' }, 'title', UNICODE],
    ['a title with the other half', taskInput, { title: '\udc00' }, 'title', UNICODE],
    [
      'a long description',
      taskInput,
      task({ description: 'x'.repeat(100_001) }),
      'description',
      'is at most 100000 characters, got 100001',
    ],
    ['a description with a NUL', taskInput, task({ description: '\0' }), 'description', UNICODE],
    [
      'a long goal',
      sprintInput,
      { name: 'S', goal: 'x'.repeat(20_001) },
      'goal',
      'is at most 20000 characters, got 20001',
    ],
    [
      'a long first name',
      employeeInput,
      person({ firstName: 'x'.repeat(201) }),
      'firstName',
      'is at most 200 characters, got 201',
    ],
    ['a blank subject', employeeInput, person({ subject: ' ' }), 'subject', 'must not be blank'],
    [
      'a long subject',
      employeeInput,
      person({ subject: 'x'.repeat(256) }),
      'subject',
      'is at most 255 characters, got 256',
    ],
    ['a long project name', projectInput, { name: 'x'.repeat(301) }, 'name', 'is at most 300 characters, got 301'],
    ['a blank comment', commentInput, { text: ' \n' }, 'text', 'must not be blank'],
    ['a long comment', commentInput, { text: 'x'.repeat(20_001) }, 'text', 'is at most 20000 characters, got 20001'],
    ['an id of zero', taskInput, task({ projectId: 0 }), 'projectId', WHOLE],
    ['a negative id', taskInput, task({ sprintId: -1 }), 'sprintId', WHOLE],
    ['a fraction for an id', taskInput, task({ assigneeId: 1.5 }), 'assigneeId', WHOLE],
    ['an id beyond the numbers of JSON', taskInput, task({ assigneeId: 2 ** 53 }), 'assigneeId', WHOLE],
    ['text for an id', taskInput, task({ assigneeId: '1' }), 'assigneeId', WHOLE],
    ['a day that no month has', taskInput, task({ dueDate: '2026-02-30' }), 'dueDate', DATE],
    ['a month that no year has', taskInput, task({ dueDate: '2026-13-01' }), 'dueDate', DATE],
    ['a leap day in a common year', taskInput, task({ dueDate: '2025-02-29' }), 'dueDate', DATE],
    ['a date and time', taskInput, task({ dueDate: '2026-02-01T00:00:00Z' }), 'dueDate', DATE],
    ['a date without zeros', taskInput, task({ dueDate: '2026-2-1' }), 'dueDate', DATE],
    [
      'the year nought',
      taskInput,
      task({ dueDate: '0000-01-01' }),
      'dueDate',
      'must be a date from 0001-01-01 to 9999-12-31',
    ],
    [
      'an end before its start',
      projectInput,
      project({ startDate: '2026-02-02', endDate: '2026-02-01' }),
      'endDate',
      'must not be before startDate',
    ],
    ['a negative amount', taskInput, task({ storyPoints: -1 }), 'storyPoints', 'must be a number from 0 to 10000'],
    [
      'an amount that is too large',
      taskInput,
      task({ estimatedHours: 100_000.01 }),
      'estimatedHours',
      'must be a number from 0 to 100000',
    ],
    ['three decimals', taskInput, task({ estimatedHours: 1.125 }), 'estimatedHours', 'has at most two decimals'],
    ['a status', taskInput, task({ status: 'started' }), 'status', 'must be one of todo, in_progress, done, blocked'],
    ['a priority', taskInput, task({ priority: 'HIGH' }), 'priority', 'must be one of low, medium, high, critical'],
    [
      'a sprint’s status',
      sprintInput,
      { name: 'S', status: 'done' },
      'status',
      'must be one of planned, active, completed',
    ],
    [
      'a project’s status',
      projectInput,
      project({ status: 'todo' }),
      'status',
      'must be one of planning, active, completed, on_hold',
    ],
    ['a role', employeeInput, person({ role: 'root' }), 'role', 'must be one of developer, manager, admin'],
    ['a field that is none', taskInput, task({ colour: 'red' }), 'colour', 'is not a field here'],
    ['a long question', question, { question: 'x'.repeat(4001) }, 'question', 'is at most 4000 characters, got 4001'],
    ['a blank question', question, { question: ' ' }, 'question', 'must not be blank'],
    ['a question with a NUL', question, { question: 'a\0' }, 'question', UNICODE],
    ['a question with half of a pair', question, { question: '\ud83d' }, 'question', UNICODE],
    ['no source to look at', question, { question: 'Why?', topK: 0 }, 'topK', 'must be a whole number from 1 to 50'],
    ['too many sources', question, { question: 'Why?', topK: 51 }, 'topK', 'must be a whole number from 1 to 50'],
    ['half a source', question, { question: 'Why?', topK: 1.5 }, 'topK', 'must be a whole number from 1 to 50'],
  ])('%s', (_, shape, value, field, fault) => {
    expect(faultsOf(shape, value)).toEqual({ [field]: fault });
  });

  test('several at once are all named', () => {
    const faults = faultsOf(taskInput, { title: '', projectId: 0, dueDate: 'soon', colour: 'red' });

    expect(Object.keys(faults).sort()).toEqual(['colour', 'dueDate', 'projectId', 'title']);
  });

  test.each([[null], ['text'], [[]], [1]])('a record that is no object (%j) is a fault of the body', (value) => {
    expect(Object.keys(faultsOf(taskInput, value))).toEqual(['body']);
  });
});

describe('a field as it is stored', () => {
  test.each([
    { title: '  two\t words\r\n', stored: 'two words' },
    { title: 'a\u2028b\u0085c\u00a0d', stored: 'a b c d' },
    { title: 'cafe\u0301', stored: 'café' },
    { title: 'x'.repeat(500), stored: 'x'.repeat(500) },
  ])('is one line in composed form for a title ($title)', ({ title, stored }) => {
    expect(taskInput.parse({ title }).title).toBe(stored);
  });

  test('is null for a text that is blank, null or left out', () => {
    for (const description of ['', ' \n\t', null, undefined]) {
      expect(taskInput.parse(task({ description })).description).toBeNull();
    }
  });

  test('keeps the blanks within and around a text, and ends its lines with LF', () => {
    expect(optionalText(100).parse(' a\r\n  b\rc \n')).toBe(' a\n  b\nc \n');
  });

  test('has its default where it is left out', () => {
    expect(taskInput.parse({ title: 'T' })).toEqual({
      title: 'T',
      status: 'todo',
      priority: 'medium',
      projectId: null,
      sprintId: null,
      assigneeId: null,
      storyPoints: null,
      estimatedHours: null,
      dueDate: null,
      description: null,
    });
  });

  test('never exceeds the limit of its column, though some characters grow when they are composed', () => {
    const growing = fc.constantFrom('\u0958', '\ufb1d', '\u{1d160}', 'e\u0301', 'x', ' ');
    fc.assert(
      fc.property(fc.array(growing, { maxLength: 30, size: 'max' }), (characters) => {
        const parsed = line(20).safeParse(characters.join(''));
        if (parsed.success) expect(parsed.data.length).toBeLessThanOrEqual(20);
      }),
    );
    expect(faultsOf(taskInput, { title: '\u0958'.repeat(500) })).toEqual({
      title: 'is at most 500 characters, got 1000 in composed form (NFC)',
    });
  });

  test('accepts the greatest and the least of what it may be', () => {
    const greatest = { projectId: MAX_ID, storyPoints: 10_000, estimatedHours: 100_000, dueDate: '9999-12-31' };
    const least = { projectId: 1, storyPoints: 0, estimatedHours: 0.01, dueDate: '0001-01-01' };

    expect(faultsOf(taskInput, task(greatest))).toEqual({});
    expect(faultsOf(taskInput, task(least))).toEqual({});
    expect(faultsOf(taskInput, task({ dueDate: '2024-02-29' }))).toEqual({});
    expect(faultsOf(projectInput, project({ startDate: '2026-01-01', endDate: '2026-01-01' }))).toEqual({});
  });
});

test.each([
  ['1', 1],
  [String(MAX_ID), MAX_ID],
  ['9007199254740992', null],
  ['99999999999999999', null],
  ['0', null],
  ['-1', null],
  ['+1', null],
  ['01', null],
  ['1.0', null],
  ['1e3', null],
  ['0x10', null],
  [' 1', null],
  ['１', null],
  ['', null],
])('an id in a path, %j, is %j', (value, id) => {
  expect(parseId(value)).toBe(id);
});
