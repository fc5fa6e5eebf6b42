import type { QuestionCodes } from '../core/codes.ts';
import type { Candidate } from '../core/fusion.ts';
import type { SourceType } from '../core/kinds/kind.ts';
import { type Audience, type Caller, seesEverything } from '../core/scope.ts';
import type { Binds, Database } from '../ports/database.ts';
import type { EmbeddingModel, VectorBind } from '../ports/embedder.ts';
import { type Condition, chunkFilter, chunkScope, type Filter, isEmptyFilter } from './scope.ts';

/** What is looked for, each in its own branch of one statement. */
export interface Search {
  /** What the embedder made of the question. */
  question: VectorBind;
  /** The question's terms; none where it has none. */
  terms: string[];
  /** The ids and codes that the question names. */
  named: QuestionCodes;
  model: EmbeddingModel;
  filter: Filter;
  /** How many sections each branch brings. */
  depth: number;
  /** Whether an index that misses a few may be used where nothing is filtered. */
  approximate: boolean;
}

/** How many passages are considered for each section that is wanted, where a branch cannot tell them apart at once. */
const PASSAGES_PER_SECTION = 4;

/**
 * The sections that the caller may see and that the filter leaves: the `depth` nearest, the `depth` that have most of the
 * terms, and those that are named, each with its distance and what stands beside it. One statement, in which every branch
 * and the reading of what they found carry the rights and the filter. The nearest are exact, equal to a scan of the
 * permitted rows; only for who sees everything, unfiltered, may they be approximate, and then are looked for again,
 * exactly, where an index finds too few.
 */
export async function searchCandidates(db: Database, caller: Caller, search: Search): Promise<Candidate[]> {
  const mayApproximate = search.approximate && seesEverything(caller) && isEmptyFilter(search.filter);
  const first = mayApproximate ? db.dialect.approximateFirst('passages') : null;
  if (first !== null) {
    const found = await read(db, caller, search, first);
    if (found.filter(({ isNear }) => isNear).length >= search.depth) return found;
  }
  return read(db, caller, search, null);
}

/** One branch: the query of its CHUNK_IDs, with what tells how they were found. */
interface Branch {
  sql: string;
  binds: Binds;
}

const SECTION_OF = 'PARTITION BY d.source_type, d.source_id, d.section';

/** The sections nearest to the question; with a condition, the nearest of those that meet it. */
function nearest(
  db: Database,
  { visible, binds }: Visible,
  search: Search,
  { approximateFirst = null, condition = null }: { approximateFirst?: string | null; condition?: Condition | null },
): Branch {
  const { dialect } = db;
  const distance = dialect.distanceTo(search.model, `c.${dialect.vectorColumn(search.model)}`, 'question');
  const columns = `c.chunk_id, c.source_type, c.source_id, c.section, ${distance} AS distance`;
  // With a condition, an index may find fewer than there are.
  const passages =
    approximateFirst === null
      ? `SELECT ${columns} FROM rag_chunk c WHERE ${condition === null ? '' : `${condition.sql} AND `}${visible('c')}`
      : `SELECT ${columns} FROM rag_chunk c ORDER BY distance ${approximateFirst}`;
  return {
    sql: `SELECT p.chunk_id, ${condition === null ? 1 : 0} AS is_near, CAST(0 AS DOUBLE PRECISION) AS text_score FROM (
        SELECT d.chunk_id, d.distance, ROW_NUMBER() OVER (${SECTION_OF} ORDER BY d.distance, d.chunk_id) AS place
        FROM (${passages}) d
      ) p
      WHERE p.place = 1
      ORDER BY p.distance, p.chunk_id
      ${dialect.exactFirst('depth')}`,
    binds: {
      question: search.question,
      depth: search.depth,
      ...condition?.binds,
      ...(approximateFirst === null ? binds : { passages: search.depth * PASSAGES_PER_SECTION }),
    },
  };
}

/** The sections that have most, and the rarest, of the terms. */
function withTerms(db: Database, { visible, binds }: Visible, { terms, depth }: Search): Branch[] {
  // An empty text query is an error in Oracle.
  if (terms.length === 0) return [];
  const text = db.dialect.textSearch('c.terms', 'terms');
  return [
    {
      sql: `SELECT p.chunk_id, 0 AS is_near, p.score AS text_score FROM (
          SELECT d.chunk_id, d.score, ROW_NUMBER() OVER (${SECTION_OF} ORDER BY d.score DESC, d.chunk_id) AS place
          FROM (
            SELECT c.chunk_id, c.source_type, c.source_id, c.section, ${text.score} AS score
            FROM rag_chunk c
            WHERE ${text.where} AND ${visible('c')}
            ORDER BY ${text.order}, c.chunk_id
            FETCH FIRST :passages ROWS ONLY
          ) d
          WHERE d.score > 0
        ) p
        WHERE p.place = 1
        ORDER BY p.score DESC, p.chunk_id
        FETCH FIRST :depth ROWS ONLY`,
      binds: {
        terms: db.dialect.textQuery(terms),
        passages: depth * PASSAGES_PER_SECTION,
        depth,
        ...binds,
      },
    },
  ];
}

