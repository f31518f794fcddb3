import type { DiscoveredGroup, DiscoveredResource } from './discovered.ts';

/** APIVersions of `/api`, or the APIGroupList of `/apis`. */
interface GroupLists {
  readonly versions?: readonly string[];
  readonly groups?: readonly Group[];
}

interface Group {
  readonly name: string;
  readonly versions: readonly GroupVersion[];
  readonly preferredVersion?: GroupVersion;
}

interface GroupVersion {
  readonly groupVersion: string;
  readonly version: string;
}

/** An APIResourceList: subresources stand beside their resources, as `pods/log`. */
interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/**
 * Discovery as servers told it before they could tell all at once: a list of groups, and a list for each version of each.
 * `ask`: reads the list of a version (`v1`, `apps/v1`); a version whose list cannot be read is left out, as its own server
 * may be away.
 */
export async function readGroups(
  told: unknown,
  ask: (groupVersion: string) => Promise<unknown>,
): Promise<readonly DiscoveredGroup[]> {
  const { versions = [], groups = [] } = told as GroupLists;
  const core: Group = { name: '', versions: versions.map((version) => ({ groupVersion: version, version })) };
  const asked = versions.length === 0 ? groups : [core];
  return Promise.all(
    asked.map(async (group) => {
      const ordered = group.versions.toSorted((a, b) => rankIn(group, a) - rankIn(group, b));
      const lists = await Promise.allSettled(ordered.map(async ({ groupVersion }) => ask(groupVersion)));
      const read = lists.flatMap((list, at) =>
        list.status === 'fulfilled'
          ? [{ version: ordered[at]?.version ?? '', resources: resourcesIn(list.value as ResourceList) }]
          : [],
      );
      return { metadata: { name: group.name }, versions: read };
    }),
  );
}

/** The preferred one first; the others as they came. */
function rankIn({ preferredVersion }: Group, one: GroupVersion): number {
  return one.version === preferredVersion?.version ? 0 : 1;
}

function resourcesIn({ resources = [] }: ResourceList): readonly DiscoveredResource[] {
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, ...rest }) => ({
      ...{ resource: name, responseKind: { kind }, scope: namespaced ? 'Namespaced' : 'Cluster', ...rest },
      subresources: resources
        .filter((one) => one.name.startsWith(`${name}/`))
        .map((one) => ({ subresource: one.name.slice(name.length + 1) })),
    }));
}
