import type { ApigatewayDeploymentSpecification } from '@cdktf/provider-oci/apigateway-deployment';
import type { HttpFunction, Route } from '../../functions/route.ts';
import { routes } from '../../functions/routes.ts';

/** The OCIDs of the functions that are served over HTTP. */
export type FunctionIds = Record<HttpFunction, string>;

export interface ApiPolicies {
  issuer: string;
  audience: string;
  /** The address of the issuer's public keys. */
  jwks: string;
  /** What one client address may send. */
  requestsPerSecond: number;
  /** The web pages that may call; none where it is empty. */
  corsOrigins: string[];
}

/** API Gateway takes no more routes in a deployment. */
const MAX_ROUTES = 50;
const KEY_CACHE_HOURS = 1;
const CLOCK_SKEW_SECONDS = 30;
const PREFLIGHT_SECONDS = 600;

/**
 * The API Gateway's deployment of the route table: each path once for each function and each kind of caller. A function
 * backend takes no time-outs of its own; its function's hold. Headers are passed on as they came, the token among them,
 * which the function verifies again.
 */
export function apiSpecification(functions: FunctionIds, policies: ApiPolicies): ApigatewayDeploymentSpecification {
  const { issuer, audience, jwks, requestsPerSecond, corsOrigins } = policies;
  const gatewayRoutes = [...groupRoutes()].map(({ path, function: name, isPublic, methods }) => ({
    path,
    methods,
    backend: { type: 'ORACLE_FUNCTIONS_BACKEND', functionId: functions[name] },
    requestPolicies: { authorization: { type: isPublic ? 'ANONYMOUS' : 'AUTHENTICATION_ONLY' } },
  }));
  if (gatewayRoutes.length > MAX_ROUTES) {
    throw new Error(`the route table makes ${gatewayRoutes.length} routes, but a deployment has ${MAX_ROUTES} at most`);
  }
  return {
    requestPolicies: {
      authentication: {
        type: 'JWT_AUTHENTICATION',
        tokenHeader: 'Authorization',
        tokenAuthScheme: 'Bearer',
        issuers: [issuer],
        audiences: [audience],
        maxClockSkewInSeconds: CLOCK_SKEW_SECONDS,
        isAnonymousAccessAllowed: gatewayRoutes.some(
          ({ requestPolicies }) => requestPolicies.authorization.type === 'ANONYMOUS',
        ),
        publicKeys: { type: 'REMOTE_JWKS', uri: jwks, maxCacheDurationInHours: KEY_CACHE_HOURS },
      },
      rateLimiting: { rateKey: 'CLIENT_IP', rateInRequestsPerSecond: requestsPerSecond },
      ...(corsOrigins.length > 0 && {
        cors: {
          allowedOrigins: corsOrigins,
          allowedMethods: [...new Set(routes.map(({ method }) => method))],
          allowedHeaders: ['Authorization', 'Content-Type'],
          exposedHeaders: ['Location', 'Retry-After', 'ETag', 'Content-Disposition'],
          maxAgeInSeconds: PREFLIGHT_SECONDS,
        },
      }),
    },
    loggingPolicies: { executionLog: { logLevel: 'INFO' } },
    routes: gatewayRoutes,
  };
}

interface RouteGroup {
  path: string;
  function: HttpFunction;
  isPublic: boolean;
  methods: Route['method'][];
}

function groupRoutes(): Iterable<RouteGroup> {
  const groups = new Map<string, RouteGroup>();
  for (const { path, function: name, access, method } of routes) {
    const isPublic = access === 'public';
    const key = `${path} ${name} ${isPublic}`;
    const group = groups.get(key) ?? { path, function: name, isPublic, methods: [] };
    group.methods.push(method);
    groups.set(key, group);
  }
  return groups.values();
}
