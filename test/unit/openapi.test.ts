import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../functions/openapi.ts';
import { routes } from '../../functions/routes.ts';

type Json = { [key: string]: Json } & Json[] & string;

/** Every value under a key, wherever it stands in a document. */
function valuesOf(key: string, node: unknown): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => [...(name === key ? [value] : []), ...valuesOf(key, value)]);
}

const document = JSON.parse(JSON.stringify(await openApiDocument())) as Json;
const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

describe('the OpenAPI document', () => {
  test('has every route once, and nothing else', () => {
    const name = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

    // OpenAPI has no sign for a parameter that takes several segments.
    const written = routes.map((route) => name(route).replace('*}', '}'));
    expect(operations.map(name).sort()).toEqual(written.sort());
  });

  test('names every operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);

    expect(new Set(ids).size).toBe(routes.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });

  test('refers to nothing that it does not hold', () => {
    const references = valuesOf('$ref', document) as string[];

    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) {
      expect(reference).toMatch(/^#\//);
      const target = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);
      expect(target, reference).toBeDefined();
    }
  });

  test('describes every parameter of every path', () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const described = ((operation.parameters ?? []) as Json[]).filter((parameter) => parameter.in !== 'query');

      expect(described.map((parameter) => parameter.name)).toEqual(inPath);
      for (const parameter of described) {
        expect(parameter).toMatchObject({ in: 'path', required: true, schema: expect.any(Object) });
      }
    }
  });

  test('describes the parameters of queries with their limits', () => {
    const inQuery = operations.flatMap(({ path, operation }) =>
      ((operation.parameters ?? []) as Json[])
        .filter(({ in: place }) => place === 'query')
        .map(({ name, required, schema }) => ({ path, name, required, schema })),
    );

    const of = (path: string, name: string) => inQuery.filter((found) => found.path === path && found.name === name);
    expect(of('/v1/gaps', 'days')).toEqual([
      {
        path: '/v1/gaps',
        name: 'days',
        required: false,
        schema: expect.objectContaining({ type: 'integer', minimum: 1, maximum: 3650, default: 30 }),
      },
    ]);
    expect(of('/v1/documents', 'limit')).toMatchObject([{ schema: { minimum: 1, maximum: 1000, default: 100 } }]);
    expect(of('/v1/diagnostics/{id}', 'erpVersion')).toMatchObject([{ required: true, schema: { maxLength: 200 } }]);
    // Of the document that is written, and not of its path.
    expect(of('/v1/documents/{path}', 'audience')).toMatchObject([{ required: false }]);
  });

  test('says where a body, and where an answer, is a file', () => {
    const contentOf = (id: string) => operations.find(({ operation }) => operation.operationId === id)?.operation;

    expect(Object.keys(contentOf('putDocument')?.requestBody?.content ?? {})).toEqual(['*/*']);
    expect(Object.keys(contentOf('getDocument')?.responses?.['200']?.content ?? {})).toEqual([
      'application/json',
      '*/*',
    ]);
    expect(Object.keys(contentOf('getStatus')?.responses?.['200']?.content ?? {})).toEqual(['application/json']);
  });

  test('asks for a token wherever a route is not public, and only there', () => {
    const open = operations.filter(({ operation }) => operation.security === undefined).map(({ path }) => path);

    expect(open).toEqual(routes.filter((route) => route.access === 'public').map((route) => route.path));
  });

  test('shows callers the limits of what they send', () => {
    const putTask = operations.find(({ operation }) => operation.operationId === 'putTask')?.operation;
    const schema = putTask?.requestBody?.content?.['application/json']?.schema;

    expect(schema).toMatchObject({
      required: ['title'],
      additionalProperties: false,
      properties: {
        title: { type: 'string', maxLength: 500 },
        status: { enum: ['todo', 'in_progress', 'done', 'blocked'], default: 'todo' },
      },
    });
  });
});
