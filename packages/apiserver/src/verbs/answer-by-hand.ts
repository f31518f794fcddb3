import { schemaName } from '@binnacle/api';
import type { ResourceInfo, SubresourceInfo } from '@binnacle/api';
import { StatusError } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { Core } from '../core.ts';
import type { VirtualHandler, VirtualRequest } from '../ports/by-hand.ts';
import { admit, admitFinally } from './admission.ts';
import { readObject } from './body.ts';
import type { ExpectedKind } from '../request/expected-kind.ts';
import type { AnyCall } from '../catalogue/call.ts';
import { methodNotAllowed } from './refusals.ts';
import type { Reply } from '../catalogue/reply.ts';

/** Answers a call on a virtual resource: a review, a binding. */
export async function serveVirtual(core: Core, call: AnyCall): Promise<Reply> {
  const { info, served } = call;
  if (!served.info.verbs.includes(info.verb) || info.subresource !== '') throw methodNotAllowed();
  if (served.info.namespaced !== (info.namespace !== '')) throw methodNotAllowed();
  return answerVirtual(core, call, { handler: handlerOf(core, call.served.info, ''), expected: call.served.info });
}

/** What answers a subresource that is no view of the stored object: `pods/eviction`, `serviceaccounts/token`. */
export function serveVirtualSubresource(
  core: Core,
  call: AnyCall,
  sub: SubresourceInfo,
): (core: Core, call: AnyCall) => Promise<Reply> {
  const group = sub.group ?? '';
  const version = sub.version ?? 'v1';
  const expected = { group, version, kind: sub.kind, schema: schemaName(group, version, sub.kind) };
  const handler = handlerOf(core, call.served.info, sub.name);
  return () => answerVirtual(core, call, { handler, expected });
}

function handlerOf(core: Core, info: ResourceInfo, subresource: string): VirtualHandler {
  const resource = subresource === '' ? info.resource : `${info.resource}/${subresource}`;
  const key = info.group === '' ? resource : `${resource}.${info.group}`;
  const handler = core.policy.virtual.get(key);
  if (handler === undefined) throw notImplemented(key);
  return handler;
}

async function answerVirtual(
  core: Core,
  call: AnyCall,
  { handler, expected }: { readonly handler: VirtualHandler; readonly expected: ExpectedKind },
): Promise<Reply> {
  const { info } = call;
  const verb = info.verb as VirtualRequest['verb'];
  const body = verb === 'get' ? undefined : await readObject(call, expected);
  if (body !== undefined) await admitBody(core, call, body);
  const object = await handler.handle({
    info: call.served.info,
    subresource: info.subresource,
    verb,
    namespace: info.namespace,
    name: info.name,
    user: call.user,
    body,
    dryRun: call.dryRun,
    context: { cause: call.cause, ...(call.request.signal === undefined ? {} : { signal: call.request.signal }) },
  });
  return { kind: 'object', code: verb === 'create' ? 201 : 200, object };
}

async function admitBody(core: Core, call: AnyCall, object: KubeObject): Promise<void> {
  const name = call.info.name === '' ? (object.metadata.name ?? '') : call.info.name;
  const change = { operation: 'CREATE', object, before: undefined, name } as const;
  await admit(core, call, change);
  await admitFinally(core, call, change);
}

/** Not served yet; said plainly (README lists what). */
export function notImplemented(what: string): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${what} is not served yet`,
    reason: 'NotImplemented',
    code: 501,
  });
}
