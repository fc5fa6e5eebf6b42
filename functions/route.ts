import type * as z from 'zod';

/**
 * Who may call: `public` anybody · `employee` a token whose subject is an employee · `write` the scope rag.write or an
 * admin · `state` an employee or the scope rag.write · `manager` a manager or an admin · `admin` an admin.
 */
type Access = 'public' | 'employee' | 'write' | 'state' | 'manager' | 'admin';

/**
 * A shape, loaded when it is first needed: a cold call builds the shapes of its own route and no others.
 */
export type LazyShape = () => Promise<z.ZodType>;

/** The records that are written one by one, by the name they have in a path. */
export const RECORDS = {
  employees: { type: 'employee', input: async () => (await import('./core/kinds/employee.ts')).employeeInput },
  projects: { type: 'project', input: async () => (await import('./core/kinds/project.ts')).projectInput },
  sprints: { type: 'sprint', input: async () => (await import('./core/kinds/sprint.ts')).sprintInput },
  tasks: { type: 'task', input: async () => (await import('./core/kinds/task.ts')).taskInput },
} as const;
export type Collection = keyof typeof RECORDS;
export type RecordType = (typeof RECORDS)[Collection]['type'];

/** The handlers that each function served over HTTP must have. */
export interface HandlerNames {
  ask:
    | 'ask'
    | 'search'
    | 'getRecord'
    | 'getDocument'
    | 'listDocuments'
    | 'getDiagnostic'
    | 'listDiagnostics'
    | 'getSource'
    | 'getStatus'
    | 'getQuestion'
    | 'listGaps'
    | 'getOpenApi';
  ingest:
    | 'putRecord'
    | 'deleteRecord'
    | 'putComment'
    | 'deleteComment'
    | 'bulk'
    | 'putDocument'
    | 'deleteDocument'
    | 'putDiagnostic'
    | 'deleteDiagnostic'
    | 'putResolution'
    | 'deleteResolution'
    | 'reindex'
    | 'reconcile'
    | 'requeue';
}
export type HttpFunction = keyof HandlerNames;

type Target = { [F in HttpFunction]: { function: F; handler: HandlerNames[F] } }[HttpFunction];

export type Route = Target & {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** `{name}` stands for one segment; `{name*}`, at the end, for all that are left, of which there is one at least. */
  path: string;
  access: Access;
  summary: string;
  /** For the routes of a collection. */
  collection?: Collection;
  /** Of the query's parameters. */
  query?: LazyShape;
  body?: LazyShape;
  /** The media type of the body where it is not application/json; a body of any type is taken as bytes. */
  bodyType?: string;
  /** `isFile`: where the query asks for it, the answer is a file. */
  success: { status: number; shape: LazyShape; isFile?: true };
};
