import { readUrl } from '../dev/data-folder.ts';
import { UserError } from '../user-error.ts';
import { Api, ApiError } from './api.ts';
import type { Place } from './args.ts';
import { issueToken } from './who.ts';

/** The API at a place, as a person; with RAG_TOKEN set, as whomever that names. */
export async function connect(place: Place, who: string | undefined): Promise<Api> {
  const locate = async () => place.url ?? (await readUrl(place.data)) ?? notRunning(place.data);
  await locate();
  return new Api(locate, await tokenFor(place, who));
}

async function tokenFor(place: Place, who: string | undefined): Promise<string> {
  const given = process.env.RAG_TOKEN ?? '';
  if (given !== '') {
    if (who !== undefined) throw new UserError('RAG_TOKEN says who asks; leave --as out, or unset RAG_TOKEN');
    if (!/^[\x21-\x7e]+$/.test(given)) throw new UserError('RAG_TOKEN is no token: it has blanks or other signs in it');
    return given;
  }
  return issueToken(place.data, who ?? 'manager');
}

function notRunning(folder: string): never {
  throw new ApiError(`oci-rag is not running on the data folder ${folder}; run npm start`, 0, 'not_running');
}
