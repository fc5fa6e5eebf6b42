import { MethodNotAllowed, NotFound } from './core/errors.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

export interface Match {
  route: Route;
  /** As they stand in the path, percent-encoding included. */
  params: Record<string, string>;
}

/** Finds the route of a request, or throws NotFound or MethodNotAllowed. The path is as it was sent. */
export function matchRoute(method: string, path: string): Match {
  const segments = path.split('/');
  const methods = new Set<string>();
  for (const route of routes) {
    const params = matchPath(route.path.split('/'), segments);
    if (params === null) continue;
    if (route.method === method) return { route, params };
    methods.add(route.method);
  }
  if (methods.size > 0) {
    throw new MethodNotAllowed(`This path takes ${[...methods].join(', ')}`, { allow: [...methods] });
  }
  throw new NotFound('There is no such path; /openapi.json lists those there are');
}

/** A parameter that takes all segments that are left. */
const REST = /^\{(\w+)\*\}$/;

function matchPath(pattern: string[], segments: string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const rest = REST.exec(part)?.[1];
    const segment = rest === undefined ? segments[i] : segments.slice(i).join('/');
    if (rest !== undefined || part.startsWith('{')) {
      if (segment === undefined || segment === '') return null;
      params[rest ?? part.slice(1, -1)] = segment;
      if (rest !== undefined) return params;
    } else if (part !== segment) return null;
  }
  return pattern.length === segments.length ? params : null;
}
