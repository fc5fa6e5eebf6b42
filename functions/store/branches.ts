import type { QuestionCodes } from '../core/codes.ts';
import type { Sort } from '../core/facts.ts';
import type { Caller } from '../core/scope.ts';
import type { Binds, Database } from '../ports/database.ts';
import type { EmbeddingModel, VectorBind } from '../ports/embedder.ts';
import { type Condition, chunkFilters, chunkScope, type Filters } from './scope.ts';

/** What is looked for, each in its own branch of one statement. */
export interface Search {
  /** What the embedder made of the question. */
  question: VectorBind;
  /** The question's terms; none where it has none. */
  terms: string[];
  /** The ids and codes that the question names. */
  named: QuestionCodes;
  /** The figure whose order is asked for, and how many sections of it; null where none is. */
  order: Order | null;
  model: EmbeddingModel;
  filters: Filters;
  /** How many sections each branch brings. */
  depth: number;
  /** Whether an index that misses a few may be used where nothing is filtered. */
  approximate: boolean;
}

/** An order by a figure. */
export interface Order {
  sort: Sort;
  /** How many sections of it are wanted. */
  count: number;
  /** Whether nothing else is looked for. */
  isAlone: boolean;
}

/** How many passages are considered for each section that is wanted, where a branch cannot tell them apart at once. */
const PASSAGES_PER_SECTION = 4;

/** One branch: the query of its CHUNK_IDs, with what tells how they were found (IS_NEAR, TEXT_SCORE, AMOUNT). */
interface Branch {
  sql: string;
  binds: Binds;
}

/** The branches of a search, each with the rights and the filters; `approximateFirst` is for the nearest. */
export function branchesOf(db: Database, may: Visible, search: Search, approximateFirst: string | null): Branch[] {
  const inOrder = search.order === null ? [] : [byFigure(may, search.order)];
  if (search.order?.isAlone === true) return inOrder;
  return [
    nearest(db, may, search, { approximateFirst }),
    ...withTerms(db, may, search),
    ...named(db, may, search),
    ...resolutions(db, may, search),
    ...inOrder,
  ];
}

/**
 * The nearest validated fixes, by themselves: among much evidence of one error none would come up, though it belongs above all
 * of that (core/resolutions.ts).
 */
function resolutions(db: Database, may: Visible, search: Search): Branch[] {
  const { sourceTypes } = search.filters;
  if (sourceTypes !== undefined && !sourceTypes.includes('resolution')) return [];
  return [nearest(db, may, search, { condition: { sql: "c.source_type = 'resolution'", binds: {} } })];
}

const NO_SCORE = 'CAST(0 AS DOUBLE PRECISION) AS text_score';
const NO_AMOUNT = 'CAST(NULL AS DOUBLE PRECISION) AS amount';

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
    sql: `SELECT p.chunk_id, ${condition === null ? 1 : 0} AS is_near, ${NO_SCORE}, ${NO_AMOUNT} FROM (
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
      sql: `SELECT p.chunk_id, 0 AS is_near, p.score AS text_score, ${NO_AMOUNT} FROM (
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

/** Fixes first, and not by their distance: each place in which a statement has one may embed the question once more. */
function withCode({ visible, binds }: Visible, condition: Condition, { depth }: Search): Branch {
  return {
    sql: `SELECT c.chunk_id, 0 AS is_near, ${NO_SCORE}, ${NO_AMOUNT}
      FROM rag_chunk c
      WHERE ${condition.sql} AND ${visible('c')}
      ORDER BY CASE WHEN c.source_type = 'resolution' THEN 0 ELSE 1 END, c.chunk_id
      FETCH FIRST :depth ROWS ONLY`,
    binds: { depth, ...condition.binds, ...binds },
  };
}

/** The sections that have a figure, in its order, each by its first passage. */
function byFigure({ visible, binds }: Visible, { sort, count }: Order): Branch {
  const direction = sort.descending ? 'DESC' : 'ASC';
  return {
    sql: `SELECT p.chunk_id, 0 AS is_near, ${NO_SCORE}, p.amount FROM (
        SELECT d.chunk_id, d.amount, ROW_NUMBER() OVER (${SECTION_OF} ORDER BY d.chunk_no, d.amount ${direction}) AS place
        FROM (
          SELECT c.chunk_id, c.source_type, c.source_id, c.section, c.chunk_no, m.amount
          FROM rag_fact m
          JOIN rag_chunk c ON c.source_type = m.source_type AND c.source_id = m.source_id
            AND COALESCE(c.section, 0) = m.section
          WHERE m.name = :metric AND m.amount IS NOT NULL AND ${visible('c')}
        ) d
      ) p
      WHERE p.place = 1
      ORDER BY p.amount ${direction}, p.chunk_id
      FETCH FIRST :most ROWS ONLY`,
    binds: { metric: sort.metric, most: count, ...binds },
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
export interface Visible {
  visible(alias: string): string;
  binds: Binds;
}

export function visibleTo(caller: Caller, { model, filters }: Search): Visible {
  const scope = chunkScope(caller, 'c');
  return {
    visible: (alias) =>
      `${alias}.embedding_model = :model AND ${chunkScope(caller, alias).sql} AND ${chunkFilters(filters, alias).sql}`,
    binds: { model: model.model, ...scope.binds, ...chunkFilters(filters, 'c').binds },
  };
}
