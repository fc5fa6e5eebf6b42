import { type EmployeeInput, employeeInput } from '../../functions/core/kinds/employee.ts';
import { type ProjectInput, projectInput } from '../../functions/core/kinds/project.ts';
import { type SprintInput, sprintInput } from '../../functions/core/kinds/sprint.ts';
import { commentInput, type TaskInput, type TaskView, taskInput } from '../../functions/core/kinds/task.ts';
import type { Change } from '../../functions/ingest/ingest.ts';

/** Changes with every field that a test does not care about filled in, through the same schemas as requests. */
export const put = {
  employee: (id: number, data: Partial<EmployeeInput> = {}): Change => ({
    op: 'put',
    type: 'employee',
    id,
    data: employeeInput.parse({ firstName: 'First', lastName: `Last${id}`, role: 'developer', ...data }),
  }),
  project: (id: number, data: Partial<ProjectInput> = {}): Change => ({
    op: 'put',
    type: 'project',
    id,
    data: projectInput.parse({ name: `Project ${id}`, ...data }),
  }),
  sprint: (id: number, data: Partial<SprintInput> = {}): Change => ({
    op: 'put',
    type: 'sprint',
    id,
    data: sprintInput.parse({ name: `Sprint ${id}`, ...data }),
  }),
  task: (id: number, data: Partial<TaskInput> = {}): Change => ({
    op: 'put',
    type: 'task',
    id,
    data: taskInput.parse({ title: `Task ${id}`, ...data }),
  }),
  comment: (taskId: number, id: number, text: string): Change => ({
    op: 'put',
    type: 'comment',
    taskId,
    id,
    data: commentInput.parse({ text }),
  }),
};

export const remove = (type: 'employee' | 'project' | 'sprint' | 'task', id: number): Change => ({
  op: 'delete',
  type,
  id,
});
export const removeComment = (taskId: number, id: number): Change => ({ op: 'delete', type: 'comment', taskId, id });

/** A stored task with no more than its title. */
export const BARE_TASK: TaskView = {
  id: 7,
  title: 'Ledger',
  status: 'todo',
  priority: 'medium',
  projectId: null,
  projectName: null,
  sprintId: null,
  sprintName: null,
  assigneeId: null,
  assigneeName: null,
  storyPoints: null,
  estimatedHours: null,
  dueDate: null,
  description: null,
  comments: [],
};
