import { groupVersion } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { ResourceRef } from '@binnacle/api';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** The unaggregated discovery documents; undefined for any other path. */
export function discover(path: string, resources: readonly ResourceRef<KubeObject>[]): unknown {
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups(resources) };
  const gv = /^\/apis?\/(.+)$/.exec(path)?.[1];
  if (gv === undefined) return undefined;
  const served = resources.filter((resource) => groupVersion(resource) === gv);
  if (served.length === 0 && gv !== 'v1') return undefined;
  return {
    kind: 'APIResourceList',
    groupVersion: gv,
    resources: served.map((one) => ({
      name: one.resource,
      singularName: one.kind.toLowerCase(),
      namespaced: one.namespaced,
      kind: one.kind,
      verbs: VERBS,
    })),
  };
}

function groups(resources: readonly ResourceRef<KubeObject>[]): unknown[] {
  const versions = new Map<string, Set<string>>();
  for (const { group, version } of resources) {
    if (group === '') continue;
    const known = versions.get(group) ?? new Set();
    versions.set(group, known.add(version));
  }
  return [...versions].map(([name, set]) => {
    const list = [...set].map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions: list, preferredVersion: list[0] };
  });
}
