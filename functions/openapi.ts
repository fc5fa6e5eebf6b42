import * as z from 'zod';
import type { LazyShape, Route } from './route.ts';
import { PATH_PARAMETERS, routes, WRITE_SCOPE } from './routes.ts';

const problem = {
  type: 'object',
  description: 'A problem document (RFC 9457)',
  required: ['type', 'title', 'status', 'detail', 'code', 'callId'],
  properties: {
    type: { const: 'about:blank' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong, for a person' },
    code: { type: 'string', description: 'What is wrong, for a program' },
    callId: { type: 'string', description: 'The call, as the log names it' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'fault'],
        properties: { field: { type: 'string' }, fault: { type: 'string' } },
      },
    },
  },
};

const ACCESS: Record<Route['access'], string> = {
  public: 'Anybody may call it.',
  employee: 'For every employee.',
  write: `For tokens with the scope ${WRITE_SCOPE}, and for admins.`,
  state: `For every employee, and for tokens with the scope ${WRITE_SCOPE} (which see the state, not the text).`,
  manager: 'For managers and admins.',
  admin: 'For admins.',
};

/** The OpenAPI 3.1 document, made from the route table and the shapes of its bodies. */
export async function openApiDocument(): Promise<object> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    // OpenAPI has no sign for a parameter that takes several segments.
    const name = route.path.replace('*}', '}');
    const path = paths[name] ?? {};
    paths[name] = path;
    path[route.method.toLowerCase()] = await operation(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'oci-rag',
      version: '1',
      description: "Cited answers from an organisation's own records.",
    },
    paths,
    components: {
      schemas: { Problem: problem },
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

async function operation(route: Route): Promise<object> {
  const names = [...route.path.matchAll(/\{(\w+)\*?\}/g)].map((match) => match[1] ?? '');
  const parameters = [
    ...names.map((name) => ({ name, in: 'path', required: true, ...PATH_PARAMETERS[name] })),
    ...(await queryParameters(route)),
  ];
  const type = route.collection ? route.collection.replace(/s$/, '') : '';
  return {
    operationId: route.handler.replace('Record', type.charAt(0).toUpperCase() + type.slice(1)),
    summary: route.summary,
    description: ACCESS[route.access],
    ...(route.access === 'public' ? {} : { security: [{ token: [] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(await requestBody(route)),
    responses: {
      [route.success.status]: {
        description: 'Done',
        content: {
          'application/json': { schema: await toSchema(route.success.shape, 'output') },
          ...(route.success.isFile && { '*/*': {} }),
        },
      },
      default: {
        description: 'A problem',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

async function requestBody({ body, bodyType }: Route): Promise<object> {
  if (body === undefined && bodyType === undefined) return {};
  const schema = body === undefined ? {} : { schema: await toSchema(body, 'input') };
  return { requestBody: { required: true, content: { [bodyType ?? 'application/json']: schema } } };
}

async function queryParameters({ query }: Route): Promise<object[]> {
  if (query === undefined) return [];
  const { properties, required = [] } = (await toSchema(query, 'input')) as {
    properties: Record<string, object>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

async function toSchema(shape: LazyShape, io: 'input' | 'output'): Promise<object> {
  const { $schema: _, ...schema } = z.toJSONSchema(await shape(), { io, unrepresentable: 'any' });
  return schema;
}
