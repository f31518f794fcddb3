/** What can be asked of the resources, as neutral rows; each dialect writes them in its own way. */
import { schemaName } from '@binnacle/api';
import type { ResourceInfo, SubresourceInfo } from '@binnacle/api';
import type { KindName } from './definition.ts';

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

export interface Operation {
  readonly method: Method;
  /** `x-kubernetes-action` */
  readonly action: string;
  readonly id: string;
  readonly tag: string;
  readonly kind: KindName;
  /** Struct of the body; `patch` stands for a patch document. */
  readonly body?: string;
  /** Struct of the reply; absent: text. */
  readonly reply?: string;
  readonly query: readonly string[];
}

export interface Path {
  readonly path: string;
  /** Names in braces. */
  readonly parameters: readonly string[];
  readonly operations: readonly Operation[];
}

const WRITE = ['dryRun', 'fieldManager', 'fieldValidation'];
const LIST = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
];
const DELETE = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];
const DELETE_COLLECTION = [...new Set([...DELETE, ...LIST])].filter(
  (n) => n !== 'watch' && n !== 'allowWatchBookmarks',
);

const CONNECT_QUERY: { readonly [subresource: string]: readonly string[] } = {
  attach: ['container', 'stderr', 'stdin', 'stdout', 'tty'],
  exec: ['command', 'container', 'stderr', 'stdin', 'stdout', 'tty'],
  log: [
    'container',
    'follow',
    'insecureSkipTLSVerifyBackend',
    'limitBytes',
    'previous',
    'sinceSeconds',
    'stream',
    'tailLines',
    'timestamps',
  ],
  portforward: ['ports'],
  proxy: ['path'],
};

const BOOLEANS = new Set([
  'allowWatchBookmarks',
  'follow',
  'force',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'insecureSkipTLSVerifyBackend',
  'orphanDependents',
  'previous',
  'sendInitialEvents',
  'stderr',
  'stdin',
  'stdout',
  'timestamps',
  'tty',
  'watch',
]);
const INTEGERS = new Set([
  'gracePeriodSeconds',
  'limit',
  'limitBytes',
  'ports',
  'sinceSeconds',
  'tailLines',
  'timeoutSeconds',
]);

/** The JSON type of a query parameter. */
export function queryType(name: string): 'boolean' | 'integer' | 'string' {
  return BOOLEANS.has(name) ? 'boolean' : INTEGERS.has(name) ? 'integer' : 'string';
}

/** Every path of a resource: collection, object and subresources. */
export function pathsOf(info: ResourceInfo): Path[] {
  const root = info.group === '' ? `/api/${info.version}` : `/apis/${info.group}/${info.version}`;
  const scope = info.namespaced ? `${root}/namespaces/{namespace}` : root;
  const inNamespace = info.namespaced ? ['namespace'] : [];
  const named = { scope: info.namespaced ? 'Namespaced' : '', kind: info.kind };
  const all = info.namespaced && info.verbs.includes('list') ? [allNamespaces(info, root)] : [];
  const collection = {
    path: `${scope}/${info.resource}`,
    parameters: inNamespace,
    operations: collectionOf(info, named),
  };
  const object = `${scope}/${info.resource}/{name}`;
  const parameters = ['name', ...inNamespace];
  const paths: Path[] = [
    ...all,
    collection,
    { path: object, parameters, operations: objectOf(info, named) },
    ...info.subresources.flatMap((of) => subresourcePaths(info, of, { at: object, parameters, named })),
  ];
  return paths.filter((path) => path.operations.length > 0);
}

interface Below {
  readonly at: string;
  readonly parameters: readonly string[];
  readonly named: Named;
}

/** A proxy has a second path, for whatever lies behind it. */
function subresourcePaths(info: ResourceInfo, of: SubresourceInfo, { at, parameters, named }: Below): Path[] {
  const path = `${at}/${of.name}`;
  const operations = subresourceOf(info, of, named);
  if (of.name !== 'proxy') return [{ path, parameters, operations }];
  const withPath = operations.map((operation) => ({ ...operation, id: `${operation.id}WithPath` }));
  return [
    { path, parameters, operations },
    { path: `${path}/{path}`, parameters: [...parameters, 'path'], operations: withPath },
  ];
}

interface Named {
  readonly scope: string;
  readonly kind: string;
}

function kindOf(info: ResourceInfo): KindName {
  return { group: info.group, kind: info.kind, version: info.version };
}

