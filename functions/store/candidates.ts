import type { Candidate } from '../core/fusion.ts';
import type { Metadata, SourceType } from '../core/kinds/kind.ts';
import { type Audience, type Caller, seesEverything } from '../core/scope.ts';
import type { Database } from '../ports/database.ts';
import { branchesOf, type Search, visibleTo } from './branches.ts';
import { BESIDE } from './lists.ts';
import { areEmpty } from './scope.ts';

/**
 * The sections that the caller may see and that the filters leave: the `depth` nearest, the `depth` that have most of the
 * terms, those that are named, and the first in the order that is asked for, each with its distance and what stands beside it. One statement, in which every branch
 * and the reading of what they found carry the rights and the filters. The nearest are exact, equal to a scan of the
 * permitted rows; only for who sees everything, unfiltered, may they be approximate, and then are looked for again,
 * exactly, where an index finds too few.
 */
export async function searchCandidates(db: Database, caller: Caller, search: Search): Promise<Candidate[]> {
  const isOrderAlone = search.order?.isAlone === true;
  const mayApproximate = search.approximate && seesEverything(caller) && areEmpty(search.filters) && !isOrderAlone;
  const first = mayApproximate ? db.dialect.approximateFirst('passages') : null;
  if (first !== null) {
    const found = await read(db, caller, search, first);
    if (found.filter(({ isNear }) => isNear).length >= search.depth) return found;
  }
  return read(db, caller, search, null);
}

/** A row for each passage that is shown of a passage that was found, that one itself among them. */
interface Row {
  chunk_id: number;
  is_near: number;
  text_score: number;
  amount: number | null;
  source_type: SourceType;
  source_id: string;
  section: number | null;
  chunk_no: number;
  title: string;
  heading: string | null;
  /** JSON; null also where a database takes it for too long. */
  metadata: string | null;
  distance: number;
  owner_employee_id: number | null;
  audience: Audience;
  is_reader: number;
  shown_no: number;
  shown_content: string;
  shown_repeated: number | null;
}

async function read(
  db: Database,
  caller: Caller,
  search: Search,
  approximateFirst: string | null,
): Promise<Candidate[]> {
  const { dialect } = db;
  const may = visibleTo(caller, search);
  const branches = branchesOf(db, may, search, approximateFirst);
  const rows = await db.rows<Row>(
    caller,
    `SELECT f.chunk_id, f.is_near, f.text_score, f.amount, h.source_type, h.source_id, h.section, h.chunk_no, h.title,
            h.heading, JSON_SERIALIZE(h.metadata) AS metadata,
            ${dialect.distanceTo(search.model, `h.${dialect.vectorColumn(search.model)}`, 'question')} AS distance,
            h.owner_employee_id, h.audience,
            CASE WHEN EXISTS (SELECT 1 FROM source_reader v WHERE v.source_type = h.source_type
              AND v.source_id = h.source_id AND v.employee_id IN (0, :reader_id)) THEN 1 ELSE 0 END AS is_reader,
            n.chunk_no AS shown_no, n.content AS shown_content, n.repeated AS shown_repeated
     FROM (
       SELECT b.chunk_id, MAX(b.is_near) AS is_near, MAX(b.text_score) AS text_score, MAX(b.amount) AS amount
       FROM (${branches.map(({ sql }) => `SELECT * FROM (${sql}) s`).join('\n UNION ALL ')}) b
       GROUP BY b.chunk_id
     ) f
     JOIN rag_chunk h ON h.chunk_id = f.chunk_id AND ${may.visible('h')}
     JOIN rag_chunk n ON n.source_type = h.source_type AND n.source_id = h.source_id
       AND n.chunk_no BETWEEN h.chunk_no - ${BESIDE} AND h.chunk_no + ${BESIDE}
       AND (n.chunk_id = h.chunk_id OR n.section = h.section) AND ${may.visible('n')}
     ORDER BY h.chunk_id, n.chunk_no`,
    Object.assign(
      { question: search.question, reader_id: caller.employeeId },
      ...branches.map(({ binds }) => binds),
      may.binds,
    ),
  );
  const found = new Map<number, Candidate>();
  for (const row of rows) {
    const candidate = found.get(row.chunk_id) ?? toCandidate(row);
    found.set(row.chunk_id, candidate);
    const shown = { content: row.shown_content, repeated: row.shown_repeated };
    if (row.shown_no === row.chunk_no) Object.assign(candidate, shown);
    else candidate[row.shown_no < row.chunk_no ? 'before' : 'after'].push(shown);
  }
  return [...found.values()];
}

const toCandidate = (row: Row): Candidate => ({
  chunkId: row.chunk_id,
  sourceType: row.source_type,
  sourceId: row.source_id,
  section: row.section,
  title: row.title,
  heading: row.heading,
  metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Metadata),
  content: '',
  repeated: null,
  distance: row.distance,
  isNear: row.is_near === 1,
  textScore: row.text_score,
  amount: row.amount,
  ownerEmployeeId: row.owner_employee_id,
  audience: row.audience,
  isReader: row.is_reader === 1,
  before: [],
  after: [],
});
