import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readObjectEvents } from '../../functions/core/object-event.ts';

const event = (resourceName: string, type = 'com.oraclecloud.objectstorage.createobject') => ({
  eventType: type,
  cloudEventsVersion: '0.1',
  data: { resourceName, additionalDetails: { bucketName: 'bucket', namespace: 'space', eTag: 'x' } },
});
const read = (value: unknown) => readObjectEvents(typeof value === 'string' ? value : JSON.stringify(value));
const A = { namespace: 'space', bucket: 'bucket', objectName: 'documents/a' };

describe('what a function is sent of a bucket', () => {
  test.each([
    ['an event', event('documents/a')],
    ['a list of one', [event('documents/a')]],
    ['a message of Notifications', { Message: JSON.stringify(event('documents/a')) }],
    ['a message in a text', JSON.stringify(JSON.stringify(event('documents/a')))],
    ['one of an overwritten object', event('documents/a', 'com.oraclecloud.objectstorage.updateobject')],
    ['one of a deleted object', event('documents/a', 'com.oraclecloud.objectstorage.deleteobject')],
  ])('%s is read', (_, sent) => {
    expect(read(sent)).toEqual({ events: [A], faults: [] });
  });

  test('what is no event of an object is told by its fault, and harms no other', () => {
    const { events, faults } = read([
      event('documents/a', 'com.oraclecloud.objectstorage.createbucket'),
      { ...event('documents/a'), data: { resourceName: 'documents/a', additionalDetails: { bucketName: 'bucket' } } },
      event(''),
      null,
      event('documents/a'),
    ]);

    expect(events).toEqual([A]);
    expect(faults).toEqual([
      expect.stringMatching(/^eventType: is not an event of an object/),
      expect.stringMatching(/^data\.additionalDetails\.namespace: /),
      expect.stringMatching(/^data\.resourceName: /),
      expect.stringMatching(/^event: /),
    ]);
  });

  test('anything at all is answered, and never thrown at', () => {
    const message = fc.json().map((json) => JSON.stringify({ Message: json }));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), message), (body) => {
        const { events, faults } = readObjectEvents(body);
        expect(events).toEqual([]);
        expect(faults.every((fault) => fault !== '')).toBe(true);
      }),
    );
  });
});
