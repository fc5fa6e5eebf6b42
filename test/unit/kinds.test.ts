import { expect, test } from 'vitest';
import { type ProjectView, projectContent } from '../../functions/core/kinds/project.ts';
import { type SprintView, sprintContent } from '../../functions/core/kinds/sprint.ts';
import { type TaskView, taskContent } from '../../functions/core/kinds/task.ts';
import { BARE_TASK as TASK } from '../support/records.ts';

const FULL_TASK: TaskView = {
  id: 9007199254740991,
  title: 'Close the ledger',
  status: 'in_progress',
  priority: 'critical',
  projectId: 3,
  projectName: 'Payments',
  sprintId: 5,
  sprintName: 'Sprint Alpha',
  assigneeId: 2,
  assigneeName: 'Ana Ruiz',
  storyPoints: 5,
  estimatedHours: 12.25,
  dueDate: '2026-03-31',
  description: 'First line.\nSecond line.',
  comments: ['Started.', 'Blocked\nby the bank.'],
};
const SPRINT: SprintView = {
  id: 5,
  name: 'Sprint Alpha',
  status: 'planned',
  projectId: null,
  projectName: null,
  startDate: null,
  endDate: null,
  goal: null,
};
const PROJECT: ProjectView = {
  id: 3,
  name: 'Payments',
  status: 'on_hold',
  startDate: null,
  endDate: null,
  description: null,
};

test.each([
  {
    what: 'a task with nothing but its title',
    text: taskContent(TASK).text,
    expected: `[TASK #7] Ledger
Status: todo | Priority: medium | Sprint: none
Project: none
Assignee: unassigned
Due: -
Description: -`,
  },
  {
    what: 'a task with everything',
    text: taskContent(FULL_TASK).text,
    expected: `[TASK #9007199254740991] Close the ledger
Status: in_progress | Priority: critical | Sprint: Sprint Alpha
Project: Payments
Assignee: Ana Ruiz
Story points: 5
Estimated hours: 12.25
Due: 2026-03-31
Description: First line.
Second line.
Comments:
- Started.
- Blocked
by the bank.`,
  },
  {
    what: 'a task with amounts of zero, which are amounts',
    text: taskContent({ ...TASK, storyPoints: 0, estimatedHours: 0 }).text,
    expected: `[TASK #7] Ledger
Status: todo | Priority: medium | Sprint: none
Project: none
Assignee: unassigned
Story points: 0
Estimated hours: 0
Due: -
Description: -`,
  },
  {
    what: 'a sprint with nothing but its name',
    text: sprintContent(SPRINT).text,
    expected: `[SPRINT #5] Sprint Alpha (planned)
Project: none
Dates: - -> -
Goal: -`,
  },
  {
    what: 'a sprint with everything',
    text: sprintContent({
      ...SPRINT,
      status: 'active',
      projectId: 3,
      projectName: 'Payments',
      startDate: '2026-01-01',
      endDate: '2026-01-14',
      goal: 'Ship it.',
    }).text,
    expected: `[SPRINT #5] Sprint Alpha (active)
Project: Payments
Dates: 2026-01-01 -> 2026-01-14
Goal: Ship it.`,
  },
  {
    what: 'a sprint with one date',
    text: sprintContent({ ...SPRINT, endDate: '2026-01-14' }).text,
    expected: `[SPRINT #5] Sprint Alpha (planned)
Project: none
Dates: - -> 2026-01-14
Goal: -`,
  },
  {
    what: 'a project without a description',
    text: projectContent(PROJECT).text,
    expected: `[PROJECT #3] Payments (on_hold)
Dates: - -> -`,
  },
  {
    what: 'a project with everything',
    text: projectContent({
      ...PROJECT,
      status: 'active',
      startDate: '2025-01-01',
      endDate: '2026-12-31',
      description: 'Money in.\nMoney out.',
    }).text,
    expected: `[PROJECT #3] Payments (active)
Dates: 2025-01-01 -> 2026-12-31
Description: Money in.
Money out.`,
  },
])('the text of $what', ({ text, expected }) => {
  expect(text).toBe(expected);
});

test.each([
  {
    what: 'an assigned task: its assignee',
    content: taskContent(FULL_TASK),
    scope: { ownerEmployeeId: 2, audience: 'owner', projectId: 3, sprintId: 5 },
  },
  {
    what: 'a task that nobody has: nobody but managers and admins',
    content: taskContent(TASK),
    scope: { ownerEmployeeId: null, audience: 'owner', projectId: null, sprintId: null },
  },
  {
    what: 'a sprint: the organisation',
    content: sprintContent({ ...SPRINT, projectId: 3, projectName: 'Payments' }),
    scope: { ownerEmployeeId: null, audience: 'organization', projectId: 3, sprintId: 5 },
  },
  {
    what: 'a project: the organisation',
    content: projectContent(PROJECT),
    scope: { ownerEmployeeId: null, audience: 'organization', projectId: 3, sprintId: null },
  },
])('who sees $what', ({ content, scope }) => {
  expect(content.scope).toEqual(scope);
});
