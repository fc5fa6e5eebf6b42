import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SourceType, sourceKey } from '../../functions/core/kinds/kind.ts';
import { UserError } from '../user-error.ts';
import { type Gains, gainOf } from './ranking-metrics.ts';

/** The kind of source that documents are written as. */
export const DOCUMENT: SourceType = 'project';

const keyOf = (id: string) => sourceKey({ type: DOCUMENT, id });

/** Documents, and questions of which it is known what they should find. */
export interface RetrievalSet {
  name: string;
  /** What the documents are called, and what they are about: sets of one subject are not foreign to each other. */
  corpus: string;
  subject: string;
  /** `text` is what is searched, its title included where it has one there. */
  documents: { id: string; title: string; text: string }[];
  /** The gains are those of sources, as type/id. */
  questions: { text: string; gains: Gains }[];
}

interface KnownSet extends Pick<RetrievalSet, 'name' | 'corpus' | 'subject'> {
  /** Below the data folder. */
  files: string[];
  /** The nDCG@10 to be reached. */
  goal: number;
  read(paths: string[]): Pick<RetrievalSet, 'documents' | 'questions'>;
}

/** The sets that are measured, with the figures that they are to reach. */
export const SETS: KnownSet[] = [
  {
    name: 'cranfield',
    corpus: 'cranfield',
    subject: 'cranfield',
    files: ['cranfield/cran.all.1400', 'cranfield/cran.qry', 'cranfield/QRelsCorrectedforTRECeval'],
    goal: 0.365,
    read: ([documents = '', questions = '', judgements = '']) => ({
      documents: parseSmart(readFileSync(documents, 'latin1')).map(({ id, T, W }) => ({
        id,
        title: T,
        text: `${T}\n${W}`,
      })),
      questions: withJudgements(parseSmart(readFileSync(questions, 'latin1')), readFileSync(judgements, 'utf8')),
    }),
  },
  {
    name: 'xquad en→en',
    corpus: 'xquad en',
    subject: 'xquad',
    files: ['xquad.en.json', 'xquad.en.json'],
    goal: 0.975,
    read: readXquad,
  },
  {
    name: 'xquad es→es',
    corpus: 'xquad es',
    subject: 'xquad',
    files: ['xquad.es.json', 'xquad.es.json'],
    goal: 0.955,
    read: readXquad,
  },
  {
    name: 'xquad es→en',
    corpus: 'xquad en',
    subject: 'xquad',
    files: ['xquad.es.json', 'xquad.en.json'],
    goal: 0.33,
    read: readXquad,
  },
];

/** Reads a set from the data folder; null where it is not there. */
export function readSet({ name, corpus, subject, files, read }: KnownSet, folder: string): RetrievalSet | null {
  const paths = files.map((file) => join(folder, file));
  if (!paths.every(existsSync)) return null;
  try {
    const set = { name, corpus, subject, ...read(paths) };
    if (set.documents.length === 0 || set.questions.length === 0)
      throw new Error('it has no documents or no questions');
    return set;
  } catch (error) {
    throw new UserError(`The set ${name} cannot be read (${paths.join(', ')}): ${(error as Error).message}`);
  }
}

/** A file of the SMART system: `.I` and a number begin an entry, `.T`, `.A`, `.B` and `.W` a field of it. */
function parseSmart(file: string): { id: string; T: string; W: string }[] {
  return file
    .split(/^\.I /m)
    .slice(1)
    .map((entry) => {
      const [id = '', ...lines] = entry.split('\n');
      const fields: Record<string, string[]> = {};
      let field = '';
      for (const line of lines) {
        const begun = /^\.([TABW])\s*$/.exec(line)?.[1];
        if (begun === undefined) fields[field]?.push(line);
        else {
          field = begun;
          fields[field] ??= [];
        }
      }
      const textOf = (name: string) => (fields[name] ?? []).join(' ').replace(/\s+/g, ' ').trim();
      return { id: id.trim(), T: textOf('T'), W: textOf('W') };
    });
}

/** What the corrected judgements have for -1, "of no interest". */
const NOT_RELEVANT = 5;

/** Lines of "question 0 document grade"; a question's number is its place in the file, from 1. */
function withJudgements(questions: { W: string }[], judgements: string): RetrievalSet['questions'] {
  const all = new Map<string, Map<string, number>>();
  for (const line of judgements.trim().split('\n')) {
    const [question = '', , document = '', grade = ''] = line.trim().split(/\s+/);
    const gains = all.get(question) ?? new Map<string, number>();
    all.set(question, gains.set(keyOf(document), Number(grade) === NOT_RELEVANT ? 0 : gainOf(Number(grade))));
  }
  return questions.map(({ W }, i) => ({ text: W, gains: all.get(String(i + 1)) ?? new Map() }));
}

interface Xquad {
  data: { title?: string; paragraphs: { context: string; qas: { question: string }[] }[] }[];
}

/** The questions of one file on the paragraphs of another: the same ones in the same order, in another language. */
function readXquad([asked = '', searched = '']: string[]): Pick<RetrievalSet, 'documents' | 'questions'> {
  const paragraphsOf = (path: string) =>
    (JSON.parse(readFileSync(path, 'utf8')) as Xquad).data.flatMap(({ title = '', paragraphs }) =>
      paragraphs.map((paragraph) => ({ title, ...paragraph })),
    );
  return {
    documents: paragraphsOf(searched).map(({ title, context }, i) => ({ id: String(i + 1), title, text: context })),
    questions: paragraphsOf(asked).flatMap(({ qas }, i) =>
      qas.map(({ question }) => ({ text: question, gains: new Map([[keyOf(String(i + 1)), 1]]) })),
    ),
  };
}
