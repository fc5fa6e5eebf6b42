import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FORMAT_TITLES } from '../../../functions/core/diagnostics/formats.ts';
import { diagnosticParts } from '../../../functions/core/diagnostics/parts.ts';
import { recognizeFormat } from '../../../functions/core/diagnostics/recognize.ts';
import type { Part } from '../../../functions/core/kinds/kind.ts';
import { normalizeText } from '../../../functions/core/text.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/diagnostics');
/** Real output of real systems, where there is any; never part of this repository. */
const SAMPLES = process.env.DIAGNOSTIC_SAMPLES ?? join(import.meta.dirname, '../../../../shared/data');

export const fixture = (name: string): string => readFileSync(join(FIXTURES, name), 'utf8');
export const fixtureNames = (): string[] => readdirSync(FIXTURES);

/** The real files of a kind; none where they are not at hand. Some are ISO-8859-1. */
export function samples(folder: string): { name: string; text: string }[] {
  const path = join(SAMPLES, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path).map((name) => ({
    name: basename(name),
    text: normalizeText(readFileSync(join(path, name), 'latin1')),
  }));
}

export const partsOf = (text: string, format = recognizeFormat(text)): Part[] =>
  diagnosticParts(text, format, { id: 'd1', label: FORMAT_TITLES[format] });

export const textOf = (parts: Part[]): string => parts.flatMap(({ blocks }) => blocks.map(({ text }) => text)).join('');

export const statements = (parts: Part[]): Part[] => parts.filter(({ metadata }) => metadata.kind === 'statement');

/** The part under a heading; the heading as a whole, or its end. */
export function partAt(parts: Part[], heading: string): Part {
  const part = parts.find((each) => each.heading?.endsWith(heading));
  if (part === undefined) throw new Error(`No part ${heading} among ${parts.map((each) => each.heading).join(' | ')}`);
  return part;
}

/** What a part is put in order by. */
export const amounts = (part: Part): Record<string, number> =>
  Object.fromEntries(part.facts.flatMap((fact) => ('amount' in fact ? [[fact.name, fact.amount]] : [])));

export const codes = (part: Part): string[] =>
  part.facts.flatMap((fact) => ('value' in fact && fact.name === 'errorCode' ? [fact.value] : []));
