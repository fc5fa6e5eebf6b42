import { refusalOf } from '../errors.ts';
import type { Probe } from '../probe.ts';
import type { ProbeSession } from '../session.ts';

const EMBED = 'SELECT VECTOR_DIMENSION_COUNT(VECTOR_EMBEDDING(<model> USING :text AS DATA)) AS dimension FROM dual';

const SENTENCE = 'The pump of the coffee machine on floor 2 is broken. ';
const ofBytes = (bytes: number) => SENTENCE.repeat(Math.ceil(bytes / SENTENCE.length)).slice(0, bytes);

/** The longest question, of 4,000 characters, in the signs that need the most bytes. */
const LONGEST_QUESTION = 16_000;

const TEXTS: [string, string | null][] = [
  ['NULL', null],
  ["''", ''],
  ['a blank', ' '],
  ['4000 bytes', ofBytes(4000)],
  [`${LONGEST_QUESTION} bytes`, ofBytes(LONGEST_QUESTION)],
  ['32767 bytes', ofBytes(32_767)],
  ['32768 bytes (a CLOB)', ofBytes(32_768)],
];

export const oddTexts: Probe = {
  id: 'P5',
  question: 'Does the model take texts up to the longest question, and what does it make of empty ones?',
  needs: 'the model',
  means: {
    holds: 'questions of 4,000 characters are embedded whatever their signs; blank texts never reach the model',
    differs: 'questions that are longer in bytes than what is taken here fail; MAX_STRING_SIZE = EXTENDED mends it',
    open: 'questions may have 4,000 characters; blank texts never reach the model',
  },
  async run(context) {
    const session = await context.open();
    await context.requireModel(session);
    const answers: [string, string][] = [];
    for (const [what, text] of TEXTS) answers.push([what, await answerTo(session, text)]);
    const taken = new Map(answers);
    return {
      holds: [4000, LONGEST_QUESTION].every((bytes) => /^\d+ numbers$/.test(taken.get(`${bytes} bytes`) ?? '')),
      seen: answers.map(([what, answer]) => `${what}: ${answer}`).join('; '),
    };
  },
};

async function answerTo(session: ProbeSession, text: string | null): Promise<string> {
  try {
    const dimension = await session.value(EMBED, { text });
    return dimension === null ? 'NULL' : `${String(dimension)} numbers`;
  } catch (error) {
    return refusalOf(error, session.signal);
  }
}
