import { schemas } from '@binnacle/api';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Reply } from '../catalogue/definition.ts';
import type { Exchange } from '../request/exchange.ts';
import { findComputedHandler, findConnect, findHandler } from '../verbs/find-handler.ts';
import { methodNotAllowed, noSuchResource } from '../verbs/refusals.ts';
import type { Verbs } from '../verbs/verbs.ts';
import { callOf, checkProjection, notesOf, renderingOf } from './call-of.ts';
import type { Routes } from './routes.ts';

export interface ServeWorld {
  readonly catalogue: Catalogue;
  readonly verbs: Verbs;
  readonly routes: Routes;
  /** Other API servers: what is theirs; undefined: it is this server's. */
  readonly passOn: (exchange: Exchange) => Promise<Reply> | undefined;
}

/** Answers one authorised request. Throws StatusError. */
export type Serve = (exchange: Exchange) => Reply | Promise<Reply>;

/** The last step: finds what answers, and lets it. */
export function createServe({ catalogue, verbs, routes, passOn }: ServeWorld): Serve {
  return (exchange) => {
    const { info } = exchange;
    const passedOn = exchange.isPassedOn ? passOn(exchange) : undefined;
    if (passedOn !== undefined) return passedOn;
    if (!info.isResource) return serveRoute(routes, exchange);
    const served = catalogue.find(info.group, info.version, info.resource);
    if (served === undefined) return serveOther(catalogue, exchange);
    const connect = findConnect(served, info);
    if (connect !== undefined) return connect({ ...exchange, ...notesOf(exchange), served });
    exchange.hasMessages = served.schemas.hasMessage(served.info.schema);
    // 406 before anything is done.
    checkProjection(exchange, renderingOf(exchange), served.info);
    const call = callOf(exchange, served);
    const handler = findHandler(verbs, served, info);
    noteDeprecated(exchange, served.warning, call);
    const { cache } = served.stored;
    return cache.ready ? handler(call) : cache.start().then(() => handler(call));
  };
}

/** Who asks for what is on its way out is told so; the audit record and the metrics keep account of it. */
function noteDeprecated(exchange: Exchange, warning: string | undefined, call: { warn(text: string): void }): void {
  if (warning === undefined) return;
  call.warn(warning);
  exchange.isDeprecated = true;
  exchange.annotations ??= new Map<string, string>();
  exchange.annotations.set('k8s.io/deprecated', 'true');
}

function serveRoute(routes: Routes, exchange: Exchange): Reply | Promise<Reply> {
  const { info } = exchange;
  const route = routes.find(info.path);
  if (route === undefined) return notFoundText();
  const isRead = info.verb === 'get' || info.verb === 'head';
  if (!isRead && !routes.takesAnyMethod(route.handler)) throw methodNotAllowed();
  return route.handler(exchange, route.rest);
}

/** What is not stored, and what does not exist. */
function serveOther(catalogue: Catalogue, exchange: Exchange): Reply | Promise<Reply> {
  const { info } = exchange;
  const computed = catalogue.findComputed(info.group, info.version, info.resource);
  if (computed !== undefined) {
    exchange.hasMessages = schemas.hasMessage(computed.info.schema);
    const { handlers } = computed;
    exchange.hasTables = handlers.get !== undefined || handlers.list !== undefined;
    // 406 before anything is done.
    checkProjection(exchange, renderingOf(exchange), computed.info);
    const call = callOf(exchange, computed);
    noteDeprecated(exchange, computed.warning, call);
    return findComputedHandler(computed, info)(call);
  }
  return notServed(catalogue, info.group);
}

/** The document of a version: of the group without a name, or of another. */
const VERSION_PATH = /^\/(?:(api)|apis\/([^/]+))\/[^/]+\/?$/;

/** The answer to who asks for the document of a version, where there is none: throws 404 where there is such a group. */
export function versionNotServed(catalogue: Catalogue, path: string): Reply {
  const [, legacy, group] = VERSION_PATH.exec(path) ?? [];
  return notServed(catalogue, legacy === undefined ? group : '');
}

/** A group that is there tells of a version or resource that is not; nobody speaks for one that is not there. */
function notServed(catalogue: Catalogue, group: string | undefined): Reply {
  if (catalogue.infos.some((info) => info.group === group)) throw noSuchResource();
  return notFoundText();
}

/** What upstream answers to paths that nothing serves. */
function notFoundText(): Reply {
  return { kind: 'text', code: 404, contentType: 'text/plain; charset=utf-8', body: '404 page not found\n' };
}
