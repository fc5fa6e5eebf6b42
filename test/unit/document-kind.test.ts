import { expect, test } from 'vitest';
import type { InvalidInput } from '../../functions/core/errors.ts';
import { validate } from '../../functions/core/input.ts';
import { type DocumentView, documentContent, documentQuery } from '../../functions/core/kinds/document.ts';

const VIEW: DocumentView = {
  id: 'hr/leave.md',
  title: 'Leave',
  textFormat: 'markdown',
  content: '# Leave\n\nText.\n',
  emptyReason: null,
  contentType: 'text/markdown',
  charset: 'utf-8',
  bytes: 15,
  digest: 'a1'.repeat(32),
  audience: 'people',
  readers: [2],
  projectId: 3,
  labels: ['hr', 'leave'],
  writtenAt: '2026-01-01T00:00:00Z',
};

test('a document says its text in parts, is seen by its readers, and is filtered by its labels', () => {
  const content = documentContent(VIEW);

  expect(content).toMatchObject({
    title: 'Leave',
    text: '# Leave\n\nText.\n',
    scope: { ownerEmployeeId: null, audience: 'people', projectId: 3, sprintId: null },
    metadata: { contentType: 'text/markdown', labels: ['hr', 'leave'] },
    facts: [
      { name: 'labels', value: 'hr' },
      { name: 'labels', value: 'leave' },
      { name: 'reader', value: '2' },
    ],
    emptyReason: null,
  });
  expect(content.parts?.cutting).toBe('document');
  expect(content.parts?.parts.map((part) => part.anchor)).toEqual(['[DOCUMENT hr/leave.md] Leave']);
});

test('a document without text says why', () => {
  const content = documentContent({ ...VIEW, content: null, emptyReason: 'It is a scan' });

  expect(content).toMatchObject({ text: '', parts: { parts: [] }, emptyReason: 'It is a scan' });
});

test('a document that is sent without parameters is for everybody', () => {
  expect(validate(documentQuery, {})).toEqual({
    audience: { audience: 'organization', readers: [] },
    projectId: null,
    labels: [],
  });
});

test.each([
  { query: { title: ' ' }, field: 'title', fault: 'must not be blank' },
  { query: { title: 'x'.repeat(501) }, field: 'title', fault: 'is at most 500 characters, got 501' },
  {
    query: { audience: 'all' },
    field: 'audience',
    fault: 'must be organization, managers, or the ids of employees with commas between them: 2,17',
  },
  { query: { owner: '2' }, field: 'owner', fault: 'is not a field here' },
])('$query is refused: $field $fault', ({ query, field, fault }) => {
  const refused = (() => {
    try {
      return validate(documentQuery, query);
    } catch (error) {
      return error;
    }
  })();
  expect((refused as InvalidInput).faults).toEqual([{ field, fault }]);
});
