import { refusalOf } from '../errors.ts';
import type { Probe } from '../probe.ts';
import { groupedVectors, randomOf } from './vectors.ts';

const TABLE = 'CREATE TABLE <items> (id NUMBER PRIMARY KEY, embedding VECTOR(384, FLOAT32))';
const INSERT = 'INSERT INTO <items> (id, embedding) VALUES (:id, :embedding)';
const INDEX = `CREATE VECTOR INDEX <hnsw> ON <items> (embedding)
  ORGANIZATION INMEMORY NEIGHBOR GRAPH DISTANCE COSINE WITH TARGET ACCURACY 95
  PARAMETERS (TYPE HNSW, NEIGHBORS 40, EFCONSTRUCTION 500)`;
const STATUS = 'SELECT status, index_subtype FROM user_indexes WHERE index_name = :index_name';

export const graphIndex: Probe = {
  id: 'P7',
  question: 'Can an index in memory (HNSW) be made here?',
  needs: 'CREATE TABLE',
  means: {
    holds:
      'nothing for now: the product makes indexes of neighbour partitions (IVF), which need no memory of their own',
    differs: 'nothing: the product makes indexes of neighbour partitions (IVF), which need no memory of their own',
    open: 'nothing: the product makes indexes of neighbour partitions (IVF)',
  },
  async run(context) {
    const { scratch, names } = context;
    const session = await context.open();
    await scratch.create(session, 'table', 'items', TABLE);
    await session.changes(
      INSERT,
      groupedVectors(100, 384, randomOf(7)).map(({ id, embedding }) => ({ id, embedding })),
    );
    await session.commit();
    try {
      await scratch.create(session, 'index', 'hnsw', INDEX);
    } catch (error) {
      return { holds: false, seen: `refused (${refusalOf(error, session.signal)})` };
    }
    const [index] = await session.rows(STATUS, { index_name: names.fill('<hnsw>') });
    return {
      holds: index?.status === 'VALID',
      seen: `made over 100 rows; its status is ${String(index?.status)}, its kind ${String(index?.index_subtype)}`,
    };
  },
};
