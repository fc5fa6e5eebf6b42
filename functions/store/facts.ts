import type { Fact } from '../core/facts.ts';
import { RECORD_TYPES, type SourceRef } from '../core/kinds/kind.ts';
import type { Transaction } from '../ports/database.ts';
import { refBinds } from './queue.ts';

/** A fact of a section; of section 0, of the whole source. */
export interface SectionFact {
  section: number;
  fact: Fact;
}

/** All facts of a source. */
interface SourceFacts {
  ref: SourceRef;
  facts: SectionFact[];
}

/** Records have none. */
const canHaveFacts = ({ type }: SourceRef): boolean => !(RECORD_TYPES as readonly string[]).includes(type);

/** Replaces the facts of many sources, with two statements for all; with none where all are records. */
export function replaceFacts(tx: Transaction, sources: SourceFacts[]): void {
  const able = sources.filter(({ ref }) => canHaveFacts(ref));
  if (able.length === 0) return;
  tx.defer(
    'DELETE FROM rag_fact WHERE source_type = :source_type AND source_id = :source_id',
    able.map(({ ref }) => refBinds(ref)),
  );
  const rows = able.flatMap(({ ref, facts }) =>
    facts.map(({ section, fact }) => ({
      ...refBinds(ref),
      section,
      name: fact.name,
      value: 'value' in fact ? fact.value : null,
      amount: 'amount' in fact ? fact.amount : null,
    })),
  );
  if (rows.length === 0) return;
  tx.defer(
    `INSERT INTO rag_fact (source_type, source_id, section, name, value, amount)
     VALUES (:source_type, :source_id, :section, :name, :value, :amount)`,
    rows,
  );
}
