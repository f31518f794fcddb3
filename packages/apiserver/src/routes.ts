import type { Clock, Logger } from '@binnacle/base';
import { changeVerbosity, flagz, FLAGS_PAGE, status, statusz } from '@binnacle/machinery';
import type { SchemaRegistry, ZPage } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';
import type { Catalogue } from './catalogue/catalogue.ts';
import type { Reply } from './catalogue/definition.ts';
import type { Remotes } from './aggregate/remotes.ts';
import { createDiscovery } from './documents/discovery/discovery.ts';
import type { OpenApi, OpenApiCatalogue } from './documents/openapi/openapi.ts';
import { exposition } from './exposition.ts';
import type { MeasuredWorld } from './exposition.ts';
import { buildInfo, compatibility, SERVED_VERSION, versionInfo } from './observe/build-info.ts';
import type { Build } from './observe/build-info.ts';
import { HealthFigures } from './observe/health-figures.ts';
import { healthHandler, livenessChecks, storeReadiness } from './observe/health.ts';
import type { HealthCheck } from './ports/health.ts';
import type { Standing } from './observe/standing.ts';
import { dumpLevels, dumpQueues, dumpRequests } from './fairness/dump.ts';
import type { Routes } from './pipeline/routes.ts';
import { versionNotServed } from './pipeline/serve.ts';
import type { AccessControl } from './ports/policy.ts';
import type { ApiRequest } from './request/api-request.ts';
import type { Exchange } from './request/exchange.ts';
import type { CauseTable } from './storage/causes.ts';

const YEAR_MS = 365 * 24 * 3600 * 1000;

export interface DocumentsWorld {
  readonly catalogue: Catalogue;
  /** What other API servers serve. */
  readonly aggregation: { readonly remotes: Remotes };
  readonly schemas: SchemaRegistry;
  readonly standing: Standing;
  /** What `/version` says of the program. */
  readonly build: Build;
  readonly openid: AccessControl['openid'];
  readonly clock: Pick<Clock, 'now'>;
}

/** `/version`, discovery, OpenAPI, and what lets others verify our tokens. */
export function mountDocuments(routes: Routes, world: DocumentsWorld): void {
  const { catalogue, schemas, standing, build, openid, clock } = world;
  const { remotes } = world.aggregation;
  routes.exact('/version', () => object(versionInfo(build)));
  routes.exact('/.well-known/openid-configuration', () => object(openid.configuration));
  routes.exact('/openid/v1/jwks', () => object(openid.keys));
  routes.exact('/', () => object({ paths: [...new Set([...routes.paths(), ...groupPaths(catalogue)])].sort() }));
  const shown = {
    get infos() {
      return catalogue.infos;
    },
    get remotes() {
      return remotes.discovered();
    },
    get generation() {
      return catalogue.generation + remotes.generation;
    },
  };
  const discovery = createDiscovery(shown, () => standing.address);
  const openApi = openApiWhenAsked({
    get infos() {
      return catalogue.infos;
    },
    get remotes() {
      return remotes.published();
    },
    get generation() {
      return catalogue.generation + remotes.generation;
    },
    structsOf: (info) => catalogue.structsOf(info),
    schemas,
    version: build.version,
    commit: build.commit,
  });
  const serve =
    (documents: typeof discovery | OpenApi) =>
    ({ info, request }: Exchange): Reply => {
      const found = documents.serve(info.path, request.header('accept'));
      return found === undefined ? versionNotServed(catalogue, info.path) : document(request, found);
    };
  const serveOpenApi = async (exchange: Exchange): Promise<Reply> =>
    hashed(exchange, serve(await openApi())(exchange), clock);
  routes.tree('/api', serve(discovery));
  routes.tree('/apis', serve(discovery));
  routes.tree('/openapi', serveOpenApi);
}

/** OpenAPI, loaded when it is asked for: what it says of each field is much text that a start does not need. */
function openApiWhenAsked(catalogue: OpenApiCatalogue): () => Promise<OpenApi> {
  let openApi: Promise<OpenApi> | undefined;
  return () =>
    (openApi ??= import('./documents/openapi/openapi.ts').then(({ createOpenApi }) => createOpenApi(catalogue)));
}

export interface ObservationWorld extends MeasuredWorld {
  /** What the process was started with. */
  readonly flags: ReadonlyMap<string, string>;
  readonly clock: Pick<Clock, 'now'>;
  readonly causes: CauseTable;
  readonly standing: Standing;
  readonly store: Pick<Store, 'health' | 'status'>;
  readonly log: Logger;
  /** Whether the log's level may be changed. */
  readonly profiling: boolean;
  /** What `/version` says of the program. */
  readonly build: Build;
  /** What else of the process should be well. */
  readonly healthChecks: () => readonly HealthCheck[];
}

/** `/metrics`, `/binnacle/v1/causes`, and whether the server is well. */
export function mountObservation(routes: Routes, world: ObservationWorld): void {
  const { build } = world;
  const first = [buildInfo(build), compatibility(build)];
  routes.exact('/metrics', async () => plainText(await exposition(world, first)));
  routes.exact('/binnacle/v1/causes', (exchange) => causes(world.causes, exchange));
  mountFlowDumps(routes, world);
  mountZPages(routes, world);
  if (world.profiling) mountFlags(routes, world);
  mountHealth(routes, world);
}

