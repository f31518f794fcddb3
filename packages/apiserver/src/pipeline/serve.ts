import { findResource, RESOURCES } from '@binnacle/api';
import type { Core } from '../core.ts';
import { componentStatuses } from '../kinds/core/component-statuses/component-statuses.ts';
import { methodNotAllowed, noSuchResource } from '../verbs/refusals.ts';
import type { Reply } from '../catalogue/reply.ts';
import { findSubresource } from '../verbs/subresources.ts';
import { serveVirtual } from '../verbs/answer-by-hand.ts';
import { anyCall, callOf, renderingOf } from './call-of.ts';
import type { Exchange } from '../request/exchange.ts';
import { mainVerb } from '../verbs/main-verb.ts';

/** The last step: finds what answers, and lets it. */
export function serve(core: Core, exchange: Exchange): Reply | Promise<Reply> {
  const { info } = exchange;
  if (!info.isResource) return serveRoute(core, exchange);
  const served = core.resources.find(info.group, info.version, info.resource);
  if (served === undefined) return serveOther(core, exchange);
  // 406 before anything is done.
  renderingOf(exchange);
  const call = callOf(exchange, served);
  const verb = info.subresource === '' ? mainVerb(served, exchange) : findSubresource(core, call);
  const { cache } = served.stored;
  return cache.ready ? verb(core, call) : cache.start().then(() => verb(core, call));
}

function serveRoute(core: Core, exchange: Exchange): Reply | Promise<Reply> {
  const { info } = exchange;
  const route = core.routes.find(info.path);
  if (route === undefined) return notFoundText();
  if (info.verb !== 'get' && info.verb !== 'head') throw methodNotAllowed();
  return route.handler(exchange, route.rest);
}

/** Virtual resources, and what does not exist. */
function serveOther(core: Core, exchange: Exchange): Reply | Promise<Reply> {
  const { info } = exchange;
  const virtual = findResource(info.group, info.version, info.resource);
  if (virtual !== undefined) {
    const call = anyCall(exchange, virtual);
    return virtual.resource === 'componentstatuses' ? componentStatuses(core, call) : serveVirtual(core, call);
  }
  const known = RESOURCES.some(({ group, version }) => group === info.group && version === info.version);
  if (known) throw noSuchResource();
  return notFoundText();
}

/** What upstream answers to paths that nothing serves. */
export function notFoundText(): Reply {
  return { kind: 'text', code: 404, contentType: 'text/plain; charset=utf-8', body: '404 page not found\n' };
}
