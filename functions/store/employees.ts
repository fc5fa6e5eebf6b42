import type { EmployeeInput } from '../core/kinds/employee.ts';
import { type Caller, type Role, seesEverything } from '../core/scope.ts';
import type { Database, Transaction } from '../ports/database.ts';
import { enqueue } from './queue.ts';
import { deleteRecord, detach, lockRecord, lockReferring, upsert } from './rows.ts';

/** The employee that a token's subject names, with the role as stored now; null where nobody is known by it. */
export async function findEmployeeBySubject(db: Database, subject: string): Promise<Caller | null> {
  const [row] = await db.rows<{ employee_id: number; role: Role }>(
    'system',
    'SELECT employee_id, role FROM employee WHERE subject = :subject',
    { subject },
  );
  return row === undefined ? null : { employeeId: row.employee_id, role: row.role };
}

/** Writes a person; a new name is shown by the tasks assigned to that person, so they are re-indexed. */
export async function putEmployee(tx: Transaction, id: number, input: EmployeeInput): Promise<void> {
  const before = await lockRecord<{ first_name: string; last_name: string }>(
    tx,
    'employee',
    id,
    'first_name, last_name',
  );
  await upsert(
    tx,
    'employee',
    id,
    [{ name: 'subject' }, { name: 'first_name' }, { name: 'last_name' }, { name: 'role' }],
    {
      subject: input.subject ?? String(id),
      first_name: input.firstName,
      last_name: input.lastName,
      role: input.role,
    },
  );
  if (before && (before.first_name !== input.firstName || before.last_name !== input.lastName)) {
    enqueue(tx, await lockReferring(tx, 'task', 'assignee_id', id), 'UPSERT');
  }
}

/**
 * Removes a person, with the questions they have asked and their place among the readers of files, which nobody of the same
 * id is to have; their tasks become unassigned. False where there is none.
 */
export async function removeEmployee(tx: Transaction, id: number): Promise<boolean> {
  if (!(await lockRecord(tx, 'employee', id))) return false;
  await detach(tx, 'task', 'assignee_id', id);
  await tx.execute('DELETE FROM rag_log WHERE employee_id = :id', { id });
  await tx.execute('DELETE FROM source_reader WHERE employee_id = :id', { id });
  await tx.execute("DELETE FROM rag_fact WHERE name = 'reader' AND value = :reader", { reader: String(id) });
  await deleteRecord(tx, 'employee', id);
  return true;
}

export interface EmployeeRecord {
  id: number;
  firstName: string;
  lastName: string;
  role: Role;
  subject: string;
}

/** A person as managers and admins see everybody and everybody sees themselves; null for anybody else. */
export async function readEmployee(db: Database, caller: Caller, id: number): Promise<EmployeeRecord | null> {
  const [row] = await db.rows<{ first_name: string; last_name: string; role: Role; subject: string }>(
    caller,
    `SELECT first_name, last_name, role, subject FROM employee
     WHERE employee_id = :id AND ${seesEverything(caller) ? '1 = 1' : 'employee_id = :me'}`,
    seesEverything(caller) ? { id } : { id, me: caller.employeeId },
  );
  if (row === undefined) return null;
  return { id, firstName: row.first_name, lastName: row.last_name, role: row.role, subject: row.subject };
}