/** `CoreV1`, `RbacAuthorizationV1` */
function groupId(info: ResourceInfo): string {
  const group = info.group === '' ? 'core' : info.group.replace(/\.k8s\.io$/, '');
  return [...group.split('.'), info.version].map(capital).join('');
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function tag(info: ResourceInfo): string {
  const [first, ...rest] = info.group === '' ? ['core'] : info.group.replace(/\.k8s\.io$/, '').split('.');
  return `${first ?? ''}${rest.map(capital).join('')}_${info.version}`;
}

/** The struct of a resource's lists, which stands beside that of its objects. */
export function listStruct({ schema, listKind }: ResourceInfo): string {
  return schema.slice(0, schema.lastIndexOf('.') + 1) + listKind;
}

function allNamespaces(info: ResourceInfo, root: string): Path {
  const operation: Operation = {
    method: 'get',
    action: 'list',
    id: `list${groupId(info)}${info.kind}ForAllNamespaces`,
    tag: tag(info),
    kind: kindOf(info),
    reply: listStruct(info),
    query: LIST,
  };
  return { path: `${root}/${info.resource}`, parameters: [], operations: [operation] };
}

function collectionOf(info: ResourceInfo, { scope, kind }: Named): Operation[] {
  const common = { tag: tag(info), kind: kindOf(info) };
  const id = groupId(info);
  const out: Operation[] = [];
  if (info.verbs.includes('list')) {
    out.push({
      ...common,
      method: 'get',
      action: 'list',
      id: `list${id}${scope}${kind}`,
      reply: listStruct(info),
      query: LIST,
    });
  }
  if (info.verbs.includes('create')) {
    const structs = { body: info.schema, reply: info.schema };
    out.push({ ...common, ...structs, method: 'post', action: 'post', id: `create${id}${scope}${kind}`, query: WRITE });
  }
  if (info.verbs.includes('deletecollection')) {
    out.push({
      ...common,
      method: 'delete',
      action: 'deletecollection',
      id: `delete${id}Collection${scope}${kind}`,
      body: 'meta.v1.DeleteOptions',
      reply: 'meta.v1.Status',
      query: DELETE_COLLECTION,
    });
  }
  return out;
}

function objectOf(info: ResourceInfo, { scope, kind }: Named): Operation[] {
  const verbs = info.verbs.filter((verb) => verb !== 'create');
  const operations = readWrite(verbs, {
    tag: tag(info),
    kind: kindOf(info),
    id: `${groupId(info)}${scope}${kind}`,
    struct: info.schema,
  });
  if (!info.verbs.includes('delete')) return operations;
  const reply = DELETED_AS_OBJECT.has(info.resource) ? info.schema : 'meta.v1.Status';
  const remove: Operation = {
    method: 'delete',
    action: 'delete',
    id: `delete${groupId(info)}${scope}${kind}`,
    tag: tag(info),
    kind: kindOf(info),
    body: 'meta.v1.DeleteOptions',
    reply,
    query: DELETE,
  };
  return [...operations, remove];
}

/** Kinds whose DELETE answers with the object instead of a Status. */
const DELETED_AS_OBJECT: ReadonlySet<string> = new Set([
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
]);

interface Target {
  readonly tag: string;
  readonly kind: KindName;
  readonly id: string;
  readonly struct: string;
}

function readWrite(verbs: readonly string[], { tag: tags, kind, id, struct }: Target): Operation[] {
  const common = { tag: tags, kind, reply: struct };
  const out: Operation[] = [];
  if (verbs.includes('get')) out.push({ ...common, method: 'get', action: 'get', id: `read${id}`, query: [] });
  if (verbs.includes('update')) {
    out.push({ ...common, method: 'put', action: 'put', id: `replace${id}`, body: struct, query: WRITE });
  }
  if (verbs.includes('patch')) {
    out.push({
      ...common,
      method: 'patch',
      action: 'patch',
      id: `patch${id}`,
      body: 'patch',
      query: [...WRITE, 'force'],
    });
  }
  if (verbs.includes('create')) {
    out.push({ ...common, method: 'post', action: 'post', id: `create${id}`, body: struct, query: WRITE });
  }
  return out;
}

const METHODS: { readonly [verb: string]: Method } = {
  create: 'post',
  delete: 'delete',
  get: 'get',
  patch: 'patch',
  update: 'put',
};

function subresourceOf(info: ResourceInfo, of: SubresourceInfo, { scope, kind }: Named): Operation[] {
  const gvk: KindName = { group: of.group ?? info.group, kind: of.kind, version: of.version ?? info.version };
  const id = `${groupId(info)}`;
  const name = `${scope}${kind}${capital(of.name)}`;
  const connect = CONNECT_QUERY[of.name];
  if (connect === undefined) {
    const isOwn = of.group === undefined && of.kind === info.kind;
    const struct = isOwn ? info.schema : schemaName(gvk.group, gvk.version, gvk.kind);
    return readWrite(of.verbs, { tag: tag(info), kind: gvk, id: id + name, struct });
  }
  if (of.name === 'log') {
    return [{ method: 'get', action: 'get', id: `read${id}${name}`, tag: tag(info), kind: gvk, query: connect }];
  }
  return of.verbs.flatMap((verb) => {
    const method = METHODS[verb];
    if (method === undefined) return [];
    const operation: Operation = {
      method,
      action: 'connect',
      id: `connect${id}${capital(method)}${name}`,
      tag: tag(info),
      kind: gvk,
      query: connect,
    };
    return [operation];
  });
}
