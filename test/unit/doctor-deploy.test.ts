import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CHECKS } from '../../scripts/doctor/checks/all.ts';
import type { Ran } from '../../scripts/doctor/run.ts';
import { StandIn } from './doctor-stand-in.ts';
import { everythingTold, tell } from './doctor-world.ts';

const HOME_REGION = 'eu-frankfurt-1';
const TENANCY = 'ocid1.tenancy.oc1..test';
const MODEL = 'cohere.command-a-03-2025';
const TOKEN = 'auth-token-4711';
const PASS_PHRASE = 'open-sesame-please';
const IMAGE = `${HOME_REGION}.ocir.io/tenant/rag/functions:1.2.3`;
const MODEL_BYTES = 133_322_334;

const newKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const KEY = newKey();
const OTHER_KEY = newKey();
const publicOf = (key: string) => createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
const locked = createPrivateKey(KEY)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: PASS_PHRASE })
  .toString();

const fingerprint = createHash('md5')
  .update(createPublicKey(KEY).export({ type: 'spki', format: 'der' }))
  .digest('hex')
  .match(/../g)
  ?.join(':');

interface Answer {
  status?: number;
  body: unknown;
  date?: Date;
  /** It never comes. */
  hangs?: boolean;
}

const notFound: Answer = { status: 404, body: { code: 'NotAuthorizedOrNotFound', message: 'no such thing' } };
const notAuthenticated: Answer = { status: 401, body: { code: 'NotAuthenticated', message: 'the key is unknown' } };

const regions = (name = HOME_REGION, status = 'READY'): Answer => ({
  body: [
    { regionKey: 'IAD', regionName: 'us-ashburn-1', status: 'READY', isHomeRegion: false },
    { regionKey: 'FRA', regionName: name, status, isHomeRegion: true },
  ],
});

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const model = (more: object = {}) => ({
  id: 'ocid1.generativeaimodel.oc1..x',
  displayName: MODEL,
  lifecycleState: 'ACTIVE',
  capabilities: ['CHAT'],
  ...more,
});

const REGIONS = `/20160918/tenancies/${TENANCY}/regionSubscriptions`;
const MODELS = '/20231130/models';
const availability = (service: string, limit: string) =>
  `/20190729/services/${service}/limits/${limit}/resourceAvailability`;
const valuesOf = (service: string) => `/20190729/limitValues?${service}`;

/** The answers of OCI by path, and the service of a list of limits; what is not here is not there. */
let answers: Record<string, Answer>;
let asked: IncomingMessage[];
const server = createServer((request, response) => {
  asked.push(request);
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://oci');
  const service = searchParams.get('serviceName');
  const answer = answers[service === null ? pathname : `${pathname}?${service}`] ?? notFound;
  if (answer.hangs) return;
  const date = answer.date === undefined ? {} : { date: answer.date.toUTCString() };
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...date });
  response.end(JSON.stringify(answer.body));
});
let address = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.spyOn(console, 'info').mockImplementation(() => {});
  const left = (available: number, used = 0): Answer => ({ body: { available, used } });
  asked = [];
  answers = {
    [REGIONS]: regions(),
    [availability('database', 'adb-free-count')]: left(1, 1),
    [availability('faas', 'application-count')]: left(20),
    [availability('api-gateway', 'gateway-count')]: left(5),
    [availability('vcn', 'vcn-count')]: left(50),
    [availability('vcn', 'reserved-public-ip-count')]: left(50),
    [valuesOf('vcn')]: { body: [{ name: 'nat-gateway-count', scopeType: 'REGION', value: 1 }] },
    [MODELS]: { body: { items: [model()] } },
  };
});

interface Place {
  env?: Record<string, string>;
  /** Of the profile; null takes it out. */
  config?: Record<string, string | null>;
  key?: string;
  programs?: Record<string, Ran>;
  modelBytes?: number | null;
  endpoint?: string;
}

const ISSUER = {
  DEPLOY_AUTH_ISSUER: 'https://issuer.example.com/',
  DEPLOY_AUTH_AUDIENCE: 'rag',
  DEPLOY_AUTH_JWKS: 'https://issuer.example.com/jwks',
};

/** A folder of Docker's settings that knows a login to the registry. */
function loggedIn(): string {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-docker-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const auths = { [`${HOME_REGION}.ocir.io`]: { auth: TOKEN } };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ auths }));
  return folder;
}

