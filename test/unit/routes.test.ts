import { describe, expect, test } from 'vitest';
import { MethodNotAllowed, NotFound } from '../../functions/core/errors.ts';
import { matchRoute } from '../../functions/match-route.ts';
import { routes } from '../../functions/routes.ts';

describe('the route of a request', () => {
  test.each([
    ['PUT', '/v1/tasks/12', 'putRecord', { id: '12' }],
    ['DELETE', '/v1/employees/1', 'deleteRecord', { id: '1' }],
    ['GET', '/v1/projects/1', 'getRecord', { id: '1' }],
    ['PUT', '/v1/tasks/1/comments/2', 'putComment', { id: '1', commentId: '2' }],
    ['POST', '/v1/ask', 'ask', {}],
    ['GET', '/v1/sources/task/1', 'getSource', { type: 'task', id: '1' }],
    ['GET', '/v1/sources/task/a%2Fb', 'getSource', { type: 'task', id: 'a%2Fb' }],
    ['GET', '/v1/questions/01ABC', 'getQuestion', { callId: '01ABC' }],
    ['GET', '/openapi.json', 'getOpenApi', {}],
    ['GET', '/v1/documents', 'listDocuments', {}],
    ['PUT', '/v1/documents/a', 'putDocument', { path: 'a' }],
    ['GET', '/v1/documents/a/b%2Fc/d', 'getDocument', { path: 'a/b%2Fc/d' }],
    ['DELETE', '/v1/documents/a//../', 'deleteDocument', { path: 'a//../' }],
    ['GET', '/v1/diagnostics/d1', 'getDiagnostic', { id: 'd1' }],
    ['PUT', '/v1/diagnostics/d1/resolution', 'putResolution', { id: 'd1' }],
  ])('%s %s is served by %s', (method, path, handler, params) => {
    const match = matchRoute(method, path);

    expect(match.route.handler).toBe(handler);
    expect(match.params).toEqual(params);
  });

  test.each([
    '/',
    '',
    '/v1',
    '/v1/',
    '/v1/ask/',
    '//v1/ask',
    '/V1/ask',
    '/v1/tasks',
    '/v1/tasks/',
    '/v1/tasks//comments/1',
    '/v1/tasks/1/comments',
    '/v1/unknown/1',
    '/v1/sources/task/1/2',
    '/v1/%61sk',
    '/v1/documents/',
    '/v1/documents%2Fa',
    '/v1/diagnostics/d1/a',
    '/v1/diagnostics/d1/resolution/a',
  ])('%j is no path', (path) => {
    expect(() => matchRoute('GET', path)).toThrow(NotFound);
  });

  test.each([
    ['GET', '/v1/ask', ['POST']],
    ['POST', '/v1/tasks/1', ['PUT', 'GET', 'DELETE']],
    ['get', '/v1/status', ['GET']],
    ['', '/v1/status', ['GET']],
    ['POST', '/v1/documents/a/b', ['PUT', 'GET', 'DELETE']],
  ])('%j %s is refused with the methods that there are', (method, path, methods) => {
    expect(() => matchRoute(method, path)).toThrow(
      new MethodNotAllowed(`This path takes ${methods.join(', ')}`, { allow: methods }),
    );
  });

  test('finds each route of the table by its own path, and no other before it', () => {
    for (const route of routes) {
      const path = route.path.replace(/\{(\w+)\*?\}/g, '1');
      expect(matchRoute(route.method, path).route).toBe(route);
    }
  });
});
