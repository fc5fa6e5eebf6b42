import { expect, test, vi } from 'vitest';
import { patiently } from '../../functions/bootstrap/patience.ts';
import { readRequest } from '../../functions/bootstrap/request.ts';
import { InvalidInput, MalformedRequest, NotInForce, Unavailable } from '../../functions/core/errors.ts';

const read = (body: unknown) => readRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));

const SOURCE = 'https://objectstorage.eu-frankfurt-1.oraclecloud.com/p/secret/n/x/b/models/o/model.onnx';

test('nothing is asked for by an empty body, and by what only names a deploy', () => {
  const nothing = { reembed: false, modelSource: '' };
  expect(read('')).toEqual(nothing);
  expect(read({ migrations: 'a', model: 'b', image: 'c', database: 'e', secrets: 'd', modelSource: '' })).toEqual(
    nothing,
  );
});

test('re-embedding and where the model is are taken', () => {
  expect(read({ reembed: true, modelSource: SOURCE })).toEqual({ reembed: true, modelSource: SOURCE });
});

test.each([
  [{ modelSource: 'http://secret' }, 'modelSource: must be https://'],
  [{ modelSource: 1 }, 'modelSource: must be of type string'],
  [{ reembed: 'true' }, 'reembed: must be of type boolean'],
  [{ reEmbed: true }, 'reEmbed: is not a field here'],
  [{ constructor: 'x' }, 'constructor: is not a field here'],
  [{ image: null, model: 1 }, 'image: must be of type string (and 1 more)'],
])('%j is refused by name, without its value', (body, message) => {
  expect(() => read(body)).toThrow(InvalidInput);
  expect(() => read(body)).toThrow(message);
  expect(() => read(body)).not.toThrow('secret');
});

test.each([`{"modelSource":"${SOURCE}"`, 'null', '1', '["secret"]'])('%s is malformed, and not quoted', (body) => {
  expect(() => read(body)).toThrow(MalformedRequest);
  expect(() => read(body)).not.toThrow('secret');
});

const log = () => ({ info: vi.fn(), warn: vi.fn(), error: vi.fn() });
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000);

/** Fails with these errors one after the other, then works. */
const failing = (...errors: Error[]) =>
  vi.fn(async () => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return 'done';
  });

test('what is not in force yet is waited for, and the log says what it is', async () => {
  const lines = log();
  const work = failing(new NotInForce('no policy'), new Unavailable('away', { cause: new NotInForce('no list') }));

  expect(await patiently(inSeconds(300), lines, work, 1)).toBe('done');
  expect(work).toHaveBeenCalledTimes(3);
  expect(lines.warn.mock.calls.map(([event, fields]) => [event, fields.for])).toEqual([
    ['bootstrap_waits', 'no policy'],
    ['bootstrap_waits', 'no list'],
  ]);
});

test.each([
  ['any other error', inSeconds(300), new Unavailable('away')],
  ['a deadline within a minute', inSeconds(59), new NotInForce('no policy')],
  ['no deadline', null, new NotInForce('no policy')],
])('with %s it fails at once', async (_, deadline, error) => {
  const work = failing(error);

  await expect(patiently(deadline, log(), work, 1)).rejects.toBe(error);
  expect(work).toHaveBeenCalledTimes(1);
});
