import { status } from '@binnacle/machinery';
import type { AnyCall, Call, ConnectCall, Handler, ServedResource } from '../catalogue/definition.ts';
import type { ComputedResource } from '../catalogue/catalogue.ts';
import { resourceName } from '../catalogue/definition.ts';
import type { RequestInfo } from '../request/info.ts';
import { methodNotAllowed, noSuchResource } from './refusals.ts';
import { notImplemented } from './respond.ts';
import type { Verbs } from './verbs.ts';

/** What answers a request on a stored resource. Throws 404, 405 and 501 where nothing does. */
export function findHandler(verbs: Verbs, served: ServedResource, info: RequestInfo): Handler<Call> {
  if (served.isCustom) checkCustomPath(served, info);
  return info.subresource === '' ? mainVerb(verbs, served, info) : subresourceVerb(served, info);
}

/** Upstream has no routes for custom kinds: what asks for none is not found, and what lacks a name is a bad request. */
function checkCustomPath({ info: { namespaced } }: ServedResource, { verb, name, namespace }: RequestInfo): void {
  if (namespaced && namespace === '' && verb !== 'list' && verb !== 'watch') throw noSuchResource();
  if (name === '' && (verb === 'update' || verb === 'patch')) throw status.badRequest('name must be provided');
}

/** The verb on the resource itself, where path and method fit it. */
function mainVerb(all: Verbs, served: ServedResource, info: RequestInfo): Handler<Call> {
  const verb = Object.hasOwn(all, info.verb) ? all[info.verb as keyof Verbs] : undefined;
  const { namespaced } = served.info;
  if (!namespaced && info.namespace !== '' && info.resource !== 'namespaces') throw noSuchResource();
  // What may not be made any more is refused when it is known by its name.
  const isAnswered = served.answeredVerbs.includes(info.verb) || (served.isCustom && info.verb === 'create');
  if (verb === undefined || !isAnswered) {
    throw served.isCustom ? status.methodNotSupported(served.info, info.verb) : methodNotAllowed();
  }
  const everywhere = namespaced && info.namespace === '';
  // Only lists and watches are served across namespaces; a name without its namespace is no path at all.
  if (everywhere && info.verb === 'create') throw methodNotAllowed();
  if (everywhere && info.verb === 'deletecollection') throw methodNotAllowed();
  if (everywhere && info.verb !== 'list' && info.verb !== 'watch') throw noSuchResource();
  // An object of a custom kind may be made at any place of its collection; what it is called, it says itself.
  if (info.verb === 'create' && info.name !== '' && !served.isCustom) throw methodNotAllowed();
  if (info.name === '' && (info.verb === 'update' || info.verb === 'patch')) throw methodNotAllowed();
  return verb;
}

/** What answers a subresource that is passed on, whatever the method; undefined: it is none. */
export function findConnect(served: ServedResource, info: RequestInfo): Handler<ConnectCall> | undefined {
  const subresource = info.subresource === '' ? undefined : served.subresources[info.subresource];
  return subresource?.connect;
}

/** 404 for a subresource that the resource does not have, 405 for a wrong method. */
function subresourceVerb(served: ServedResource, info: RequestInfo): Handler<Call> {
  const known = served.info.subresources.find(({ name }) => name === info.subresource);
  if (known === undefined) throw served.isCustom ? status.notFound(served.info, info.name) : noSuchResource();
  if (!known.verbs.includes(info.verb))
    throw served.isCustom ? status.methodNotSupported(served.info, info.verb) : methodNotAllowed();
  const handler = served.subresources[info.subresource]?.handlers[info.verb];
  if (handler === undefined) throw notImplemented(nameOf(served.info, info.subresource));
  return handler;
}

/** What answers a request on a resource that is not stored. Throws 405 and 501 where nothing does. */
export function findComputedHandler({ info, handlers }: ComputedResource, request: RequestInfo): Handler<AnyCall> {
  if (!info.verbs.includes(request.verb) || request.subresource !== '') throw methodNotAllowed();
  const handler = handlers[request.verb];
  if (handler === undefined) throw notImplemented(nameOf(info, ''));
  return handler;
}

function nameOf(
  { group, resource }: { readonly group: string; readonly resource: string },
  subresource: string,
): string {
  return resourceName({ group, resource: subresource === '' ? resource : `${resource}/${subresource}` });
}
