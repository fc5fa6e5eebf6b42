import type { Part } from '../kinds/kind.ts';
import { codesInShort, errorCodesIn } from './error-codes.ts';
import { withStacksWhole } from './error-stacks.ts';
import { append, cutBefore, firstText, isBlank, linesOf } from './lines.ts';
import { type Entry, pack } from './pack.ts';
import { type DiagnosticSource, partOf } from './part.ts';

/** `+-----+` between the steps of a request, and `+---- 1) PUBLISH ----+` over a completion option. */
export const BOX = /^\+(?:-{30,200}|-{5,200} *(\d{1,3}\) [^\n-]{1,60})-{0,200})\+[ \t\r]*$/m;
/** A request's number where a line of any language names one. */
const REQUEST = /\b(?:requests?|solicitud(?:es)?|demandes?|RT)(?: ?id)?[ :#=]{0,4}(\d{3,12})(?!\d)/gi;
/** What stands over and under the messages of the program itself. */
const MESSAGES = /\bFND_FILE\b/;
/** What stands under them, in a log whose beginning is missing. */
const MESSAGES_END = /^ *(?:End|Fin|Fim)/i;
/** `[3/18/13 11:06:25 AM] [123757:RT20000374] …`: the moment, then the thread or the request, with a level before or between. */
const POST_PROCESSOR_ENTRY = /^\[([^\][\n]{6,40})\] \[[^\][\n]{1,80}\]/;
const POST_PROCESSOR_REQUEST = /^\[[^\][\n]{6,40}\] (?:\[[^\][\n]{1,80}\] ){0,2}?\[\d{1,12}:RT(\d{1,12})\]/;

/**
 * The log of a concurrent request as parts: the messages of its program, each completion option, and what stands around them,
 * neighbours together up to a passage's size.
 */
export function concurrentRequestParts(text: string, source: DiagnosticSource): Part[] {
  const steps: (Entry & { name: string | null })[] = [];
  let isInMessages = false;
  for (const lines of cutBefore(linesOf(text), (line) => BOX.test(line))) {
    const named = BOX.exec(firstText(lines))?.[1]?.trim() ?? null;
    const said = lines.filter((line) => !BOX.test(line) && !isBlank(line));
    const last = steps.at(-1);
    const isTitle = said.length === 1 && MESSAGES.test(said[0] ?? '');
    const isStart: boolean = isTitle && !isInMessages && !MESSAGES_END.test(said[0] ?? '');
    const goesOn = named === null && (isInMessages || said.length === 0);
    if (named !== null || isTitle) isInMessages = isStart;
    if (last !== undefined && goesOn) append(last.lines, lines);
    else {
      const name = isStart ? 'Log messages' : named;
      steps.push({ lines: [...lines], name, isAlone: name !== null && said.length > 0 });
    }
  }
  return pack(steps).map((group) => {
    const lines = group.flatMap((step) => step.lines);
    return logPart(group[0]?.name ?? titleOf(lines), lines, source);
  });
}

/**
 * A log of the output post-processor as parts: runs of entries of one request, short neighbours together up to a passage's size,
 * one with an error code by itself. A line without a moment continues the entry above.
 */
export function postProcessorParts(text: string, source: DiagnosticSource): Part[] {
  const runs: (Entry & { request: string | null })[] = [];
  for (const lines of cutBefore(linesOf(text), (line) => POST_PROCESSOR_ENTRY.test(line))) {
    const first = firstText(lines);
    const request = POST_PROCESSOR_REQUEST.exec(first)?.[1] ?? requestsIn(first.slice(0, 300))[0] ?? null;
    const last = runs.at(-1);
    if (last !== undefined && last.request === request) append(last.lines, lines);
    else runs.push({ lines: [...lines], request, isAlone: false });
  }
  const judged = runs.map((run) => ({ ...run, isAlone: errorCodesIn(run.lines.join(''), 1).length > 0 }));
  return pack(judged).map((group) => {
    const lines = group.flatMap((run) => run.lines);
    return logPart(titleOf(lines), lines, source);
  });
}

const requestsIn = (text: string): string[] => [...new Set([...text.matchAll(REQUEST)].map(([, id = '']) => id))];

const titleOf = (lines: string[]): string =>
  (lines.find((line) => !isBlank(line) && !BOX.test(line) && !POST_PROCESSOR_ENTRY.test(line)) ?? '').trim();

/** More requests of a part than this are not named. */
const MAX_REQUESTS = 20;

function logPart(title: string, lines: string[], source: DiagnosticSource): Part {
  const text = lines.join('');
  const requests = requestsIn(text).slice(0, MAX_REQUESTS);
  const moment = POST_PROCESSOR_ENTRY.exec(firstText(lines))?.[1];
  const named = requests.length === 0 ? '' : `request ${requests.slice(0, 5).join(', ')}`;
  const heading = [moment ?? title, named, codesInShort(errorCodesIn(text))].filter((word) => word !== '').join(' · ');
  return partOf(source, heading || 'Log', withStacksWhole(lines, 'rows'), {
    kind: 'entry',
    metadata: requests.length === 0 ? {} : { requestIds: requests },
  });
}
