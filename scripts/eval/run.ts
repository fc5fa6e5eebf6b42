import type { TextIndex } from '../../functions/adapters/postgres/dialect.ts';
import type { Searching } from '../../functions/ask/retrieve.ts';
import type { Caller } from '../../functions/core/scope.ts';
import type { Database } from '../../functions/ports/database.ts';
import type { Embedder } from '../../functions/ports/embedder.ts';
import { readSampleRecords } from '../dev/first-records.ts';
import type { EvalOptions } from './args.ts';
import { writeDocuments } from './corpus.ts';
import type { EmbeddedDatabase, Workshop } from './embedded.ts';
import { type Evidence, evidenceOf } from './evidence.ts';
import { askAll } from './measure.ts';
import { type AskSettings, askLabelled, type Outcome } from './outcomes.ts';
import { readQuestions, SAMPLE_QUESTIONS } from './questions.ts';
import { measureRanking, type RankingResult } from './ranking.ts';
import { SILENT, writeRecords } from './records.ts';
import { type RetrievalSet, readSet } from './sets.ts';
import { hasStatements, measureStatements, type StatementRecall } from './statements.ts';
import { measureTopic, sampleOf, type TopicResult } from './topic.ts';

export interface EvalResult {
  settings: AskSettings;
  ranking: RankingResult[];
  topic: TopicResult[];
  sample: Outcome[];
  statements: StatementRecall[];
  /** The sets that were asked for and are not there. */
  absent: string[];
}

/** Sees every record: what is measured is the search, not the rights. */
const CALLER: Caller = { employeeId: 1, role: 'manager' };
/** Questions of one set that are asked of a corpus on another subject, or of their own, to see which are let through. */
const ASKED_FOR_TOPIC = 100;

type Tell = (progress: string) => void;
type Set = RetrievalSet & { goal: number };
/** Questions and what they are about. */
type Questions = Pick<RetrievalSet, 'name' | 'subject' | 'questions'>;

/** Measures whatever the options name; `tell` hears what is being done. */
export async function runEval(
  workshop: Workshop,
  options: EvalOptions,
  settings: AskSettings,
  tell: Tell,
): Promise<EvalResult> {
  const sets: Set[] = [];
  const result: EvalResult = { settings, ranking: [], topic: [], sample: [], statements: [], absent: [] };
  for (const known of options.sets) {
    const set = readSet(known, options.data);
    if (set === null) result.absent.push(known.name);
    else sets.push({ ...set, goal: known.goal });
  }
  const embedder = await workshop.encoder(tell);
  const corpora = new Map<string, { database: EmbeddedDatabase; sets: Set[] }>();
  for (const set of sets) {
    const corpus = corpora.get(set.corpus) ?? { database: await writeCorpus(workshop, embedder, set, tell), sets: [] };
    corpora.set(set.corpus, { ...corpus, sets: [...corpus.sets, set] });
  }
  for (const [name, corpus] of corpora) {
    await measureCorpus({ name, ...corpus, others: sets, embedder, options, tell }, result);
  }
  if (options.sample) await measureSample({ workshop, embedder, others: sets, tell }, result);
  const { diagnostics } = options;
  if (diagnostics !== null && !hasStatements(diagnostics)) result.absent.push('statements');
  else if (diagnostics !== null) {
    const database = (await workshop.database()).open('bm25');
    const searching = searchingIn(database, embedder);
    result.statements = await measureStatements({ database, embedder }, searching, settings, diagnostics, tell);
  }
  return result;
}

async function writeCorpus(
  workshop: Workshop,
  embedder: Embedder,
  { corpus, documents }: Set,
  tell: Tell,
): Promise<EmbeddedDatabase> {
  tell(`${corpus}: writing ${documents.length} documents`);
  const database = await workshop.database();
  await writeDocuments(database.open('bm25'), embedder, documents);
  return database;
}

interface Corpus {
  name: string;
  database: EmbeddedDatabase;
  sets: Set[];
  others: Set[];
  embedder: Embedder;
  options: EvalOptions;
  tell: Tell;
}

async function measureCorpus({ name, sets, others, options, tell, ...parts }: Corpus, result: EvalResult) {
  const searching = (textIndex: TextIndex) => searchingIn(parts.database.open(textIndex), parts.embedder);
  for (const textIndex of options.textIndexes) {
    for (const set of sets) {
      const asked = await askAll(searching(textIndex), set.questions, (n) => {
        if (n % 50 === 0) tell(`${set.name}, ${textIndex}: ${n} of ${set.questions.length} questions`);
      });
      const { goal } = set;
      result.ranking.push(
        measureRanking(
          { set: set.name, textIndex, goal },
          asked,
          result.settings.vectorWeight,
          result.settings.languages,
        ),
      );
    }
  }
  const [subject = ''] = sets.map((set) => set.subject);
  await judgeTopic({ searching: searching('bm25'), corpus: name, subject, asked: others, tell }, result);
}

/** The sample's records are asked their own labelled questions, and those of every set. */
async function measureSample(
  { workshop, embedder, others, tell }: { workshop: Workshop; embedder: Embedder; others: Set[]; tell: Tell },
  result: EvalResult,
) {
  tell('sample: writing its records');
  const database = (await workshop.database()).open('bm25');
  await writeRecords(database, embedder, await readSampleRecords(), 'the sample');
  const labelled = readQuestions(SAMPLE_QUESTIONS);
  tell(`sample: asking ${labelled.length} questions`);
  result.sample = await askLabelled({ database, embedder }, result.settings, labelled);
  const own = labelled.filter(({ kind, across }) => kind !== 'off_topic' && across !== true);
  const ofLanguage = (language: string): Questions => ({
    name: `sample ${language}`,
    subject: 'sample',
    questions: own
      .filter((one) => one.language === language)
      .map(({ question }) => question)
      .map(withoutGains),
  });
  const asked = [ofLanguage('en'), ofLanguage('es'), ...others];
  await judgeTopic(
    { searching: searchingIn(database, embedder), corpus: 'sample', subject: 'sample', asked, tell },
    result,
  );
}

const withoutGains = (text: string) => ({ text, gains: new Map<string, number>() });

async function judgeTopic(
  parts: { searching: Searching; corpus: string; subject: string; asked: Questions[]; tell: Tell },
  { settings, topic }: EvalResult,
) {
  const { searching, corpus, subject, asked, tell } = parts;
  // Questions that two sets share are asked once.
  for (const [name, one] of new Map(asked.map((set) => [set.name.split('→')[0] ?? set.name, set]))) {
    tell(`${corpus}: which questions of ${name} are on its subject`);
    const found = await askAll(searching, sampleOf(one.questions, ASKED_FOR_TOPIC), () => {}, settings.topK);
    const evidence = found.map(({ question, found }): Evidence => evidenceOf(question.text, found, settings));
    topic.push(measureTopic({ corpus, asked: name, isOwn: one.subject === subject }, evidence, settings));
  }
}

const searchingIn = (database: Database, embedder: Embedder): Searching => ({
  database,
  embedder,
  caller: CALLER,
  log: SILENT,
});
