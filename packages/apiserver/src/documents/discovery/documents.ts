/** The documents of discovery as pure functions of the resource table; shapes and order are upstream's. */
import type { ResourceInfo, SubresourceInfo } from '@binnacle/api';
import { groupVersion } from '@binnacle/machinery';
import { localPriority } from './priorities.ts';
import type { GroupVersionPriority } from './priorities.ts';
import type { RemoteGroupVersion } from './remote-group.ts';

/** What is served, here and by others. A group and version is served by one of them. */
export interface ServedGroups {
  readonly resources: readonly ResourceInfo[];
  readonly remotes: readonly RemoteGroupVersion[];
}

/** `GET /api`. `serverAddress` is what clients should connect to: `host:port`. */
export function versionsDocument(serverAddress: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `GET /apis`. */
export function groupListDocument(served: ServedGroups): object {
  const groups = [...versionsByGroup(served)].filter(([name]) => name !== '');
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map(([name, versions]) => groupEntry(name, versions)),
  };
}

/** `GET /apis/<group>`; undefined when nobody serves the group. */
export function groupDocument(served: ServedGroups, group: string): object | undefined {
  const versions = versionsOf(served, group);
  if (group === '' || versions.length === 0) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group, versions) };
}

function groupEntry(group: string, of: readonly string[]): object {
  const versions = of.map((version) => ({
    groupVersion: groupVersion({ group, version }),
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] };
}

/** `GET /api/v1` and `GET /apis/<group>/<version>`; undefined when nobody serves them. */
export function resourceListDocument(
  resources: readonly ResourceInfo[],
  group: string,
  version: string,
): object | undefined {
  const served = resources.filter((info) => info.group === group && info.version === version);
  if (served.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    // Upstream leaves it out for the core group.
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: groupVersion({ group, version }),
    resources: served.flatMap(resourceEntries),
  };
}

function resourceEntries(info: ResourceInfo): object[] {
  const main = {
    name: info.resource,
    singularName: info.singular,
    namespaced: info.namespaced,
    kind: info.kind,
    verbs: info.verbs,
    ...(info.shortNames.length > 0 ? { shortNames: info.shortNames } : {}),
    ...(info.categories.length > 0 ? { categories: info.categories } : {}),
    ...(info.storageVersionHash === undefined ? {} : { storageVersionHash: info.storageVersionHash }),
  };
  return [main, ...info.subresources.map((subresource) => subresourceEntry(info, subresource))];
}

function subresourceEntry(info: ResourceInfo, subresource: SubresourceInfo): object {
  return {
    name: `${info.resource}/${subresource.name}`,
    singularName: '',
    namespaced: info.namespaced,
    ...(subresource.group === undefined ? {} : { group: subresource.group }),
    ...(subresource.version === undefined ? {} : { version: subresource.version }),
    kind: subresource.kind,
    verbs: subresource.verbs,
  };
}

/** The aggregated form of `/api` (core group) or `/apis` (all others). */
export function aggregatedDocument(served: ServedGroups, root: '/api' | '/apis', version: 'v2' | 'v2beta1'): object {
  const groups = [...versionsByGroup(served)].filter(([name]) => (name === '') === (root === '/api'));
  const own = Map.groupBy(served.resources, groupVersion);
  const remotes = new Map(served.remotes.map((remote) => [groupVersion(remote), remote]));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(([group, versions]) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((of) => {
        const key = groupVersion({ group, version: of });
        const { resources, freshness } = remotes.get(key) ?? {
          resources: (own.get(key) ?? []).map(aggregatedResource),
          freshness: 'Current',
        };
        return { version: of, resources, freshness };
      }),
    })),
  };
}

function aggregatedResource(info: ResourceInfo): object {
  const { group, version } = info;
  return {
    resource: info.resource,
    responseKind: { group, version, kind: info.kind },
    scope: info.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: info.singular,
    verbs: info.verbs,
    ...(info.shortNames.length > 0 ? { shortNames: info.shortNames } : {}),
    ...(info.categories.length > 0 ? { categories: info.categories } : {}),
    ...(info.subresources.length > 0
      ? {
          subresources: info.subresources.map((subresource) => ({
            subresource: subresource.name,
            responseKind: {
              group: subresource.group ?? group,
              version: subresource.version ?? version,
              kind: subresource.kind,
            },
            verbs: subresource.verbs,
          })),
        }
      : {}),
  };
}

interface Ranked extends GroupVersionPriority {
  readonly name: string;
  readonly of: string;
}

/** Every group and version once, with its place in the order. */
function ranked({ resources, remotes }: ServedGroups): Map<string, Ranked> {
  const out = new Map<string, Ranked>();
  for (const { group: name, version: of } of resources) {
    const key = `${name}/${of}`;
    if (!out.has(key)) out.set(key, { name, of, ...localPriority(name, of) });
  }
  for (const { group: name, version: of, groupPriority, versionPriority } of remotes) {
    out.set(`${name}/${of}`, { name, of, group: groupPriority, version: versionPriority });
  }
  return out;
}

/** The groups that are served, by the highest priority of their versions, then by the name of that APIService. */
export function groupNames(served: ServedGroups): string[] {
  return [...versionsByGroup(served).keys()];
}

/** The versions of a group, the preferred one first: by priority, then newest, stable before beta before alpha. */
export function versionsOf(served: ServedGroups, group: string): string[] {
  return versionsByGroup(served).get(group) ?? [];
}

/** All groups in their order, each with its versions in theirs. */
function versionsByGroup(served: ServedGroups): Map<string, string[]> {
  const all = [...ranked(served).values()].sort((a, b) => b.group - a.group || compareText(nameOf(a), nameOf(b)));
  const versions = ([name, of]: [string, Ranked[]]): [string, string[]] => [
    name,
    of.sort((a, b) => b.version - a.version || compareVersions(a.of, b.of)).map((one) => one.of),
  ];
  return new Map([...Map.groupBy(all, ({ name }) => name)].map(versions));
}

function nameOf({ name, of }: Ranked): string {
  return `${of}.${name}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Orders versions as upstream prefers them: `v2`, `v1`, `v1beta1`, `v1alpha1`, then anything else by name. */
export function compareVersions(a: string, b: string): number {
  const left = versionRank(a);
  const right = versionRank(b);
  for (let i = 0; i < left.length; i++) {
    const difference = (right[i] ?? 0) - (left[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function versionRank(version: string): number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [0, 0, 0];
  const stability = match[2] === undefined ? 3 : match[2] === 'beta' ? 2 : 1;
  return [stability, Number(match[1]), Number(match[3] ?? 0)];
}
