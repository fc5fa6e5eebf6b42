import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, importJWK, type JSONWebKeySet, type JWK, SignJWT } from 'jose';

export const LOCAL_ISSUER = 'https://oci-rag.localhost/';
export const LOCAL_AUDIENCE = 'oci-rag';
const ALGORITHM = 'ES256';
const LIFETIME = '7d';

const keyFile = (dataFolder: string) => join(dataFolder, 'issuer-key.json');

/** The people that a new data folder knows, and whom `token manager` and the like stand for. */
export const LOCAL_PEOPLE = { manager: 1, developer: 2, admin: 3 } as const;

/** The issuer's private key; made, and kept for its owner's eyes alone, when the folder has none. */
export async function ensureIssuerKey(dataFolder: string): Promise<JWK> {
  const known = await readIssuerKey(dataFolder);
  if (known !== null) return known;
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'local', alg: ALGORITHM, use: 'sig' };
  await writeFile(keyFile(dataFolder), JSON.stringify(key), { mode: 0o600 });
  return key;
}

export async function readIssuerKey(dataFolder: string): Promise<JWK | null> {
  try {
    return JSON.parse(await readFile(keyFile(dataFolder), 'utf8')) as JWK;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export function publicKeySet({ d: _, ...key }: JWK): JSONWebKeySet {
  return { keys: [key] };
}

/** A token of the local issuer for an employee; `scope` is for writing. */
export async function signToken(key: JWK, subject: string, scope?: string): Promise<string> {
  return new SignJWT(scope === undefined ? {} : { scope })
    .setProtectedHeader({ alg: ALGORITHM, kid: 'local' })
    .setIssuer(LOCAL_ISSUER)
    .setAudience(LOCAL_AUDIENCE)
    .setSubject(subject)
    .setIssuedAt()
    .setExpirationTime(LIFETIME)
    .sign(await importJWK(key, ALGORITHM));
}
