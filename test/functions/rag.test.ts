import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StartProcess } from '../support/start.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MAIN = join(ROOT, 'scripts/rag/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'oci-rag-cli-'));
const data = join(folder, 'data');

interface Result {
  code: number | null;
  out: string;
  err: string;
}

function run(args: string[], env: Record<string, string> = {}): { child: ChildProcess; end: Promise<Result> } {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  const result: Result = { code: null, out: '', err: '' };
  child.stdout?.on('data', (part) => {
    result.out += part;
  });
  child.stderr?.on('data', (part) => {
    result.err += part;
  });
  const end = new Promise<Result>((resolve) => child.once('close', (code) => resolve({ ...result, code })));
  return { child, end };
}

const rag = (args: string[], env?: Record<string, string>) => run([...args, '--data', data], env).end;

function file(name: string, lines: string[]): string {
  writeFileSync(join(folder, name), lines.join('\n'));
  return join(folder, name);
}

let instance: StartProcess;
let url: string;
beforeAll(async () => {
  const early = await rag(['token', 'manager']);
  expect(early).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/no issuer of tokens yet; run npm start/),
  });

  instance = new StartProcess('--port', '0', '--empty', '--data', data);
  url = (await instance.ready()).url;
});
afterAll(async () => {
  await instance?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the command line', () => {
  test('token prints a token alone, and only the manager’s may write', async () => {
    const claims = async (...args: string[]) => {
      const { code, out } = await rag(['token', ...args]);
      expect([code, out]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)]);
      return JSON.parse(Buffer.from(out.split('.')[1] ?? '', 'base64url').toString());
    };

    const [manager, admin, other] = await Promise.all([
      claims('manager'),
      claims('admin'),
      claims('77', '--scope', 'rag.write'),
    ]);

    expect(manager).toMatchObject({ sub: '1', scope: 'rag.write' });
    expect(admin).toMatchObject({ sub: '3' });
    expect(admin).not.toHaveProperty('scope');
    expect(other).toMatchObject({ sub: '77', scope: 'rag.write' });
  });

  test('what does not fit is one line, and an unknown command gets the usage', async () => {
    const [nobody, unknown, elsewhere, help] = await Promise.all([
      rag(['token', '0']),
      rag(['frobnicate']),
      run(['status', '--data', folder]).end,
      rag(['import', '--help']),
    ]);

    expect(nobody).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^"0" is nobody: .* from 1 to 9007199254740991\)\n$/),
    });
    expect(unknown).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no command "frobnicate"\n\nusage:'),
    });
    expect(elsewhere).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^oci-rag is not running on .*; run npm start\n$/),
    });
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining('usage: npm run rag') });
  });

  test('a CSV file is imported, what does not fit is told by its line, and the rest can be asked about', async () => {
    const path = file('issues.csv', [
      '\ufeffissuekey,title,description,points',
      'CLOV-7,Repair the pump,"The pump of the aquarium',
      'leaks ""a lot"". It costs 89 euros.",3',
      'CLOV-8,NULL,No title,2',
    ]);
    const map = 'id=issuekey,title=title,description=description,storyPoints=points';

    const imported = await rag(['import', path, '--map', map]);

    expect(imported.err).toBe('');
    expect(imported.out).toMatch(/1 accepted, 1 failed in .* s\n\n {2}line 4 {2}title: .+\n/);
    expect(imported.code).toBe(1);
    const kept = readFileSync(join(data, 'imports', 'issues.csv-errors.ndjson'), 'utf8');
    expect(JSON.parse(kept)).toMatchObject({ line: 4, code: 'invalid_input', errors: [{ field: 'data.title' }] });

    const [asked, hidden, status] = await Promise.all([
      rag(['ask', 'What does the pump of the aquarium cost?']),
      rag(['ask', 'What does the pump of the aquarium cost?', '--as', 'developer']),
      rag(['status']),
    ]);
    expect(asked).toMatchObject({
      code: 0,
      out: expect.stringMatching(/89 euros.*\[1\][\s\S]*\n {2}\[1\] task #7 {2}Repair the pump/),
    });
    expect(hidden).toMatchObject({ code: 0, out: expect.not.stringContaining('pump') });
    expect(status).toMatchObject({ code: 0, out: expect.stringMatching(/^waiting +0 changes\n[\s\S]*chunks +1 that/) });
  });

  test('an import killed half-way goes on where it stopped', async () => {
    const people = Array.from({ length: 450 }, (_, i) =>
      JSON.stringify({ type: 'employee', id: 1000 + i, data: { firstName: 'P', lastName: `${i}`, role: 'developer' } }),
    );
    const path = file('people.ndjson', [...people, '{"type":"task","id":9,"data":{"title":"Last"}}']);
    const before = new Set(readdirSync(join(data, 'imports')));

    const killed = run(['import', path, '--data', data]);
    while (!readdirSync(join(data, 'imports')).some((name) => name.endsWith('.json') && !before.has(name)))
      await sleep(5);
    killed.child.kill('SIGKILL');
    await killed.end;
    const resumed = await rag(['import', path]);

    expect(resumed.out).toMatch(/^Going on after the [24]00 records that an earlier run has written\n/);
    expect(resumed).toMatchObject({ code: 0, out: expect.stringContaining('451 accepted, 0 failed') });
  });

  test('a server elsewhere is reached by its address and a token from the environment', async () => {
    const { out } = await rag(['token', 'admin']);
    const args = (...rest: string[]) => [...rest, '--url', `${url}/`, '--data', join(folder, 'none')];
    const remote = (command: string[], env: Record<string, string>) => run(args(...command), env).end;

    const [requeued, refused, both] = await Promise.all([
      remote(['requeue'], { RAG_TOKEN: out.trim() }),
      remote(['status'], { RAG_TOKEN: 'x.y.z' }),
      remote(['ask', 'x', '--as', 'admin'], { RAG_TOKEN: out.trim() }),
    ]);

    expect(requeued).toMatchObject({ code: 0, out: 'Nothing was parked\n' });
    expect(refused).toMatchObject({ code: 1, err: 'The token is not valid here\n' });
    expect(both).toMatchObject({ code: 1, err: expect.stringContaining('RAG_TOKEN says who asks') });
  });
});