const TERRAFORM = (version: string): Ran => ({ code: 0, stdout: JSON.stringify({ terraform_version: version }) });

/** Runs every check where all is fit but for what is given. */
async function preflight(place: Place = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, '.oci'));
  mkdirSync(join(folder, '.models'));
  writeFileSync(join(folder, '.oci', 'key.pem'), place.key ?? KEY);
  const entries = Object.entries({
    user: 'ocid1.user.oc1..test',
    tenancy: TENANCY,
    fingerprint: fingerprint ?? '',
    key_file: '~/.oci/key.pem',
    region: HOME_REGION,
    ...place.config,
  }).flatMap(([key, value]) => (value === null ? [] : [`${key}=${value}`]));
  writeFileSync(join(folder, '.oci', 'config'), `[DEFAULT]\n${entries.join('\n')}\n`);
  if (place.modelBytes !== null) {
    const file = join(folder, '.models', 'all_MiniLM_L12_v2.onnx');
    writeFileSync(file, '');
    truncateSync(file, place.modelBytes ?? MODEL_BYTES);
  }
  const programs: Record<string, Ran> = place.programs ?? { terraform: TERRAFORM('1.11.4') };
  const endpoint = place.endpoint ?? address;
  const told = await tell(new StandIn(), [], {
    env: { FUNCTION_IMAGE: IMAGE, ...ISSUER, ...place.env },
    home: folder,
    root: folder,
    run: async (command) => programs[command] ?? null,
    endpoints: { identity: endpoint, limits: endpoint, generativeAi: endpoint },
    checks: CHECKS,
  });
  expect(everythingTold(told)).not.toContain(PASS_PHRASE);
  expect(everythingTold(told)).not.toContain(TOKEN);
  expect(told.err).toBe('');
  return told;
}

