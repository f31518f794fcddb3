import { RESOURCES, schemas } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import type { Core } from './core.ts';
import { createDiscovery } from './documents/discovery/discovery.ts';
import type { Discovery } from './documents/discovery/discovery.ts';
import { createOpenApi } from './documents/openapi/openapi.ts';
import type { ApiRequest } from './request/api-request.ts';
import { mountHealth } from './observe/health.ts';
import type { Exchange } from './request/exchange.ts';
import { notFoundText } from './pipeline/serve.ts';
import type { Reply } from './catalogue/reply.ts';

export interface RouteOptions {
  readonly version: string;
  readonly processMetrics?: () => readonly (readonly [name: string, type: string, value: number])[];
}

/** Everything served beside the resources. */
export function mountRoutes(core: Core, options: RouteOptions): void {
  const { routes } = core;
  routes.exact('/version', () => object(versionInfo(options.version)));
  routes.exact('/metrics', () => metrics(core, options));
  routes.exact('/.well-known/openid-configuration', () => object(core.policy.openid.configuration as object));
  routes.exact('/openid/v1/jwks', () => object(core.policy.openid.keys as object));
  routes.exact('/binnacle/v1/causes', (exchange) => causes(core, exchange));
  routes.exact('/', () => object({ paths: [...new Set([...routes.paths(), ...groupPaths()])].sort() }));
  mountDocuments(core, options.version);
  mountHealth(core, [
    {
      name: 'poststarthook/rbac/bootstrap-roles',
      check({ state }) {
        if (!state.ready) throw status.serviceUnavailable('not finished');
      },
    },
  ]);
}

/** `/api`, `/apis` and what is below them without being a resource; `/openapi/v2` and `/openapi/v3`. */
function mountDocuments(core: Core, version: string): void {
  let discovery: Discovery | undefined;
  const openApi = createOpenApi({ resources: RESOURCES, schemas, version });
  const discover = ({ info, request }: Exchange): Reply => {
    discovery ??= createDiscovery(RESOURCES, core.state.address);
    return document(request, discovery.serve(info.path, request.header('accept')));
  };
  core.routes.tree('/api', discover);
  core.routes.tree('/apis', discover);
  core.routes.tree('/openapi', ({ info, request }) =>
    document(request, openApi.serve(info.path, request.header('accept'))),
  );
}

interface Document {
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly etag: string;
}

function document(request: ApiRequest, found: Document | undefined): Reply {
  if (found === undefined) return notFoundText();
  const { etag, contentType, body } = found;
  const code = request.header('if-none-match') === etag ? 304 : 200;
  return { kind: 'text', code, contentType, body, headers: { etag, vary: 'Accept' } };
}

function object(body: object): Reply {
  return { kind: 'object', code: 200, object: body };
}

function versionInfo(gitVersion: string): object {
  const [, major = '1', minor = '36'] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '2026-11-20T00:00:00Z',
    goVersion: 'none',
    compiler: 'typescript',
    platform: 'node',
  };
}

function metrics(core: Core, { processMetrics }: RouteOptions): Reply {
  const { inFlight } = core;
  const rows: (readonly [string, string, number])[] = [
    ['apiserver_current_inflight_requests{request_kind="readOnly"}', 'gauge', inFlight.reading],
    ['apiserver_current_inflight_requests{request_kind="mutating"}', 'gauge', inFlight.mutating],
  ];
  for (const { info, cache } of core.resources.all()) {
    if (!cache.ready) continue;
    const name = info.group === '' ? info.resource : `${info.resource}.${info.group}`;
    rows.push([`apiserver_storage_objects{resource="${name}"}`, 'gauge', cache.size]);
    if (cache.subscribers.count === 0) continue;
    rows.push([`apiserver_registered_watchers{resource="${name}"}`, 'gauge', cache.subscribers.count]);
  }
  const body = core.metrics.render([...rows, ...(processMetrics?.() ?? [])]);
  return { kind: 'text', code: 200, contentType: 'text/plain; version=0.0.4; charset=utf-8', body };
}

/** Who made a revision (law 11). */
function causes(core: Core, { request }: Exchange): Reply {
  const revision = request.query.integer('revision');
  if (revision === undefined) throw status.badRequest('revision is required');
  const cause = core.causes.find(revision);
  if (cause === undefined) throw status.notFound({ group: 'binnacle', resource: 'causes' }, String(revision));
  return object(cause);
}

function groupPaths(): string[] {
  const paths = new Set(['/api', '/api/v1', '/apis']);
  for (const { group, version } of RESOURCES) {
    if (group === '') continue;
    paths.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
  }
  return [...paths];
}
