import { createHmac, createPublicKey, type JsonWebKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOCAL_AUDIENCE, LOCAL_ISSUER, publicKeySet, signToken } from '../../scripts/dev/token-issuer.ts';
import { expectProblem, FunctionBench, type Reply } from '../support/functions.ts';
import { put } from '../support/records.ts';

/** The header line that carries a token. */
type Header = string | undefined;

let bench: FunctionBench;
beforeAll(async () => {
  bench = await FunctionBench.open();
  await bench.write(
    put.employee(1, { role: 'manager' }),
    put.employee(2),
    put.employee(4, { subject: 'auth0|ana' }),
    put.task(20, { title: 'Salary review of Ada', description: 'Ada earns 90000 euros.' }),
    put.task(21, { title: 'Coffee machine', description: 'The pump is broken.', assigneeId: 2 }),
  );
  await bench.functions.invoke('drain');
});
afterAll(() => bench?.close());

const now = () => Math.floor(Date.now() / 1000);
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const claims = (): JWTPayload => ({ iss: LOCAL_ISSUER, aud: LOCAL_AUDIENCE, sub: '2', iat: now(), exp: now() + 600 });

/** A token of the true issuer with some claims changed; undefined leaves a claim out. */
async function signed(changes: Record<string, unknown>, key: JWK = bench.key): Promise<string> {
  const jwt = new SignJWT({ ...claims(), ...changes }).setProtectedHeader({ alg: 'ES256', kid: 'local' });
  return jwt.sign(await importJWK(key, 'ES256'));
}

/** A token signed with HMAC, where the "secret" is what everybody can read: the public key. */
function signedWithPublicKey(form: 'pem' | 'jwk'): string {
  const [jwk = {}] = publicKeySet(bench.key).keys;
  const publicKey = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  const secret = form === 'jwk' ? JSON.stringify(jwk) : publicKey.export({ type: 'spki', format: 'pem' });
  const content = `${encode({ alg: 'HS256', kid: 'local' })}.${encode(claims())}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

async function otherKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: 'local', alg: 'ES256', use: 'sig' };
}

const read = (header: Header) =>
  bench.functions.call('GET /v1/tasks/21', {
    headers: header === undefined ? {} : { 'Fn-Http-H-Authorization': header },
  });

describe('a token', () => {
  test.each<[string, () => Promise<Header>]>([
    ['no header', async () => undefined],
    ['an empty header', async () => ''],
    ['no token behind Bearer', async () => 'Bearer '],
    ['garbage', async () => 'Bearer garbage'],
    ['three dots', async () => 'Bearer ...'],
    ['parts that are no base64', async () => 'Bearer !.!.!'],
    ['parts that are no JSON', async () => `Bearer ${['a', 'b', 'c'].map((x) => encode([x])).join('.')}`],
    ['two tokens', async () => `Bearer ${await signed({})} ${await signed({})}`],
    ['another scheme', async () => `Basic ${Buffer.from('2:password').toString('base64')}`],
    ['no scheme', async () => signed({})],
    ['a key that is not the issuer’s', async () => `Bearer ${await signed({}, await otherKey())}`],
    [
      'a body changed after signing',
      async () => {
        const [header, , signature] = (await signed({})).split('.');
        return `Bearer ${header}.${encode({ ...claims(), sub: '1' })}.${signature}`;
      },
    ],
    ['no signature', async () => `Bearer ${(await signed({})).split('.').slice(0, 2).join('.')}.`],
    ['alg none', async () => `Bearer ${encode({ alg: 'none' })}.${encode(claims())}.`],
    ['alg None', async () => `Bearer ${encode({ alg: 'None', kid: 'local' })}.${encode(claims())}.`],
    ['HS256 over the public key as PEM', async () => `Bearer ${signedWithPublicKey('pem')}`],
    ['HS256 over the public key as JWK', async () => `Bearer ${signedWithPublicKey('jwk')}`],
    ['an expired one', async () => `Bearer ${await signed({ exp: now() - 60 })}`],
    ['one not valid yet', async () => `Bearer ${await signed({ nbf: now() + 600 })}`],
    ['another audience', async () => `Bearer ${await signed({ aud: 'payroll' })}`],
    ['no audience', async () => `Bearer ${await signed({ aud: undefined })}`],
    ['another issuer', async () => `Bearer ${await signed({ iss: 'https://elsewhere.example/' })}`],
    ['the issuer without its slash', async () => `Bearer ${await signed({ iss: LOCAL_ISSUER.slice(0, -1) })}`],
    ['no issuer', async () => `Bearer ${await signed({ iss: undefined })}`],
    ['no end', async () => `Bearer ${await signed({ exp: undefined })}`],
    ['an end that is no number', async () => `Bearer ${await signed({ exp: 'never' })}`],
    ['no subject', async () => `Bearer ${await signed({ sub: undefined })}`],
    ['a subject that is a list', async () => `Bearer ${await signed({ sub: ['2'] })}`],
    ['a subject with a NUL character', async () => `Bearer ${await signed({ sub: '2\0' })}`],
    ['a subject with half a surrogate pair', async () => `Bearer ${await signed({ sub: '2\ud800' })}`],
  ])('is refused: %s', async (_, header) => {
    const reply = await read(await header());

    expectProblem(reply, 401, 'unauthenticated');
    expect(reply.headers['www-authenticate']).toBe('Bearer');
  });

  test.each<[string, () => Promise<Header>]>([
    ['the usual form', async () => `Bearer ${await signed({})}`],
    ['the scheme in lower case', async () => `bearer ${await signed({})}`],
    ['two blanks behind the scheme', async () => `Bearer  ${await signed({})}`],
    ['several audiences', async () => `Bearer ${await signed({ aud: ['payroll', LOCAL_AUDIENCE] })}`],
    ['a clock a little ahead', async () => `Bearer ${await signed({ nbf: now() + 5 })}`],
    ['a subject that is a number', async () => `Bearer ${await signed({ sub: 2 })}`],
  ])('is accepted: %s', async (_, header) => {
    const reply = await read(await header());

    expect(reply.status).toBe(200);
  });

  test('is found before as many headers as a gateway takes', async () => {
    const headers = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`Fn-Http-H-Custom-${1000 + i}`, 'v']));
    const reply = await bench.functions.call('GET /v1/tasks/21', {
      headers: { 'Fn-Http-H-Authorization': `Bearer ${await signed({})}`, ...headers },
    });

    expect(reply.status).toBe(200);
  });

  test.each([
    ['nobody', 403],
    ['', 403],
    ['02', 403],
    ['4', 403],
    ["2' OR '1'='1", 403],
    ['auth0|ana', 200],
  ])('names a person by the stored subject alone: %j gets %i', async (subject, status) => {
    const reply = await bench.functions.call('GET /v1/status', { token: await bench.token(subject) });

    if (status === 200) expect(reply.status).toBe(200);
    else expectProblem(reply, status, 'forbidden');
  });

  test.each([
    ['rag.write', 202],
    ['openid rag.write profile', 202],
    [undefined, 403],
    ['rag.writer', 403],
    ['rag', 403],
    ['RAG.WRITE', 403],
    ['rag.write,openid', 403],
  ])('may write with the scope rag.write exactly: %j gets %i', async (scope, status) => {
    const token = await signToken(bench.key, '2', scope);

    const reply = await bench.functions.call('PUT /v1/projects/1', { token, body: { name: 'Fish' } });

    if (status === 202) expect(reply.status).toBe(202);
    else expectProblem(reply, status, 'forbidden');
  });
});

describe('the issuer’s keys at an address', () => {
  let reply: { status: number; body: string };
  const issuer = createServer((_, response) => response.writeHead(reply.status).end(reply.body));
  let settings: { RAG_AUTH_JWKS: string };
  beforeAll(async () => {
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
    settings = { RAG_AUTH_JWKS: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys` };
  });
  afterAll(() => issuer.close());

  test.each([
    ['an error page', { status: 500, body: 'down' }],
    ['a page', { status: 200, body: '<html>' }],
    ['no keys', { status: 200, body: '{}' }],
  ])('that cannot be read make a call unavailable, and the next one works: %s', async (_, broken) => {
    const functions = bench.withSettings(settings);
    const token = await bench.token('2');

    reply = broken;
    const refused = await functions.call('GET /v1/status', { token });
    reply = { status: 200, body: JSON.stringify(publicKeySet(bench.key)) };
    const accepted = await functions.call('GET /v1/status', { token });

    expectProblem(refused, 503, 'unavailable');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(accepted.status).toBe(200);
  });

  test('that nobody serves make a call unavailable', async () => {
    const functions = bench.withSettings({ RAG_AUTH_JWKS: 'http://127.0.0.1:1/keys' });

    const refused = await functions.call('GET /v1/status', { token: await bench.token('2') });

    expectProblem(refused, 503, 'unavailable');
  });
});