/** Whether the server is well, and how that was. */
function mountHealth(routes: Routes, { store, log, standing, healthChecks }: ObservationWorld): void {
  const own = livenessChecks(store);
  const alive = (): readonly HealthCheck[] => [...own, ...healthChecks(), ...standing.hooks];
  const ready = (): readonly HealthCheck[] => [
    ...[...own, ...healthChecks(), storeReadiness(store), INFORMERS],
    ...[...standing.hooks, ...standing.readiness],
  ];
  const figures = new HealthFigures();
  const world = { log, figures };
  routes.exact('/metrics/slis', () => plainText(figures.render()));
  routes.tree('/livez', healthHandler('livez', alive, world));
  routes.tree('/readyz', healthHandler('readyz', ready, world));
  routes.tree('/healthz', healthHandler('healthz', alive, world));
}

/** Caches stand before the server answers anybody. */
const INFORMERS: HealthCheck = { name: 'informer-sync', check: () => undefined };

/** What upstream's pages link to. */
const STATUSZ_PATHS = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/version'];

/** `/statusz` and `/flagz`: the server about itself. */
function mountZPages(
  routes: Routes,
  { clock, build, flags }: Pick<ObservationWorld, 'clock' | 'build' | 'flags'>,
): void {
  const startedAt = clock.now();
  const reply = async (made: Promise<ZPage>): Promise<Reply> => {
    const { contentType, body, warning } = await made;
    return { kind: 'text', code: 200, contentType, body, ...(warning === undefined ? {} : { headers: { warning } }) };
  };
  const asked = (request: ApiRequest) => ({ component: 'apiserver', accept: request.header('accept') });
  routes.exact('/statusz', ({ request }) => {
    const facts = { startedAt, now: clock.now(), version: build.version, paths: STATUSZ_PATHS };
    return reply(statusz(asked(request), facts));
  });
  routes.exact('/flagz', ({ request }) => reply(flagz(asked(request), flags)));
}

/** `/debug/flags`: what may be changed while the server runs. Nothing where the log tells the same for good. */
function mountFlags(routes: Routes, { log: { level } }: Pick<ObservationWorld, 'log'>): void {
  if (level === undefined) return;
  const reply = (code: number, type: string, body: string): Reply => {
    return { kind: 'text', code, contentType: `text/${type}`, body, headers: { 'x-content-type-options': 'nosniff' } };
  };
  routes.anyMethod('/debug/flags', async ({ request }, rest) => {
    if (rest !== 'v') return reply(200, 'html; charset=utf-8', FLAGS_PAGE);
    const { method } = request;
    const { code, text } = await changeVerbosity(level, { method, text: () => bodyText(request) });
    return reply(code, 'plain', text);
  });
}

async function bodyText({ body }: ApiRequest): Promise<string> {
  if (body.kind === 'bytes') return new TextDecoder().decode(await body.read());
  return body.kind === 'value' ? String(body.value) : '';
}

const FLOW_DUMPS = '/debug/api_priority_and_fairness/';

/** What flow control is doing, as upstream shows it: by level, by queue, by request. */
function mountFlowDumps(routes: Routes, { control, clock }: Pick<ObservationWorld, 'control' | 'clock'>): void {
  const text = (body: string): Reply => ({ kind: 'text', code: 200, contentType: 'text/plain; charset=utf-8', body });
  routes.unlisted(`${FLOW_DUMPS}dump_priority_levels`, () => text(dumpLevels(control)));
  routes.unlisted(`${FLOW_DUMPS}dump_queues`, () => text(dumpQueues(control)));
  routes.unlisted(`${FLOW_DUMPS}dump_requests`, ({ request }) => {
    const details = request.query.get('includeRequestDetails') !== '';
    return text(dumpRequests(control, { details, wallMs: clock.now() }));
  });
}

interface Document {
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly etag: string;
}

function document(request: ApiRequest, found: Document): Reply {
  const { etag, contentType, body } = found;
  const code = request.header('if-none-match') === etag ? 304 : 200;
  return { kind: 'text', code, contentType, body, headers: { etag, vary: 'Accept' } };
}

/** Whoever asks by a document's hash may keep it for good; one who has an old hash is sent to the new one. */
function hashed({ info, request }: Exchange, reply: Reply, clock: Pick<Clock, 'now'>): Reply {
  const hash = request.query.get('hash');
  if (hash === '' || reply.kind !== 'text' || !info.path.startsWith('/openapi/v3/')) return reply;
  const now = (reply.headers?.['etag'] ?? '').replaceAll('"', '');
  if (now === '') return reply;
  if (hash !== now) {
    const headers = { location: `${info.path}?hash=${now}`, vary: 'Accept' };
    return { kind: 'text', code: 301, contentType: 'text/html; charset=utf-8', body: '', headers };
  }
  const expires = new Date(clock.now() + YEAR_MS).toUTCString();
  return { ...reply, headers: { ...reply.headers, 'cache-control': 'public, immutable', expires } };
}

/** Which program the server is, as far as it was told. */
export function buildOf({
  servedVersion,
  commit,
}: {
  readonly servedVersion?: string;
  readonly commit?: string;
}): Build {
  return { version: servedVersion ?? SERVED_VERSION, commit: commit ?? '' };
}

function object(body: object): Reply {
  return { kind: 'object', code: 200, object: body };
}

function plainText(body: string): Reply {
  return { kind: 'text', code: 200, contentType: 'text/plain; version=0.0.4; charset=utf-8', body };
}

/** Who made a revision (law 11). */
function causes(table: CauseTable, { request }: Exchange): Reply {
  const revision = request.query.integer('revision');
  if (revision === undefined) throw status.badRequest('revision is required');
  const cause = table.find(revision);
  if (cause === undefined) throw status.notFound({ group: 'binnacle', resource: 'causes' }, String(revision));
  return object(cause);
}

function groupPaths(catalogue: Catalogue): string[] {
  const paths = new Set(['/api', '/api/v1', '/apis']);
  for (const { group, version } of catalogue.infos) {
    if (group === '') continue;
    paths.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
  }
  return [...paths];
}
