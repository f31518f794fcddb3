/** The documents of discovery as pure functions of the resource table; shapes and order are upstream's. */
import type { ResourceInfo, SubresourceInfo } from '@binnacle/api';
import { groupVersion } from '@binnacle/machinery';

/** Groups in the order in which upstream lists them; others follow by name. */
const GROUP_ORDER: readonly string[] = [
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'resource.k8s.io',
];

/** `GET /api`. `serverAddress` is what clients should connect to: `host:port`. */
export function versionsDocument(serverAddress: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `GET /apis`. */
export function groupListDocument(resources: readonly ResourceInfo[]): object {
  const groups = groupNames(resources).filter((name) => name !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((name) => groupEntry(resources, name)) };
}

/** `GET /apis/<group>`; undefined when nobody serves the group. */
export function groupDocument(resources: readonly ResourceInfo[], group: string): object | undefined {
  if (group === '' || !resources.some((info) => info.group === group)) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(resources, group) };
}

function groupEntry(resources: readonly ResourceInfo[], group: string): object {
  const versions = versionsOf(resources, group).map((version) => ({
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
export function aggregatedDocument(
  resources: readonly ResourceInfo[],
  root: '/api' | '/apis',
  version: 'v2' | 'v2beta1',
): object {
  const groups = groupNames(resources).filter((name) => (name === '') === (root === '/api'));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map((group) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versionsOf(resources, group).map((of) => aggregatedVersion(resources, group, of)),
    })),
  };
}

function aggregatedVersion(resources: readonly ResourceInfo[], group: string, version: string): object {
  const served = resources.filter((info) => info.group === group && info.version === version);
  return { version, resources: served.map(aggregatedResource), freshness: 'Current' };
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

/** The groups that are served, the core group's empty name first. */
export function groupNames(resources: readonly ResourceInfo[]): string[] {
  const names = [...new Set(resources.map((info) => info.group))];
  return names.sort((a, b) => groupRank(a) - groupRank(b) || (a < b ? -1 : 1));
}

function groupRank(name: string): number {
  const at = GROUP_ORDER.indexOf(name);
  return name === '' ? -1 : at === -1 ? GROUP_ORDER.length : at;
}

/** The versions of a group, the preferred one (newest, stable before beta before alpha) first. */
export function versionsOf(resources: readonly ResourceInfo[], group: string): string[] {
  const versions = new Set(resources.filter((info) => info.group === group).map((info) => info.version));
  return [...versions].sort(compareVersions);
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
