import { type Outcome, refusalFigures } from './outcomes.ts';
import { isMet, type RankingResult } from './ranking.ts';
import type { EvalResult } from './run.ts';
import { type StatementRecall, statementRecall } from './statements.ts';
import type { TopicResult } from './topic.ts';

/** The figures as a person reads them. */
export function reportOf(result: EvalResult): string {
  const { settings, ranking, topic, sample, statements, absent } = result;
  const parts: string[] = [];
  if (absent.length > 0) parts.push(`Left out, since they are not there: ${absent.join(', ')}`);
  if (ranking.length > 0) parts.push(rankingTable(ranking, settings.vectorWeight));
  if (topic.length > 0) parts.push(topicTable(topic, settings));
  if (sample.length > 0) parts.push(sampleTables(sample));
  if (statements.length > 0) parts.push(statementTable(statements));
  return parts.join('\n\n');
}

const three = (n: number) => n.toFixed(3);
const percent = (share: number | null) => (share === null ? '-' : `${(share * 100).toFixed(1)} %`);

function rankingTable(results: RankingResult[], weight: number): string {
  const rows = results.flatMap((result) => {
    const { set, textIndex, goal, calibratedWeights: weights, searchMs } = result;
    const ways = [
      ['vector alone', result.vector, ''],
      ['words alone', result.words, `${searchMs.toFixed(0)} ms`],
      [`hybrid, weight ${weight}`, result.standard, ''],
      [`hybrid, calibrated: ${[...new Set(weights)].join(' and ')}`, result.calibrated, ''],
    ] as const;
    return ways.map(([way, { ndcg10, recall8, mrr }, ms], i) => [
      ...(i === 0 ? [set, textIndex] : ['', '']),
      way,
      three(ndcg10),
      three(recall8),
      three(mrr),
      ms,
      i === ways.length - 1 ? `${three(goal)} ${isMet(result) ? 'met' : 'NOT MET'}` : '',
    ]);
  });
  return table(['set', 'words', 'ranked by', 'nDCG@10', 'recall@8', 'MRR', 'search', 'goal'], rows);
}

const STATEMENT_GOAL = 0.95;

function statementTable(files: StatementRecall[]): string {
  const rows = files.map(({ file, format, statements, found, exact }) => [
    file,
    format,
    String(statements),
    String(found),
    String(exact),
  ]);
  const recall = statementRecall(files);
  return [
    'Statements of diagnostics, looked for by the rarest names in their text: found among the first three sections by that text, or in that file',
    table(['file', 'format', 'statements', 'by text', 'in the file'], rows),
    `found by text: ${percent(recall)}, goal ${percent(STATEMENT_GOAL)} ${recall >= STATEMENT_GOAL ? 'met' : 'NOT MET'}`,
    ...files.flatMap(({ file, missed }) => missed.map((question) => `  missed in ${file}: ${question}`)),
  ].join('\n');
}

function topicTable(results: TopicResult[], { cutoff, wordCoverage }: EvalResult['settings']): string {
  const rows = results.map(({ corpus, asked, isOwn, questions, byDistance, byWords, letThrough }) => [
    corpus,
    asked,
    isOwn ? 'on its subject' : 'foreign',
    String(questions),
    percent(byDistance),
    percent(byWords),
    percent(letThrough),
  ]);
  const title = `Questions let through to an answer: by distance (cutoff ${cutoff}), by words (coverage ${wordCoverage}), by either or by name`;
  return `${title}\n${table(['corpus', 'questions of', '', 'asked', 'distance', 'words', 'let through'], rows)}`;
}

const KINDS = ['answerable', 'unanswered', 'off_topic'] as const;
const OUTCOMES = ['answered', 'not_found', 'off_topic'] as const;

function sampleTables(outcomes: Outcome[]): string {
  const within = outcomes.filter(({ labelled }) => labelled.across !== true);
  const across = outcomes.filter(({ labelled }) => labelled.across === true);
  const rows = KINDS.flatMap((kind) =>
    ['en', 'es'].map((language) =>
      confusion(
        `${kind}, ${language}`,
        within.filter(({ labelled }) => labelled.kind === kind && labelled.language === language),
      ),
    ),
  );
  if (across.length > 0) rows.push(confusion('answerable, es, in an English record', across));
  const refusals = refusalFigures(within).map(({ refusal, precision, recall, given, deserved }) => [
    refusal,
    percent(precision),
    percent(recall),
    String(given),
    String(deserved),
  ]);
  const wrong = outcomes.filter((one) => isWrong(one));
  return [
    "The sample's labelled questions, answered by the sources' own sentences",
    table(['', 'asked', ...OUTCOMES, 'language told', 'answers right'], rows),
    '',
    table(['refusal', 'precision', 'recall', 'given', 'deserved'], refusals),
    ...(wrong.length > 0 ? ['', 'Not as labelled'] : []),
    ...wrong.map(({ labelled, outcome, reason }) => {
      const why = reason === null ? '' : ` (${reason})`;
      return `  ${labelled.kind}${labelled.across ? ', across' : ''}: ${labelled.question} → ${outcome}${why}`;
    }),
  ].join('\n');
}

/** Answered wrongly, not answered though it could be, or refused in another way than it deserves. */
function isWrong({ labelled: { kind }, outcome, isRight }: Outcome): boolean {
  if (kind === 'answerable') return !isRight;
  return outcome !== (kind === 'unanswered' ? 'not_found' : 'off_topic');
}

function confusion(name: string, outcomes: Outcome[]): string[] {
  const count = (is: (one: Outcome) => boolean) => String(outcomes.filter(is).length);
  return [
    name,
    String(outcomes.length),
    ...OUTCOMES.map((outcome) => count((one) => one.outcome === outcome)),
    count(({ reason }) => reason === 'language_mismatch'),
    count(({ isRight }) => isRight),
  ];
}

/** Columns side by side: the first as text, on the left; figures on the right. */
function table(header: string[], rows: string[][]): string {
  const isFigure = header.map((_, i) => rows.every((row) => /^$|^[-\d]/.test(row[i] ?? '')));
  const widths = header.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => (isFigure[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