/** What the question names: the nearest sections of the sources, and for each code passages in which it is written. */
function named(db: Database, may: Visible, search: Search): Branch[] {
  const { sources, codes } = search.named;
  const ofSources = sources.length === 0 ? [] : [nearest(db, may, search, { condition: isOneOf(sources) })];
  return [...ofSources, ...codes.map((code, i) => withCode(may, hasCode(code, i), search))];
}

/** Not by their distance: each place in which a statement has one may embed the question once more. */
function withCode({ visible, binds }: Visible, condition: Condition, { depth }: Search): Branch {
  return {
    sql: `SELECT c.chunk_id, 0 AS is_near, CAST(0 AS DOUBLE PRECISION) AS text_score
      FROM rag_chunk c
      WHERE ${condition.sql} AND ${visible('c')}
      ORDER BY c.chunk_id
      FETCH FIRST :depth ROWS ONLY`,
    binds: { depth, ...condition.binds, ...binds },
  };
}

function isOneOf(sources: QuestionCodes['sources']): Condition {
  const binds: Binds = {};
  const conditions = sources.map(({ type, id }, i) => {
    binds[`named_id${i}`] = id;
    if (type === null) return `c.source_id = :named_id${i}`;
    binds[`named_type${i}`] = type;
    return `(c.source_type = :named_type${i} AND c.source_id = :named_id${i})`;
  });
  return { sql: `(${conditions.join(' OR ')})`, binds };
}

/** That a passage has a code as a whole; see containsCode. LIKE is the cheaper look, which comes first. */
function hasCode(code: string, i: number): Condition {
  const [, prefix = code, digits = ''] = /^(ORA|PLS|TNS|RMAN)-0*(\d+)$/.exec(code) ?? [];
  const pattern = digits === '' ? code : `${prefix}[- ]?0*${digits}`;
  return {
    sql: `UPPER(c.content) LIKE :code${i} AND REGEXP_LIKE(c.content, :pattern${i}, 'i')`,
    binds: {
      [`code${i}`]: digits === '' ? `%${code}%` : `%${prefix}%${digits}%`,
      [`pattern${i}`]: `(^|[^[:alnum:]_])${pattern}($|[^[:alnum:]_])`,
    },
  };
}

/** The condition of what may be found, for a table of chunks under an alias, and its binds. */
interface Visible {
  visible(alias: string): string;
  binds: Binds;
}

function visibleTo(caller: Caller, { model, filter }: Search): Visible {
  const scope = chunkScope(caller, 'c');
  return {
    visible: (alias) =>
      `${alias}.embedding_model = :model AND ${chunkScope(caller, alias).sql} AND ${chunkFilter(filter, alias).sql}`,
    binds: { model: model.model, ...scope.binds, ...chunkFilter(filter, 'c').binds },
  };
}

async function read(
  db: Database,
  caller: Caller,
  search: Search,
  approximateFirst: string | null,
): Promise<Candidate[]> {
  const { dialect } = db;
  const may = visibleTo(caller, search);
  const branches = [
    nearest(db, may, search, { approximateFirst }),
    ...withTerms(db, may, search),
    ...named(db, may, search),
  ];
  const rows = await db.rows<{
    chunk_id: number;
    source_type: SourceType;
    source_id: string;
    chunk_no: number;
    section: number | null;
    title: string;
    content: string;
    distance: number;
    is_near: number;
    text_score: number;
    owner_employee_id: number | null;
    audience: Audience;
    near_no: number | null;
    near_content: string | null;
  }>(
    caller,
    `SELECT h.chunk_id, h.source_type, h.source_id, h.chunk_no, h.section, h.title, h.content,
            ${dialect.distanceTo(search.model, `h.${dialect.vectorColumn(search.model)}`, 'question')} AS distance,
            f.is_near, f.text_score, h.owner_employee_id, h.audience,
            n.chunk_no AS near_no, n.content AS near_content
     FROM (
       SELECT b.chunk_id, MAX(b.is_near) AS is_near, MAX(b.text_score) AS text_score
       FROM (${branches.map(({ sql }) => `SELECT * FROM (${sql}) s`).join('\n UNION ALL ')}) b
       GROUP BY b.chunk_id
     ) f
     JOIN rag_chunk h ON h.chunk_id = f.chunk_id AND ${may.visible('h')}
     LEFT JOIN rag_chunk n ON n.source_type = h.source_type AND n.source_id = h.source_id AND n.section = h.section
       AND n.chunk_no BETWEEN h.chunk_no - 1 AND h.chunk_no + 1 AND n.chunk_no <> h.chunk_no AND ${may.visible('n')}
     ORDER BY h.chunk_id, n.chunk_no`,
    Object.assign({}, ...branches.map(({ binds }) => binds), may.binds),
  );
  const found = new Map<number, Candidate>();
  for (const row of rows) {
    const candidate: Candidate = found.get(row.chunk_id) ?? {
      chunkId: row.chunk_id,
      sourceType: row.source_type,
      sourceId: row.source_id,
      section: row.section,
      title: row.title,
      content: row.content,
      distance: row.distance,
      isNear: row.is_near === 1,
      textScore: row.text_score,
      ownerEmployeeId: row.owner_employee_id,
      audience: row.audience,
      before: null,
      after: null,
    };
    found.set(row.chunk_id, candidate);
    if (row.near_no !== null) candidate[row.near_no < row.chunk_no ? 'before' : 'after'] = row.near_content;
  }
  return [...found.values()];
}
