import { createHash } from 'node:crypto';
import { paths } from './facts.ts';

interface Subresource {
  name: string;
  kind: string;
  group?: string;
  version?: string;
  verbs: string[];
}

/** What the paths of the API say of one resource. */
interface Resource {
  group: string;
  version: string;
  resource: string;
  kind: string;
  namespaced: boolean;
  verbs: string[];
  subresources: Subresource[];
  onRequest?: true;
}

/** What upstream serves where it is asked for alone, and we do too; other alpha and beta versions are left out. */
const ON_REQUEST = new Set(['certificates.k8s.io/v1beta1/clustertrustbundles']);

const VERBS: Record<string, string[]> = {
  get: ['get'],
  list: ['list', 'watch'],
  post: ['create'],
  put: ['update'],
  patch: ['patch'],
  delete: ['delete'],
  deletecollection: ['deletecollection'],
};
const CONNECT: Record<string, string> = { get: 'get', post: 'create', put: 'update', patch: 'patch', delete: 'delete' };

/** Lists that nothing changes, so nothing can be watched. */
const NOT_WATCHED = new Set(['componentstatuses']);

const PATH =
  /^\/(?:api|apis\/([^/]+))\/(v\d+(?:(?:alpha|beta)\d+)?)\/(namespaces\/\{namespace\}\/)?([^/{]+)(?:\/\{name\}(?:\/(.+))?)?$/;

function splitKind(text: string): { group: string; version: string; kind: string } {
  const parts = text.split('/');
  return { group: parts.at(-3) ?? '', version: parts.at(-2) ?? '', kind: parts.at(-1) ?? '' };
}

function verbsOf(ops: Record<string, string>, resource: string): string[] {
  return Object.entries(ops).flatMap(([method, action]) => {
    if (action === 'connect') return CONNECT[method] === undefined ? [] : [CONNECT[method]];
    const verbs = VERBS[action] ?? [];
    return NOT_WATCHED.has(resource) ? verbs.filter((verb) => verb !== 'watch') : verbs;
  });
}

function merge(into: string[], more: readonly string[]): void {
  for (const verb of more) if (!into.includes(verb)) into.push(verb);
  into.sort();
}

function addSubresource(found: Resource, name: string, entry: { kind: string; ops: Record<string, string> }): void {
  const { group, version, kind } = splitKind(entry.kind);
  const own = group === found.group && version === found.version;
  const verbs = [...new Set(verbsOf(entry.ops, ''))].sort();
  found.subresources.push({ name, kind, ...(own ? {} : { group, version }), verbs });
}

/** Every resource of a GA group and version, and those served on request, in the order of discovery. */
function resources(): Resource[] {
  const found = new Map<string, Resource>();
  for (const [path, entry] of Object.entries(paths)) {
    const match = PATH.exec(path);
    if (match === null) continue;
    const [, group = '', version = '', scope, resource = '', subresource] = match;
    const key = `${group}/${version}/${resource}`;
    const onRequest = ON_REQUEST.has(key);
    if (!onRequest && !/^v\d+$/.test(version)) continue;
    const known: Resource = found.get(key) ?? {
      group,
      version,
      resource,
      kind: splitKind(entry.kind).kind,
      namespaced: false,
      verbs: [],
      subresources: [],
      ...(onRequest ? { onRequest } : {}),
    };
    found.set(key, known);
    if (scope !== undefined) known.namespaced = true;
    if (subresource === undefined) merge(known.verbs, verbsOf(entry.ops, resource));
    else if (!subresource.includes('{')) addSubresource(known, subresource, entry);
  }
  return [...found.values()].sort((a, b) =>
    `${a.group}/${a.version}/${a.resource}` < `${b.group}/${b.version}/${b.resource}` ? -1 : 1,
  );
}

/** What upstream's discovery calls storageVersionHash. */
function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}

/** Resources of which several versions are served and one is stored. */
const STORED_AS: Record<string, [group: string, version: string]> = {
  'autoscaling/horizontalpodautoscalers': ['autoscaling', 'v2'],
  'events.k8s.io/events': ['', 'v1'],
};

export function renderResources(header: string): string {
  const rows = resources().map((r) => {
    const [group, version] = STORED_AS[`${r.group}/${r.resource}`] ?? [r.group, r.version];
    const stored = r.verbs.includes('list') && r.verbs.includes('create');
    return stored
      ? { ...r, storage: { group, version }, storageVersionHash: storageVersionHash(group, version, r.kind) }
      : r;
  });
  const text = rows.map((row) => `  ${JSON.stringify(row)},\n`).join('');
  return `${header}import type { ResourceFacts } from '../resource-facts.ts';

export const RESOURCE_FACTS: readonly ResourceFacts[] = [
${text}];
`;
}
