import { answerHealth, PING } from '@binnacle/apiserver/component';
import type { HealthCheck } from '@binnacle/apiserver';
import type { HealthFigures, HealthPath } from '@binnacle/apiserver/component';
import type { Clock, Logger } from '@binnacle/base';
import { flagz, statusz, StatusError } from '@binnacle/machinery';
import type { ZPage } from '@binnacle/machinery';

/** A request to the port of a component, after authentication and authorization. */
export interface PageRequest {
  readonly method: string;
  /** Decoded, without query. */
  readonly path: string;
  readonly query: ReadonlyMap<string, readonly string[]>;
  /** In which form the answer is wanted, where it has several; empty: that is not said. */
  readonly accept: string;
}

/** What is answered. */
export interface PageAnswer {
  readonly code: number;
  readonly contentType: string;
  readonly body: string;
  /** The methods that there are, where it is another. */
  readonly allow?: string;
  /** Of the header `Warning`. */
  readonly warning?: string;
}

/** Answers a request; what is asked of a component is small, and told at once. */
export type Pages = (request: PageRequest) => Promise<PageAnswer>;

/** What a component that runs alone has to tell. */
export interface ComponentTold {
  /** As upstream calls it: `kube-scheduler`. */
  readonly name: string;
  /** The health paths that there are, with their checks now; none of them: that it answers is enough. */
  readonly health: { readonly [path in HealthPath]?: () => readonly HealthCheck[] };
  /** Prometheus' text form. */
  readonly figures: () => string;
  readonly healthFigures: HealthFigures;
  /** What it was configured to do, below the name of its group. */
  readonly config: { readonly [group: string]: object };
  readonly flags: ReadonlyMap<string, string>;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

const TEXT = 'text/plain; charset=utf-8';
const METRICS = 'text/plain; version=0.0.4; charset=utf-8';
const NOT_FOUND: PageAnswer = { code: 404, contentType: TEXT, body: '404 page not found\n' };
const HEALTH = /^\/(healthz|livez|readyz)(?:\/(.+))?$/;
const METHODS = ['GET', 'HEAD'];

/** The pages of a component that runs alone: health, `/metrics`, `/metrics/slis`, `/configz`, `/flagz`, `/statusz`. */
export function componentPages(told: ComponentTold): Pages {
  const pages: { readonly [path: string]: (request: PageRequest) => Promise<PageAnswer> | PageAnswer } = {
    '/metrics': () => ({ code: 200, contentType: METRICS, body: told.figures() }),
    '/metrics/slis': () => ({ code: 200, contentType: METRICS, body: told.healthFigures.render() }),
    '/configz': () => ({ code: 200, contentType: 'application/json', body: JSON.stringify(told.config) }),
    '/flagz': ({ accept }) => zpage(() => flagz({ component: told.name, accept }, told.flags)),
    '/statusz': ({ accept }) => {
      const { startedAt, version, clock } = told;
      const facts = { startedAt, version, now: clock.now(), paths: shownPaths };
      return zpage(() => statusz({ component: told.name, accept }, facts));
    },
  };
  const healthPaths = Object.keys(told.health).map((path) => `/${path}`);
  const shownPaths = [...healthPaths, ...Object.keys(pages)].toSorted();
  return async (request) => {
    const { path, method } = request;
    const [, asked = '', rest = ''] = HEALTH.exec(path) ?? [];
    const checks = Object.hasOwn(told.health, asked) ? told.health[asked as HealthPath] : undefined;
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (checks === undefined && page === undefined) return NOT_FOUND;
    if (!METHODS.includes(method)) {
      return { code: 405, contentType: TEXT, body: 'Method Not Allowed\n', allow: METHODS.join(', ') };
    }
    if (page !== undefined) return page(request);
    return health({ path: asked as HealthPath, rest, checks: checks?.() ?? [] }, request, told);
  };
}

async function health(
  { path, rest, checks }: { readonly path: HealthPath; readonly rest: string; readonly checks: readonly HealthCheck[] },
  { query }: PageRequest,
  { log, healthFigures: figures }: ComponentTold,
): Promise<PageAnswer> {
  const question = { path, rest, excluded: query.get('exclude') ?? [], isVerbose: query.has('verbose') };
  const { code, text } = await answerHealth(question, checks.length === 0 ? [PING] : checks, { log, figures });
  return { code, contentType: TEXT, body: text };
}

async function zpage(make: () => Promise<ZPage>): Promise<PageAnswer> {
  try {
    return { code: 200, ...(await make()) };
  } catch (error) {
    if (error instanceof StatusError) return { code: error.httpCode, contentType: TEXT, body: error.message };
    throw error;
  }
}
