import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigFileReader, Region, SimpleAuthenticationDetailsProvider } from 'oci-common';
import { UserError } from '../../user-error.ts';
import type { CheckContext } from '../checks/check.ts';

export interface Profile {
  name: string;
  tenancy: string;
  fingerprint: string;
  region: string;
  /** Where the deploy goes. */
  deployRegion: string;
  provider: SimpleAuthenticationDetailsProvider;
}

type Place = Pick<CheckContext, 'env' | 'home'>;

const REQUIRED = ['tenancy', 'user', 'fingerprint', 'key_file', 'region'] as const;
const SETUP = '`oci setup config` writes one';

/** Reads the profile that signs the deploy's calls; throws a {@link UserError} that names all that is wrong. */
export function readProfile(place: Place): Profile {
  const { name, get } = openProfile(place);
  const missing = REQUIRED.filter((key) => get(key) === '');
  if (missing.length > 0) throw new UserError(`the profile ${name} lacks ${missing.join(', ')}; ${SETUP}`);
  const deployRegion = place.env.DEPLOY_REGION || get('region');
  const faults = [...keyFaults(place, get), ...[...new Set([get('region'), deployRegion])].flatMap(regionFaults)];
  if (faults.length > 0) throw new UserError(faults.join('\n'));
  const privateKey = readFileSync(expand(place, get('key_file')), 'utf8');
  return {
    name,
    tenancy: get('tenancy'),
    fingerprint: get('fingerprint'),
    region: get('region'),
    deployRegion,
    provider: new SimpleAuthenticationDetailsProvider(
      get('tenancy'),
      get('user'),
      get('fingerprint'),
      privateKey,
      get('pass_phrase') || null,
    ),
  };
}

/** Where the deploy goes, also where the profile's key is wrong; null where nothing says it. */
export function findDeployRegion(place: Place): string | null {
  try {
    return place.env.DEPLOY_REGION || openProfile(place).get('region') || null;
  } catch {
    return null;
  }
}

function openProfile(place: Place) {
  const name = place.env.DEPLOY_PROFILE || place.env.OCI_CLI_PROFILE || 'DEFAULT';
  const path = place.env.OCI_CLI_CONFIG_FILE || '~/.oci/config';
  let text: string;
  try {
    text = readFileSync(expand(place, path), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`${path} cannot be read (${code}); ${SETUP}, OCI_CLI_CONFIG_FILE names another`);
  }
  try {
    const config = ConfigFileReader.parse(text, name);
    return { name, get: (key: string): string => config.get(key) ?? '' };
  } catch (error) {
    // The reader's own text repeats lines of the file.
    const isAbsent = (error as Error).message.startsWith('No profile named');
    throw new UserError(
      isAbsent
        ? `${path} has no profile [${name}]; DEPLOY_PROFILE names another`
        : `${path} is no OCI configuration (a [profile], then key=value lines); ${SETUP}`,
    );
  }
}

function keyFaults(place: Place, get: (key: string) => string): string[] {
  const path = get('key_file');
  let pem: string;
  try {
    pem = readFileSync(expand(place, path), 'utf8');
  } catch (error) {
    return [
      `key_file ${path} cannot be read (${(error as NodeJS.ErrnoException).code}); correct its path or its rights`,
    ];
  }
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, passphrase: get('pass_phrase') });
  } catch {
    if (pem.includes('ENCRYPTED')) {
      const what = get('pass_phrase') === '' ? 'is encrypted' : 'is not opened by pass_phrase';
      return [`key_file ${path} ${what}; set pass_phrase in the profile`];
    }
    return [`key_file ${path} holds no private key in PEM form; name the private one of the pair, not the public`];
  }
  if (key.asymmetricKeyType !== 'rsa') return [`key_file ${path} holds no RSA key; OCI signs with RSA alone`];
  const actual = fingerprintOf(key);
  return actual === get('fingerprint').toLowerCase()
    ? []
    : [
        `fingerprint ${get('fingerprint')} is not that of key_file ${path}, ${actual}; correct fingerprint where that ` +
          'key is uploaded for the user, key_file otherwise',
      ];
}

/** As the console shows it: MD5 of the public key. */
function fingerprintOf(key: KeyObject): string {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return createHash('md5')
    .update(der)
    .digest('hex')
    .replace(/..(?=.)/g, '$&:');
}

const regionFaults = (region: string): string[] =>
  Region.fromRegionId(region) === undefined
    ? [`there is no known region ${region}; it is written as eu-frankfurt-1, in the profile and in DEPLOY_REGION`]
    : [];

const expand = ({ home }: Place, path: string): string => (/^~[/\\]/.test(path) ? join(home, path.slice(2)) : path);
