import { NotFound } from '../core/errors.ts';
import { groupGaps } from '../core/gaps.ts';
import { sourceKey } from '../core/kinds/kind.ts';
import { type Caller, seesEverything } from '../core/scope.ts';
import type { Database } from '../ports/database.ts';
import type { AskedQuestion, Gaps } from '../shapes.ts';
import { type LoggedSource, listUnanswered, readQuestion } from '../store/question-log.ts';
import { readTitles } from '../store/titles.ts';

/** What a platform calls its calls by. */
const CALL_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * What came of a question, for who asked it, a manager or an admin; for anybody else it is as if there were none. Nothing
 * of a source is told but its id, unless the caller may still see it.
 */
export async function readAskedQuestion(database: Database, caller: Caller, callId: string): Promise<AskedQuestion> {
  const found = CALL_ID.test(callId) ? await readQuestion(database, caller, callId) : null;
  if (found === null) throw new NotFound(`There is no question of the call ${callId} that you may see`);
  const { standalone, retrieved, cited, ...rest } = found;
  const titles = await readTitles(database, caller, retrieved.map(refOf));
  const titleOf = (source: LoggedSource) => titles.get(sourceKey(refOf(source))) ?? null;
  const seesAllSources = retrieved.every((source) => titleOf(source) !== null);
  // How rare a word is, is counted over all passages: a score tells something of those that this person may not see.
  const seesScores = seesEverything(caller);
  return {
    ...rest,
    standaloneQuestion: standalone,
    answer: seesAllSources ? rest.answer : null,
    // What a model wrote, in its sentences or as its markers, is of the answer.
    support: seesAllSources
      ? rest.support
      : (rest.support?.map(({ verdict }) => ({ sentence: null, verdict })) ?? null),
    removedCitations: seesAllSources ? rest.removedCitations : [],
    sources: retrieved.map((source) => ({
      n: source.n,
      sourceType: source.sourceType,
      sourceId: source.sourceId,
      title: titleOf(source),
      distance: source.distance,
      textScore: seesScores ? source.textScore : null,
      fused: seesScores ? source.fused : null,
      exact: source.exact,
      cited: cited.includes(source.chunkId),
    })),
  };
}

const refOf = ({ sourceType, sourceId }: LoggedSource) => ({ type: sourceType, id: sourceId });

/** What is grouped at most: the newest. */
const MAX_QUESTIONS = 5000;

/** What was asked in the last days and not found, grouped. */
export async function readGaps(database: Database, caller: Caller, days: number): Promise<Gaps> {
  const rows = await listUnanswered(database, caller, days, MAX_QUESTIONS);
  const withText = rows.flatMap(({ question, ...rest }) => (question === null ? [] : [{ question, ...rest }]));
  return {
    gaps: groupGaps(withText),
    withoutText: rows.length - withText.length,
    complete: rows.length < MAX_QUESTIONS,
  };
}
