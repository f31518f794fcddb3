import { messageOf } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import type { GroupVersionResource, Wire } from '@binnacle/machinery';
import { parseGroupVersion, readText } from '@binnacle/machinery';
import { DiscoveryError } from './errors.ts';

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

/** Asks the server what it serves. New kinds come and go at run time, so nobody has a list of them. */
export async function discoverResources(wire: Wire, context?: CallContext): Promise<Discovery> {
  const groups = JSON.parse(await readText(wire, '/apis', context)) as GroupList;
  const versions = ['v1', ...(groups.groups ?? []).flatMap(versionsOf)];
  const failures: { groupVersion: string; reason: string }[] = [];
  const lists = await Promise.all(
    versions.map(async (groupVersion) => {
      try {
        const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
        return readResources(groupVersion, await readText(wire, path, context));
      } catch (error) {
        failures.push({ groupVersion, reason: messageOf(error) });
        return [];
      }
    }),
  );
  const byName = new Map<string, DiscoveredResource>();
  for (const resource of lists.flat()) {
    const key = `${resource.group}/${resource.resource}`;
    if (!byName.has(key)) byName.set(key, resource);
  }
  return { resources: [...byName.values()], failures };
}

/**
 * The resources of a group version, without their subresources. Others than this server serve some of them: throws
 * DiscoveryError for what is no list of resources, so that one that says nonsense spoils none but its own.
 */
function readResources(groupVersion: string, text: string): readonly DiscoveredResource[] {
  const resources = recordOf(JSON.parse(text), 'it')['resources'] ?? [];
  if (!Array.isArray(resources)) throw new DiscoveryError('its resources are no list');
  const { group, version } = parseGroupVersion(groupVersion);
  return resources
    .map(readResource)
    .flatMap(({ name, ...rest }) => (name.includes('/') ? [] : [{ group, version, resource: name, ...rest }]));
}

type ResourceParts = Pick<DiscoveredResource, 'kind' | 'namespaced' | 'verbs'> & { readonly name: string };

function readResource(resource: unknown, at: number): ResourceParts {
  const { name, kind, namespaced = false, verbs: told } = recordOf(resource, `resources[${at}]`);
  const verbs = told ?? [];
  if (typeof name !== 'string' || typeof kind !== 'string' || typeof namespaced !== 'boolean')
    throw new DiscoveryError(`resources[${at}] lacks a name, a kind or whether it is namespaced`);
  if (!Array.isArray(verbs) || !verbs.every((verb) => typeof verb === 'string'))
    throw new DiscoveryError(`the verbs of resources[${at}] are no texts`);
  return { name, kind, namespaced, verbs };
}

function recordOf(value: unknown, what: string): { readonly [member: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DiscoveryError(`${what} is no object`);
  return value as { readonly [member: string]: unknown };
}

/** Preferred version first. */
function versionsOf(group: NonNullable<GroupList['groups']>[number]): readonly string[] {
  const preferred = group.preferredVersion?.groupVersion;
  const all = (group.versions ?? []).map((version) => version.groupVersion);
  return preferred === undefined ? all : [preferred, ...all.filter((version) => version !== preferred)];
}
