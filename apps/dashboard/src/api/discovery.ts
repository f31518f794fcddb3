import { request } from './request.ts';

/** A resource as discovery shows it, in the version that the server prefers. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

interface DiscoveredGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly { readonly version: string; readonly resources?: readonly DiscoveredResource[] }[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope: 'Namespaced' | 'Cluster';
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

const ACCEPT = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Everything that can be listed: of a resource in several versions, the preferred one. */
export async function discover(): Promise<readonly Resource[]> {
  const lists = await Promise.all(
    ['/api', '/apis'].map((path) => request<{ readonly items?: readonly DiscoveredGroup[] }>({ path, accept: ACCEPT })),
  );
  return lists.flatMap(({ value }) => (value.items ?? []).flatMap(resourcesOf));
}

/** Versions come the preferred first. */
export function resourcesOf({ metadata, versions = [] }: DiscoveredGroup): readonly Resource[] {
  const found = new Map<string, Resource>();
  for (const { version, resources = [] } of versions) {
    for (const one of resources) {
      if (found.has(one.resource) || !one.verbs.includes('list')) continue;
      found.set(one.resource, {
        group: metadata?.name ?? '',
        version,
        resource: one.resource,
        kind: one.responseKind?.kind ?? one.resource,
        namespaced: one.scope === 'Namespaced',
        shortNames: one.shortNames ?? [],
        categories: one.categories ?? [],
        verbs: one.verbs,
        subresources: (one.subresources ?? []).map(({ subresource }) => subresource),
      });
    }
  }
  return [...found.values()];
}

/** `/apis/apps/v1/namespaces/default/deployments[/name]`; without a namespace: of all. */
export function pathOf(
  { group, version, resource, namespaced }: Pick<Resource, 'group' | 'version' | 'resource' | 'namespaced'>,
  at: { readonly namespace?: string; readonly name?: string } = {},
): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const space = namespaced && at.namespace ? `/namespaces/${encodeURIComponent(at.namespace)}` : '';
  return `${root}${space}/${resource}${at.name === undefined ? '' : `/${encodeURIComponent(at.name)}`}`;
}
