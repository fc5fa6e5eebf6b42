import { afterEach, beforeEach, expect, test } from 'vitest';
import { FunctionNudge, invokerAt } from '../../functions/adapters/oci/function-nudge.ts';
import { OciServer, somePrincipal } from '../support/oci-server.ts';

const FUNCTION_ID = 'ocid1.fnfunc.oc1.eu-frankfurt-1.drain';
const principal = somePrincipal();
let server: OciServer;

beforeEach(async () => {
  server = new OciServer();
  server.reply = { status: 202 };
  await server.listen();
});
afterEach(() => server.close());

const nudge = (timeoutMs?: number) => new FunctionNudge(invokerAt(server.url, principal, timeoutMs), FUNCTION_ID);

test('the drain function is invoked detached, by a signed call', async () => {
  await nudge().drain();

  expect(server.asked).toHaveLength(1);
  const [{ method, url, headers, body } = {} as never] = server.asked;
  expect([method, url]).toEqual(['POST', `/20181201/functions/${FUNCTION_ID}/actions/invoke`]);
  expect(headers['fn-invoke-type']).toBe('detached');
  expect(headers.authorization).toMatch(/^Signature .*x-content-sha256/);
  expect(JSON.parse(body)).toEqual({ reason: 'a write' });
});

test('one client is good for many calls', async () => {
  const one = nudge(300);
  await one.drain();
  await new Promise((later) => setTimeout(later, 400));
  await one.drain();

  expect(server.asked).toHaveLength(2);
});

test.each([404, 429, 500, 503])('a refusal (%d) is told at once, without another try', async (status) => {
  server.reply = { status, body: { code: 'NotNow', message: 'not now' } };

  await expect(nudge().drain()).rejects.toThrow('not now');
  expect(server.asked).toHaveLength(1);
});

test('no answer is waited for no longer than the time limit', async () => {
  server.reply = null;
  const startedAt = performance.now();

  await expect(nudge(200).drain()).rejects.toThrow('no answer: The operation was aborted due to timeout');
  expect(performance.now() - startedAt).toBeLessThan(1500);
  expect(server.asked).toHaveLength(1);
});
