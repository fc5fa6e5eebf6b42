import { basename } from 'node:path';
import { UserError } from '../user-error.ts';
import { get, NoAnswer, shown } from './http.ts';

/** Oracle's stable address for its model files; it leads to a page that has today's link to the zip. */
export const PAGE =
  'https://docs.oracle.com/pls/topic/lookup?ctx=en/database/oracle/oracle-database/26/vecse&id=oml_ai_models_object_storage';
export const ZIP_NAME = 'all_MiniLM_L12_v2_augmented.zip';

/** What a person does where the way to the zip is closed. */
export const BY_HAND = `Open ${PAGE} in a browser, copy the link to ${ZIP_NAME}, and give it: npm run model:fetch -- --url LINK`;

/** What a person does where only a browser gets through. */
export const BY_BROWSER = `Or download ${ZIP_NAME} with a browser from ${PAGE}, and unpack its .onnx file into the folder`;

/** The address of the zip, as the page has it today. */
export async function findZip(page: string): Promise<string> {
  const response = await get(page, {}).catch((error) => {
    throw error instanceof NoAnswer ? new UserError(`${error.message}. ${BY_BROWSER}`) : error;
  });
  if (!response.ok) throw new UserError(`${shown(page)} answers ${response.status}. ${BY_HAND}`);
  const link = linkIn(await response.text(), response.url);
  if (link === null) throw new UserError(`${shown(response.url)} has no https link to ${ZIP_NAME}. ${BY_HAND}`);
  return link;
}

/** The first https link to the zip in a page. */
export function linkIn(text: string, page: string): string | null {
  for (const [, quoted = ''] of text.matchAll(/["'>\s]([^"'<>\s]+\.zip)(?=["'<\s])/g)) {
    const link = quoted.replaceAll('&amp;', '&');
    if (!URL.canParse(link, page)) continue;
    const url = new URL(link, page);
    if (url.protocol === 'https:' && url.search === '' && basename(url.pathname) === ZIP_NAME) return url.href;
  }
  return null;
}