describe('where all is fit', () => {
  test('each check has its line, and the last one counts them', async () => {
    const { out, code } = await preflight({ env: { DEPLOY_ANSWER_MODEL: MODEL } });

    expect(out.split('\n')).toEqual([
      `ok      Node: ${process.versions.node}`,
      'ok      Terraform: 1.11.4',
      `ok      image: ${IMAGE}`,
      `ok      OCI config: profile DEFAULT, its key has the profile's fingerprint, region ${HOME_REGION}`,
      'ok      deployment: oci-rag',
      `ok      home region: ${HOME_REGION}, READY`,
      'ok      Always Free databases: 1 left, 1 in use',
      'ok      Functions applications: 20 left, 0 in use',
      'ok      API gateways: 5 left, 0 in use',
      'ok      VCNs: 50 left, 0 in use',
      'ok      NAT gateways: the limit is 1; how many are in use is not told',
      'ok      reserved public IPs: 50 left, 0 in use',
      `ok      Generative AI: ${MODEL} in ${HOME_REGION}, ACTIVE`,
      'ok      model file: .models/all_MiniLM_L12_v2.onnx, 133,322,334 bytes',
      'skipped database settings: RAG_DATABASE is not set; the deploy makes the database',
      'skipped database connection: RAG_DATABASE is not set; the deploy makes the database',
      'skipped storage: RAG_STORAGE is not set; the deploy makes the bucket',
      '14 ok, 0 not ok, 0 warning, 3 skipped: nothing stands in the way',
      '',
    ]);
    expect(code).toBe(0);
  });

  test('every call is signed with the key of the profile, and made once', async () => {
    await preflight({ env: { DEPLOY_ANSWER_MODEL: MODEL } });

    const keyId = `keyId="${TENANCY}/ocid1.user.oc1..test/${fingerprint}"`;
    for (const { headers } of asked) {
      expect(headers.authorization).toMatch(/^Signature version="1",/);
      expect(headers.authorization).toContain(keyId);
    }
    const paths = asked.map(({ url }) => url);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test.each([
    ['with a pass phrase', { key: locked, config: { pass_phrase: PASS_PHRASE } }],
    ['with the label of the console after it', { key: `${KEY}\nOCI_API_KEY\n` }],
    ['whose fingerprint is in capitals', { config: { fingerprint: fingerprint?.toUpperCase() ?? '' } }],
  ])('a key %s signs', async (_, place) => {
    expect((await preflight(place)).out).toContain(`ok      home region: ${HOME_REGION}, READY\n`);
  });

  test('another profile of another file is read, with what it lacks from DEFAULT', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'doctor-config-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'config');
    writeFileSync(
      file,
      `[DEFAULT]\nuser=u\nfingerprint=${fingerprint}\nkey_file=~/.oci/key.pem\nregion=us-ashburn-1\n[WORK]\ntenancy=${TENANCY}\n`,
    );

    const { out } = await preflight({
      env: { OCI_CLI_CONFIG_FILE: file, OCI_CLI_PROFILE: 'WORK', DEPLOY_REGION: HOME_REGION },
    });

    expect(out).toContain(
      `ok      OCI config: profile WORK, its key has the profile's fingerprint, region us-ashburn-1, the deploy goes to ${HOME_REGION}\n`,
    );
  });

  test('Docker builds the image where none is named', async () => {
    const programs = { terraform: TERRAFORM('1.5.7'), docker: { code: 0, stdout: '28.2.2\n' } };
    const { out, code } = await preflight({
      env: { FUNCTION_IMAGE: '', DOCKER_CONFIG: loggedIn() },
      programs,
    });

    expect(out).toContain('ok      image: the deploy builds and pushes the image with Docker 28.2.2\n');
    expect(code).toBe(0);
  });

  test('a paid database may be in another region of the tenancy', async () => {
    const env = { DEPLOY_ALWAYS_FREE: 'false', DEPLOY_REGION: 'us-ashburn-1', FUNCTION_IMAGE: 'iad.ocir.io/t/rag:1' };
    const { out, code } = await preflight({ env });

    expect(out).toContain('ok      home region: us-ashburn-1, READY\n');
    expect(out).toContain('skipped Always Free databases: not used: DEPLOY_ALWAYS_FREE is false\n');
    expect(code).toBe(0);
  });

  test('a limit of another name is found', async () => {
    answers = {
      ...answers,
      [availability('database', 'adb-free-count')]: notFound,
      [valuesOf('database')]: {
        body: [
          { name: 'adb-count', value: 9 },
          { name: 'autonomous-free-count', value: 2 },
        ],
      },
      [availability('database', 'autonomous-free-count')]: { body: { available: 2, used: 0 } },
    };
    expect((await preflight()).out).toContain('ok      Always Free databases: 2 left, 0 in use\n');
  });
});

describe('what is not ok is told with what to do', () => {
  const docker = { terraform: TERRAFORM('1.11.4'), docker: { code: 0, stdout: '28.2.2' } };
  const noImage = { FUNCTION_IMAGE: '' };

  test.each<[string, Place, string]>([
    ['no terraform', { programs: {} }, 'Terraform: there is no terraform in the PATH; install it from developer.'],
    [
      'a broken one',
      { programs: { terraform: { code: 1, stdout: 'x' } } },
      'Terraform: `terraform version -json` fails',
    ],
    [
      'an old one',
      { programs: { terraform: TERRAFORM('1.4.6') } },
      'Terraform: 1.4.6 is too old; install 1.5 or newer',
    ],
    [
      'one without the backend',
      { env: { DEPLOY_STATE_BUCKET: 'state', DEPLOY_STATE_NAMESPACE: 'space' } },
      'Terraform: 1.11.4 is too old; install 1.12 or newer, which DEPLOY_STATE_BUCKET needs',
    ],
    ['an image of no form', { env: { FUNCTION_IMAGE: 'rag:1' } }, 'image: FUNCTION_IMAGE must be <region>.ocir.io/'],
    [
      'an image without a tag',
      { env: { FUNCTION_IMAGE: IMAGE.replace(/:[\d.]+$/, '') } },
      'image: FUNCTION_IMAGE must be',
    ],
    [
      'no issuer',
      { env: { DEPLOY_AUTH_ISSUER: '' } },
      'deployment: missing is the token issuer: set DEPLOY_AUTH_ISSUER',
    ],
    ['a setting of no deployment', { env: { DEPLOY_REGOIN: 'x' } }, 'deployment: DEPLOY_REGOIN is not a setting'],
    [
      'an image elsewhere',
      { env: { FUNCTION_IMAGE: 'iad.ocir.io/tenant/rag:1' } },
      `image: FUNCTION_IMAGE is in iad, but functions in ${HOME_REGION} pull from ${HOME_REGION}.ocir.io alone`,
    ],
    [
      'neither image nor docker',
      { env: noImage },
      'image: FUNCTION_IMAGE is not set, and there is no docker in the PATH',
    ],
    [
      'no engine',
      { env: noImage, programs: { ...docker, docker: { code: 1, stdout: '\n' } } },
      'the Docker engine does not run; set FUNCTION_IMAGE to an image that is pushed, or start Docker',
    ],
    [
      'no login to the registry',
      { env: noImage, programs: docker },
      `image: Docker 28.2.2 runs, but is not logged in to push the image: docker login ${HOME_REGION}.ocir.io`,
    ],
    ['no config', { env: { OCI_CLI_CONFIG_FILE: '~/none' } }, 'OCI config: ~/none cannot be read (ENOENT); `oci setup'],
    ['no profile', { env: { OCI_CLI_PROFILE: 'WORK' } }, 'OCI config: ~/.oci/config has no profile [WORK]'],
    [
      'a line of nothing',
      { config: { user: `x\n${PASS_PHRASE}` } },
      'OCI config: ~/.oci/config is no OCI configuration',
    ],
    [
      'entries missing',
      { config: { user: null, tenancy: null } },
      'OCI config: the profile DEFAULT lacks tenancy, user',
    ],
    ['no key', { config: { key_file: '~/none.pem' } }, 'OCI config: key_file ~/none.pem cannot be read (ENOENT)'],
    ['the public key', { key: publicOf(KEY) }, 'key_file ~/.oci/key.pem holds no private key in PEM form'],
    ['no pass phrase', { key: locked }, 'key_file ~/.oci/key.pem is encrypted; set pass_phrase'],
    [
      'a wrong pass phrase',
      { key: locked, config: { pass_phrase: `${PASS_PHRASE}!` } },
      'key_file ~/.oci/key.pem is not opened by pass_phrase',
    ],
    ['the key of another', { key: OTHER_KEY }, `OCI config: fingerprint ${fingerprint} is not that of key_file`],
    ['no region', { config: { region: 'eu-frankfort-1' } }, 'OCI config: there is no known region eu-frankfort-1'],
    [
      'no model file',
      { modelBytes: null },
      'model file: .models/all_MiniLM_L12_v2.onnx is missing; run `npm run model:f',
    ],
    [
      'half of it',
      { modelBytes: 1000 },
      'model file: .models/all_MiniLM_L12_v2.onnx has 1,000 bytes, not 133,322,334;',
    ],
    [
      'another region',
      { env: { DEPLOY_REGION: 'us-ashburn-1', FUNCTION_IMAGE: 'us-ashburn-1.ocir.io/t/rag:1' } },
      `home region: the deploy goes to us-ashburn-1, but Always Free databases exist in the tenancy's home region alone; set DEPLOY_REGION=${HOME_REGION}`,
    ],
    [
      'a region without a subscription',
      { env: { DEPLOY_ALWAYS_FREE: 'false', DEPLOY_REGION: 'uk-london-1', FUNCTION_IMAGE: 'lhr.ocir.io/t/rag:1' } },
      'home region: the tenancy is not subscribed to uk-london-1',
    ],
    ['no network', { endpoint: 'http://127.0.0.1:1' }, 'home region: OCI cannot be reached ('],
    ['settings of no database', { env: { RAG_DATABASE: 'x' } }, 'database settings: RAG_DATABASE must be oracle:'],
  ])('%s', async (_, place, line) => {
    const { out, code } = await preflight(place);

    const faults = out.split('\n').filter((each) => each.startsWith('not ok  '));
    expect(faults.join('\n')).toContain(line);
    expect(new Set(faults.map((each) => each.split(':')[0])).size).toBe(1);
    expect(out).toMatch(/ 1 not ok, .*: mend what is not ok, and run this again\n$/);
    expect(code).toBe(1);
  });

  const vcnIp = availability('vcn', 'reserved-public-ip-count');
  const clock = (minutes: number) => ({ ...notAuthenticated, date: new Date(Date.now() + minutes * 60_000) });
  const genAi = (more: object): Record<string, Answer> => ({ [MODELS]: { body: { items: [model(more)] } } });

  test.each<[string, Record<string, Answer>, string]>([
    ['a key that is unknown', { [REGIONS]: notAuthenticated }, 'HTTP 401 NotAuthenticated: OCI does not know the key'],
    ['a slow clock', { [REGIONS]: clock(12) }, "this machine's clock is 12 minutes behind; set it"],
    ['a fast clock', { [REGIONS]: clock(-60) }, "this machine's clock is 60 minutes ahead; set it"],
    ['no right', { [REGIONS]: notFound }, "OCI does not tell the tenancy's regions (HTTP 404 NotAuthorizedOrNotFound)"],
    ['a region on its way', { [REGIONS]: regions(HOME_REGION, 'IN_PROGRESS') }, `${HOME_REGION} is IN_PROGRESS; wait`],
    [
      'a limit of none',
      { [vcnIp]: { body: { available: 0, used: 0 } } },
      'reserved public IPs: the tenancy may have none',
    ],
    [
      'a limit of none that is not counted',
      { [valuesOf('vcn')]: { body: [{ name: 'nat-gateway-count', value: 0 }] } },
      'NAT gateways: the tenancy may have none of it',
    ],
    [
      'another model',
      genAi({ displayName: 'other' }),
      `has no model ${MODEL}; set DEPLOY_ANSWER_MODEL to one that it has: other`,
    ],
    ['a model that embeds', genAi({ capabilities: ['TEXT_EMBEDDINGS'] }), `${MODEL} does not chat (TEXT_EMBEDDINGS)`],
    ['a model that is deleted', genAi({ lifecycleState: 'DELETED' }), `${MODEL} is DELETED in ${HOME_REGION}`],
    ['a model that is retired', genAi({ timeOnDemandRetired: inDays(-1) }), `${MODEL} is retired since 20`],
  ])('of OCI: %s', async (_, other, line) => {
    answers = { ...answers, ...other };
    const { out, code } = await preflight({ env: { DEPLOY_ANSWER_MODEL: MODEL } });

    expect(out.split('\n').filter((each) => each.startsWith('not ok  '))).toEqual([expect.stringContaining(line)]);
    expect(code).toBe(1);
  });

  test('faults of several kinds are all told, and what rests on them is skipped', async () => {
    const { out } = await preflight({
      programs: {},
      config: { fingerprint: 'aa:bb', region: 'nowhere' },
      env: { RAG_DATABASE: 'x', DEPLOY_ANSWER_MODEL: MODEL, FUNCTION_IMAGE: 'rag:1' },
    });

    const starts = out.split('\n').map((line) => line.split(';')[0]?.slice(0, 60));
    for (const start of [
      'not ok  Terraform: ',
      'not ok  image: ',
      'not ok  OCI config: fingerprint aa:bb',
      'not ok  OCI config: there is no known region nowhere',
      'skipped home region: rests on OCI config, which is not ok',
      'skipped NAT gateways: rests on OCI config, which is not ok',
      'skipped Generative AI: rests on OCI config, which is not ok',
      'not ok  database settings: RAG_DATABASE must be',
      'skipped database connection: rests on database settings',
    ]) {
      expect(starts).toContainEqual(expect.stringContaining(start));
    }
    expect(asked).toEqual([]);
  });
});

describe('what may go wrong is a warning', () => {
  const databases = availability('database', 'adb-free-count');
  const genAi = (more: object): Record<string, Answer> => ({ [MODELS]: { body: { items: [model(more)] } } });

  test.each<[string, Record<string, Answer>, string]>([
    [
      'slots that are all in use',
      { [databases]: { body: { available: 0, used: 2 } } },
      'Always Free databases: all are in use (2); a first deploy needs one',
    ],
    [
      'a limit that nobody may see',
      { [databases]: notFound },
      'Always Free databases: could not be asked (HTTP 404 NotAuthorizedOrNotFound); in the console: Limits, Quotas and Usage, service database, adb-free-count',
    ],
    [
      'a limit that is not there',
      { [databases]: notFound, [valuesOf('database')]: { body: [{ name: 'adb-count', value: 9 }] } },
      'Always Free databases: has no limit of that name',
    ],
    ['a model soon retired', genAi({ timeOnDemandRetired: inDays(30) }), `Generative AI: ${MODEL} is retired on 20`],
    ['a model soon deprecated', genAi({ timeDeprecated: inDays(89) }), `Generative AI: ${MODEL} is deprecated from 20`],
    ['no right to see models', { [MODELS]: notFound }, `Generative AI: could not be asked in ${HOME_REGION} (HTTP 404`],
  ])('%s', async (_, other, line) => {
    answers = { ...answers, ...other };
    const { out, code } = await preflight({ env: { DEPLOY_ANSWER_MODEL: MODEL } });

    expect(out.split('\n').filter((each) => each.startsWith('warning '))).toEqual([expect.stringContaining(line)]);
    expect(out).toContain(' 0 not ok, 1 warning, 3 skipped: nothing stands in the way\n');
    expect(code).toBe(0);
  });
});

describe("the product's own settings of models", () => {
  const EMBED = 'cohere.embed-v4.0';
  const ENV = {
    RAG_ANSWER_MODEL: `oci:${MODEL}`,
    RAG_ANSWER_REGION: 'us-chicago-1',
    RAG_ANSWER_COMPARTMENT: 'ocid1.compartment.oc1..answers',
    RAG_EMBEDDING_URL: 'oci:us-ashburn-1:ocid1.compartment.oc1..vectors',
    RAG_EMBEDDING_MODEL: EMBED,
  };
  const lineOf = (out: string) => out.split('\n').find((line) => line.includes(' Generative AI: '));

  test('name models that are looked for in their own regions and compartments', async () => {
    const items = [model(), model({ displayName: EMBED, capabilities: ['TEXT_EMBEDDINGS'] })];
    answers[MODELS] = { body: { items } };
    const { out } = await preflight({ env: ENV });

    expect(lineOf(out)).toBe(
      `ok      Generative AI: ${MODEL} in us-chicago-1, ACTIVE; ${EMBED} in us-ashburn-1, ACTIVE`,
    );
    const compartments = asked
      .map(({ url }) => new URL(url ?? '', 'http://oci'))
      .filter(({ pathname }) => pathname === MODELS)
      .map(({ searchParams }) => searchParams.get('compartmentId'));
    expect(compartments).toEqual(['ocid1.compartment.oc1..answers', 'ocid1.compartment.oc1..vectors']);
  });

  test('are told all that is wrong, with the names that were most likely meant', async () => {
    const items = [model({ displayName: 'cohere.command-a-04-2026' }), model({ displayName: 'xai.grok-4.6' })];
    answers[MODELS] = { body: { items } };
    const { out, code } = await preflight({ env: ENV });

    expect(out).toContain(
      `us-chicago-1 has no model ${MODEL} (nearest: cohere.command-a-04-2026); set RAG_ANSWER_MODEL to one that it has: ` +
        'cohere.command-a-04-2026, xai.grok-4.6',
    );
    expect(out).toContain(`us-ashburn-1 has no model ${EMBED}; set RAG_EMBEDDING_MODEL`);
    expect(code).toBe(1);
  });

  test.each([
    ['extractive', 'answers are quoted from the sources'],
    ['openai:llama3.2', 'the model that answers is not of OCI'],
  ])('ask nothing of OCI where RAG_ANSWER_MODEL is %s', async (value, reason) => {
    const { out } = await preflight({ env: { RAG_ANSWER_MODEL: value } });

    expect(out).toContain(`skipped Generative AI: not used: ${reason}\n`);
    expect(asked.map(({ url }) => url)).not.toContainEqual(expect.stringContaining(MODELS));
  });
});

test('without a language model Generative AI is not asked', async () => {
  const { out } = await preflight();

  expect(out).toContain('skipped Generative AI: not used: answers are quoted from the sources\n');
  expect(asked.map(({ url }) => url)).not.toContainEqual(expect.stringContaining(MODELS));
});

test('a service that does not answer is waited for ten seconds', async () => {
  answers[REGIONS] = { body: null, hangs: true };
  const after = AbortSignal.timeout.bind(AbortSignal);
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => after(ms / 100));
  onTestFinished(() => timeout.mockRestore());

  expect((await preflight()).out).toContain('not ok  home region: OCI cannot be reached (no answer within 10 s)');
  expect(timeout).toHaveBeenCalledWith(10_000);
});
