import { messageOf } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import type { GroupVersionResource, Wire } from '@binnacle/machinery';
import { parseGroupVersion, readText } from '@binnacle/machinery';

/** A resource as discovery tells it. */
export interface DiscoveredResource extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

export interface Discovery {
  /** Each resource once, under its group's preferred version where that has it. */
  readonly resources: readonly DiscoveredResource[];
  /** Group versions that did not answer (an API service that is down), with the reason. */
  readonly failures: readonly { readonly groupVersion: string; readonly reason: string }[];
}

interface GroupList {
  readonly groups?: readonly {
    readonly versions?: readonly { readonly groupVersion: string }[];
    readonly preferredVersion?: { readonly groupVersion: string };
  }[];
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced?: boolean;
    readonly verbs?: readonly string[] | null;
  }[];
}

/** Asks the server what it serves. New kinds come and go at run time, so nobody has a list of them. */
export async function discoverResources(wire: Wire, context?: CallContext): Promise<Discovery> {
  const groups = JSON.parse(await readText(wire, '/apis', context)) as GroupList;
  const versions = ['v1', ...(groups.groups ?? []).flatMap(versionsOf)];
  const failures: { groupVersion: string; reason: string }[] = [];
  const lists = await Promise.all(
    versions.map(async (groupVersion) => {
      try {
        const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
        return { groupVersion, list: JSON.parse(await readText(wire, path, context)) as ResourceList };
      } catch (error) {
        failures.push({ groupVersion, reason: messageOf(error) });
        return { groupVersion, list: {} };
      }
    }),
  );
  const byName = new Map<string, DiscoveredResource>();
  for (const { groupVersion, list } of lists) {
    const { group, version } = parseGroupVersion(groupVersion);
    for (const { name, kind, namespaced = false, verbs } of list.resources ?? []) {
      const key = `${group}/${name}`;
      if (name.includes('/') || byName.has(key)) continue;
      byName.set(key, { group, version, resource: name, kind, namespaced, verbs: verbs ?? [] });
    }
  }
  return { resources: [...byName.values()], failures };
}

/** Preferred version first. */
function versionsOf(group: NonNullable<GroupList['groups']>[number]): readonly string[] {
  const preferred = group.preferredVersion?.groupVersion;
  const all = (group.versions ?? []).map((version) => version.groupVersion);
  return preferred === undefined ? all : [preferred, ...all.filter((version) => version !== preferred)];
}
