import { groupVersion } from '@binnacle/machinery';
import type {
  DeleteOptions,
  GroupVersionResource,
  KubeObject,
  ListMeta,
  PatchKind,
  Verb,
  WatchCall,
  Wire,
} from '@binnacle/machinery';
import type { CallContext } from '@binnacle/base';
import type { ResourceRef } from '@binnacle/api';
import type { Client, Draft, ListQuery, ObjectList, ResourceClient, WatchQuery, WriteQuery } from './ports.ts';

/** A client over any wire. It holds no state; closing the wire is its owner's business. */
export function createClient(wire: Wire): Client {
  return {
    wire,
    resource: <T extends KubeObject>(ref: ResourceRef<T>, namespace?: string) =>
      resourceClient<T>(wire, { ref, kind: ref.kind, namespace }),
    dynamic: (ref, namespace) => resourceClient<KubeObject>(wire, { ref, kind: undefined, namespace }),
  };
}

interface Target {
  readonly ref: GroupVersionResource;
  readonly kind: string | undefined;
  readonly namespace: string | undefined;
}

interface Rest extends CallContext {
  readonly name?: string;
  readonly subresource?: string;
  readonly query?: { readonly [name: string]: string };
  readonly body?: unknown;
  readonly patch?: PatchKind;
}

function resourceClient<T extends KubeObject>(wire: Wire, target: Target): ResourceClient<T> {
  const resource: GroupVersionResource = {
    group: target.ref.group,
    version: target.ref.version,
    resource: target.ref.resource,
  };
  const place = { resource, ...(target.namespace === undefined ? {} : { namespace: target.namespace }) };
  const call = <R>(verb: Verb, rest: Rest): Promise<R> => wire.call({ verb, ...place, ...rest }) as Promise<R>;
  const draft = (object: Draft<T> | T): object => typed(object, target);
  return {
    get: (name, context) => call('get', { name, ...context }),
    list: async (query, context) => readList<T>(await call('list', { query: listParameters(query), ...context })),
    create: (object, query, context) =>
      call('create', { body: draft(object), query: writeParameters(query), ...context }),
    update: (object, query, context) =>
      call('update', { name: nameOf(object), body: draft(object), query: writeParameters(query), ...context }),
    updateStatus: (object, query, context) =>
      call('update', {
        name: nameOf(object),
        subresource: 'status',
        body: draft(object),
        query: writeParameters(query),
        ...context,
      }),
    patch: (name, patch, body, options, context) =>
      call('patch', {
        name,
        patch,
        body,
        query: writeParameters(options),
        ...(options?.subresource === undefined ? {} : { subresource: options.subresource }),
        ...context,
      }),
    delete: async (name, options, context) => {
      await call('delete', { name, body: deleteOptions(options), ...context });
    },
    deleteCollection: async (query, options, context) => {
      await call('deletecollection', { query: listParameters(query), body: deleteOptions(options), ...context });
    },
    subresource: (verb, name, subresource, body, context) => call(verb, { name, subresource, body, ...context }),
    watch: (query, sink, context) => {
      const watch: WatchCall = { ...place, query: watchParameters(query), ...context };
      return wire.watch<T>(watch, sink);
    },
  };
}

/** Fills in apiVersion and kind, which objects out of lists lack. A shallow copy: the caller's object stays as it is. */
function typed(object: { readonly apiVersion?: string; readonly kind?: string }, target: Target): object {
  const kind = target.kind ?? object.kind;
  return { ...object, apiVersion: groupVersion(target.ref), ...(kind === undefined ? {} : { kind }) };
}

function nameOf(object: KubeObject): string {
  return object.metadata.name ?? '';
}

function deleteOptions(options: Partial<DeleteOptions> | undefined): object {
  return { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
}

interface ListReply<T> {
  readonly metadata?: ListMeta;
  readonly items?: readonly T[] | null;
}

function readList<T>(reply: ListReply<T>): ObjectList<T> {
  const meta = reply.metadata ?? {};
  return {
    items: reply.items ?? [],
    resourceVersion: meta.resourceVersion ?? '',
    ...(meta.continue === undefined || meta.continue === '' ? {} : { continue: meta.continue }),
    ...(meta.remainingItemCount === undefined ? {} : { remainingItemCount: meta.remainingItemCount }),
  };
}

function listParameters(query: ListQuery | undefined): { [name: string]: string } {
  return parameters({ ...query });
}

function watchParameters(query: WatchQuery): { [name: string]: string } {
  const match = query.sendInitialEvents === undefined ? {} : { resourceVersionMatch: 'NotOlderThan' };
  return parameters({ ...query, ...match, watch: true });
}

function writeParameters(query: WriteQuery | undefined): { [name: string]: string } {
  if (query === undefined) return {};
  return parameters({
    dryRun: query.dryRun === true ? 'All' : undefined,
    fieldManager: query.fieldManager,
    fieldValidation: query.fieldValidation,
    force: query.force,
  });
}

function parameters(values: { readonly [name: string]: string | number | boolean | undefined }): {
  [name: string]: string;
} {
  const out: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) out[name] = String(value);
  }
  return out;
}