describe('who asks comes from the token alone', () => {
  const question = 'What does Ada earn after the salary review?';
  const search = async (subject: string, body: object, headers: Record<string, string> = {}) =>
    bench.functions.call('POST /v1/search', { token: await bench.token(subject), body, headers });
  const found = (reply: Reply) => (reply.body.citations as { sourceId: string }[]).map((citation) => citation.sourceId);

  test('a manager finds what a developer does not', async () => {
    const [manager, developer] = [await search('1', { question }), await search('2', { question })];

    expect(found(manager)).toContain('20');
    expect(found(developer)).not.toContain('20');
  });

  test.each([{ employeeId: 1 }, { role: 'admin' }, { subject: '1' }, { caller: { employeeId: 1, role: 'admin' } }])(
    'a body that claims to be another is refused: %j',
    async (claim) => {
      const reply = await search('2', { question, ...claim });

      expectProblem(reply, 422, 'invalid_input');
      expect(reply.body.errors).toEqual([{ field: Object.keys(claim)[0], fault: 'is not a field here' }]);
    },
  );

  test.each([
    { 'Fn-Http-H-X-Employee-Id': '1' },
    { 'Fn-Http-H-X-Role': 'admin' },
    { 'X-Employee-Id': '1', 'X-Role': 'admin' },
    { 'Fn-Http-H-X-Forwarded-User': '1', 'Fn-Http-H-X-Auth-Subject': '1' },
    { 'Fn-Http-H-Rag.employee_id': '1', 'Fn-Http-H-Rag.role': 'admin' },
    { Authorization: 'Bearer x', 'Fn-Http-H-Proxy-Authorization': 'Bearer x' },
  ])('headers that claim to be another change nothing: %j', async (headers) => {
    const plain = await search('2', { question });

    const dressed = await search('2', { question }, headers);

    expect(dressed.status).toBe(200);
    expect(dressed.body.citations).toEqual(plain.body.citations);
  });

  test('a role changed in the records holds from the next call on', async () => {
    await bench.write(put.employee(5, { role: 'manager' }));
    const before = await search('5', { question });

    await bench.write(put.employee(5, { role: 'developer' }));

    expect(found(before)).toContain('20');
    expect(found(await search('5', { question }))).not.toContain('20');
  });
});
