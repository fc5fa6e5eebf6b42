import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../../functions/core/errors.ts';
import { calibrationFile, writeCalibration } from '../../dev/calibration-file.ts';
import { SAMPLE_FILE } from '../../dev/first-records.ts';
import { Workshop } from '../../eval/embedded.ts';
import { readQuestions, SAMPLE_QUESTIONS } from '../../eval/questions.ts';
import { askSettings } from '../../eval/settings.ts';
import { UserError } from '../../user-error.ts';
import { readArgs } from '../args.ts';
import { count, say } from '../printing.ts';
import { envLines, writeEnvFile } from './env-file.ts';
import { type Calibration, calibrate, requireBothKinds } from './measure.ts';
import { configOf, openPlace } from './place.ts';
import { plotDistances } from './plot.ts';
import { svgOf } from './svg.ts';

/** Measures the limits and the weight for an embedding model, prints them, and writes them where that is asked for. */
export async function calibrateCommand(args: string[]): Promise<number> {
  const { values, place } = readArgs(args, [], {
    corpus: { type: 'string' },
    questions: { type: 'string' },
    svg: { type: 'string' },
    env: { type: 'string' },
    write: { type: 'boolean' },
  });
  const isStored = (process.env.RAG_DATABASE ?? '') !== '';
  if (isStored && values.corpus !== undefined) {
    throw new UserError('RAG_DATABASE names what is searched; leave --corpus out, or unset RAG_DATABASE');
  }
  if (isStored && values.questions === undefined) {
    throw new UserError('--questions is missing: with RAG_DATABASE, questions on what that database holds are needed');
  }
  if (values.corpus !== undefined && values.questions === undefined) {
    throw new UserError('--questions is missing: questions on that corpus are needed');
  }
  const questions = readQuestions(values.questions ?? SAMPLE_QUESTIONS);
  requireBothKinds(questions);
  const { config } = configOf(process.env);
  const measured = await Workshop.run(async (workshop) => {
    const corpus = isStored ? null : (values.corpus ?? fileURLToPath(SAMPLE_FILE));
    const searching = await openPlace(workshop, { env: process.env, corpus }, say);
    say(`Asking ${count(questions.length, 'question')} of ${searching.corpus} …\n`);
    try {
      return await calibrate(searching, questions, askSettings(config));
    } catch (error) {
      throw error instanceof AppError ? new UserError(error.message) : error;
    } finally {
      if (isStored) await searching.database.close();
    }
  });
  const settings = settingsFor(measured);
  print(measured, settings);
  if (values.svg !== undefined) {
    write(values.svg, () => writeFileSync(resolve(values.svg ?? ''), svgOf(measured)));
    say(`\nThe picture is in ${values.svg}`);
  }
  if (values.env !== undefined) {
    write(values.env, () => writeEnvFile(resolve(values.env ?? ''), settings));
    say(`\nWritten into ${values.env}`);
  }
  if (values.write === true) {
    await mkdir(place.data, { recursive: true, mode: 0o700 });
    await writeCalibration(place.data, measured.model, settings);
    say(`\nWritten into ${calibrationFile(place.data)}; npm start reads it when it starts the next time`);
  }
  return 0;
}

function write(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new UserError(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** Two figures behind the point are more than the questions of a team can tell. */
const rounded = (n: number) => String(Math.round(n * 100) / 100);

function settingsFor({ cutoff, wordCoverage, weight }: Calibration): Record<string, string> {
  return {
    RAG_RETRIEVAL_CUTOFF: rounded(cutoff.limit),
    ...(weight === null ? {} : { RAG_RETRIEVAL_VECTOR_WEIGHT: rounded(weight.chosen) }),
    RAG_RETRIEVAL_WORD_COVERAGE: rounded(wordCoverage.limit),
  };
}

function print(measured: Calibration, settings: Record<string, string>): void {
  const { model, distances, cutoff, wordCoverage, weight, leftOut } = measured;
  const { onSubject, offSubject } = distances;
  say(`Nearest distances by ${model}\n`);
  say(plotDistances(onSubject, offSubject, cutoff.limit));
  say(
    `\nThe cutoff refuses ${cutoff.refused} of ${onSubject.length} on the subject, and lets ${cutoff.letThrough} of ${offSubject.length} off it through.`,
  );
  if (leftOut.otherLanguage > 0) {
    say(`Not counted: ${count(leftOut.otherLanguage, 'question')} in a language that the model does not know.`);
  }
  if (leftOut.named > 0) say(`Not counted: ${count(leftOut.named, 'question')} naming an id or a code that was found.`);
  say(
    `By words alone, a share of ${rounded(wordCoverage.limit)} refuses ${wordCoverage.refused} on the subject, and lets ${wordCoverage.letThrough} off it through.`,
  );
  if (weight === null) say('\nThe weight was not measured: too few questions name the sources that answer them.');
  else {
    say(`\nnDCG@10 by the weight of the similarity, ${count(weight.questions, 'question')}:`);
    for (const { weight: each, ndcg10 } of weight.sweep) {
      const mark = each === weight.chosen ? '  <' : '';
      say(`  ${each.toFixed(2)}  ${ndcg10.toFixed(3)}  ${'█'.repeat(Math.round(ndcg10 * 40))}${mark}`);
    }
  }
  say(`\nThe settings for ${model}:`);
  for (const line of envLines(settings)) say(line);
  say(`For a deployment: DEPLOY_FUNCTION_SETTINGS=${envLines(settings).join(',')}`);
}
