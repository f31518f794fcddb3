import type { DiscoveredGroup } from './discovered.ts';
import { readGroups } from './group-lists.ts';
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

/** All at once where the server can, as it is so since 1.30, and was for a while before. */
const ACCEPT = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join();

/** Everything that can be listed: of a resource in several versions, the preferred one. */
export async function discover(ask: AskDiscovery = read): Promise<readonly Resource[]> {
  const groups = await Promise.all(
    ['/api', '/apis'].map(async (path) => {
      const told = await ask(path, ACCEPT);
      const { items } = told as { readonly items?: readonly DiscoveredGroup[] };
      return items ?? readGroups(told, async (version) => ask(`${path}/${version}`, 'application/json'));
    }),
  );
  return groups.flat().flatMap(resourcesOf);
}

/** GET; rejects where the server refuses. */
export type AskDiscovery = (path: string, accept: string) => Promise<unknown>;

const read: AskDiscovery = async (path, accept) => (await request<unknown>({ path, accept })).value;

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
