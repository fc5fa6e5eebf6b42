import type { Canary } from './canaries.ts';
import type { Exchanged } from './exchange.ts';

/** Something of a record in a response to who may not see it. */
export interface Leak {
  ownerId: number;
  /** Which part of the record. */
  what: string;
  /** In which form it was there. */
  form: 'as it is' | 'folded' | 'spaced out' | 'reversed' | 'in Base64' | 'by its id';
  /** The header, or the path of the field in the body. */
  where: string;
}

/** A text of a response, and where it stood. */
interface Part {
  where: string;
  text: string;
}

/** A part of a record, ready to be looked up. */
interface Secret {
  ownerId: number;
  what: string;
  text: string;
  squeezed: string;
  reversed: string;
}

/** Lower case without accents. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
/** Letters and digits alone. */
const squeeze = (text: string): string => fold(text).replace(/[^\p{L}\p{N}]+/gu, '');
const reverse = (text: string): string => [...text].reverse().join('');

/** The secrets of records, prepared for looking them up in many responses. */
export class Scanner {
  readonly #secrets: Secret[];
  readonly #ownerOfTask: Map<string, number>;

  constructor(canaries: Canary[]) {
    this.#secrets = canaries.flatMap(({ ownerId, taskId, secrets }) =>
      Object.entries({ ...secrets, id: String(taskId) }).map(([what, text]) => {
        const squeezed = squeeze(text);
        return { ownerId, what, text, squeezed, reversed: reverse(squeezed) };
      }),
    );
    this.#ownerOfTask = new Map(canaries.map(({ taskId, ownerId }) => [String(taskId), ownerId]));
  }

  /**
   * What a response holds of the records that are not `askerId`'s. What the asker has said (`said`: the request, and
   * those that the response tells of) may come back, but for a source that is named as found.
   */
  leaks(response: Exchanged, askerId: number, said: string): Leak[] {
    const known = squeeze(said);
    const secrets = this.#secrets.filter(({ ownerId, squeezed }) => ownerId !== askerId && !known.includes(squeezed));
    const parts = partsOf(response);
    return [
      ...parts.flatMap(({ where, text }) => this.#inText(secrets, where, text)),
      ...this.#namedSources(response.json, '$', askerId),
    ];
  }

  #inText(secrets: Secret[], where: string, text: string): Leak[] {
    const folded = fold(text);
    const squeezed = squeeze(text);
    const decoded = decodeRuns(text).map(squeeze);
    return secrets.flatMap(({ ownerId, what, text: secret, squeezed: plain, reversed }): Leak[] => {
      const form = text.includes(secret)
        ? 'as it is'
        : folded.includes(fold(secret))
          ? 'folded'
          : squeezed.includes(plain)
            ? 'spaced out'
            : squeezed.includes(reversed)
              ? 'reversed'
              : decoded.some((bytes) => bytes.includes(plain))
                ? 'in Base64'
                : null;
      return form === null ? [] : [{ ownerId, what, form, where }];
    });
  }

  /** Others' records among those that a response says it has found: not to be told even to who has named them. */
  #namedSources(value: unknown, where: string, askerId: number): Leak[] {
    if (Array.isArray(value)) return value.flatMap((item, i) => this.#namedSources(item, `${where}[${i}]`, askerId));
    if (typeof value !== 'object' || value === null) return [];
    const fields = value as Record<string, unknown>;
    const inside = Object.entries(fields).flatMap(([name, field]) =>
      this.#namedSources(field, `${where}.${name}`, askerId),
    );
    const id = fields.sourceId ?? fields.id;
    const ownerId = this.#ownerOfTask.get(String(id));
    const isOthers = ownerId !== undefined && ownerId !== askerId;
    return isOthers ? [{ ownerId, what: 'the record', form: 'by its id', where }, ...inside] : inside;
  }
}

/** Headers and fields, each by itself; the body as a whole where it is no JSON. */
function partsOf({ headers, text, json }: Exchanged): Part[] {
  const ofHeaders = Object.entries(headers).map(([name, value]) => ({ where: `header ${name}`, text: value }));
  return [...ofHeaders, ...(json === undefined ? [{ where: 'body', text }] : leaves(json, '$'))];
}

function leaves(value: unknown, where: string): Part[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => leaves(item, `${where}[${i}]`));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, field]) => [
      { where: `${where}, a field's name`, text: name },
      ...leaves(field, `${where}.${name}`),
    ]);
  }
  return [{ where, text: String(value) }];
}

const BASE64_RUN = /[A-Za-z0-9+/_-]{12,}/g;

/** What runs of Base64 hold, wherever in a group of four they begin. */
function decodeRuns(text: string): string[] {
  return (text.match(BASE64_RUN) ?? []).flatMap((run) =>
    [0, 1, 2, 3].map((offset) => Buffer.from(run.slice(offset), 'base64').toString('latin1')),
  );
}
