import { messageOf } from '@binnacle/base';
import type { CallContext } from '@binnacle/base';
import type { GroupVersionResource, Wire } from '@binnacle/machinery';
import { groupVersion, parseGroupVersion, readText } from '@binnacle/machinery';
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

/** In this form two answers say it all; else there is one for each group version. */
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** What a group version serves, or why nobody knows. */
type VersionResources = readonly DiscoveredResource[] | { readonly groupVersion: string; readonly reason: string };

/** Asks the server what it serves. New kinds come and go at run time, so nobody has a list of them. */
export async function discoverResources(wire: Wire, context: CallContext = {}): Promise<Discovery> {
  const accept = `${AGGREGATED}, application/json`;
  const roots = await Promise.all(['/api', '/apis'].map((path) => readText(wire, path, { ...context, accept })));
  const [core, groups] = roots.map((text) => recordOf(JSON.parse(text), 'the list of groups'));
  const isAggregated = [core, groups].every((root) => root?.['kind'] === 'APIGroupDiscoveryList');
  const found = isAggregated
    ? [core, groups].flatMap((root) => listOf(root?.['items'], 'items').flatMap(readGroup))
    : await askEach(wire, versionsOf(groups as GroupList), context);
  const byName = new Map<string, DiscoveredResource>();
  for (const resource of found.flatMap((one) => ('reason' in one ? [] : one))) {
    const key = `${resource.group}/${resource.resource}`;
    if (!byName.has(key)) byName.set(key, resource);
  }
  return { resources: [...byName.values()], failures: found.flatMap((one) => ('reason' in one ? [one] : [])) };
}

/** What a group of the aggregated form serves; its preferred version comes first. */
function readGroup(value: unknown, at: number): readonly VersionResources[] {
  const group = recordOf(value, `items[${at}]`);
  const { name = '' } = recordOf(group['metadata'] ?? {}, `metadata of items[${at}]`);
  if (typeof name !== 'string') throw new DiscoveryError(`the name of items[${at}] is no text`);
  return listOf(group['versions'], `versions of items[${at}]`).map((one, index): VersionResources => {
    const told = recordOf(one, `versions[${index}] of items[${at}]`);
    const version = String(told['version']);
    const place = { group: name, version };
    return readOrSayWhy(groupVersion(place), () => {
      if (told['freshness'] === 'Stale') throw new DiscoveryError('its server does not answer');
      return listOf(told['resources'], 'its resources').map((resource, i) => ({
        ...place,
        ...readAggregated(resource, `resources[${i}]`),
      }));
    });
  });
}

function readAggregated(value: unknown, what: string): ResourceParts {
  const { resource, responseKind, scope, verbs } = recordOf(value, what);
  const { kind } = recordOf(responseKind ?? {}, `responseKind of ${what}`);
  if (scope !== 'Namespaced' && scope !== 'Cluster') throw new DiscoveryError(`${what} has no scope`);
  return checked({ resource, kind, namespaced: scope === 'Namespaced', verbs: verbs ?? [] }, what);
}

interface GroupList {
  readonly groups?: readonly {
    readonly versions?: readonly { readonly groupVersion: string }[];
    readonly preferredVersion?: { readonly groupVersion: string };
  }[];
}

/** Of servers that are older than the aggregated form. */
function askEach(wire: Wire, versions: readonly string[], context: CallContext): Promise<VersionResources[]> {
  return Promise.all(
    versions.map(async (version) => {
      const path = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
      try {
        const text = await readText(wire, path, context);
        return readOrSayWhy(version, () => readResources(version, text));
      } catch (error) {
        return { groupVersion: version, reason: messageOf(error) };
      }
    }),
  );
}

/** Others than this server serve some of them: one that says nonsense spoils none but its own. */
function readOrSayWhy(version: string, read: () => readonly DiscoveredResource[]): VersionResources {
  try {
    return read();
  } catch (error) {
    return { groupVersion: version, reason: messageOf(error) };
  }
}

/** The resources of a group version, without their subresources. Throws DiscoveryError for what is no list of them. */
function readResources(version: string, text: string): readonly DiscoveredResource[] {
  const place = parseGroupVersion(version);
  return listOf(recordOf(JSON.parse(text), 'it')['resources'], 'its resources').flatMap((one, at) => {
    const { name, kind, namespaced = false, verbs } = recordOf(one, `resources[${at}]`);
    const found = checked({ resource: name, kind, namespaced, verbs: verbs ?? [] }, `resources[${at}]`);
    return found.resource.includes('/') ? [] : [{ ...place, ...found }];
  });
}

type ResourceParts = Omit<DiscoveredResource, 'group' | 'version'>;

function checked(
  { resource, kind, namespaced, verbs }: { readonly [part in keyof ResourceParts]: unknown },
  what: string,
): ResourceParts {
  if (typeof resource !== 'string' || typeof kind !== 'string' || typeof namespaced !== 'boolean')
    throw new DiscoveryError(`${what} lacks a name, a kind or whether it is namespaced`);
  if (!Array.isArray(verbs) || !verbs.every((verb) => typeof verb === 'string'))
    throw new DiscoveryError(`the verbs of ${what} are no texts`);
  return { resource, kind, namespaced, verbs };
}

/** What is left out is an empty list. */
function listOf(value: unknown, what: string): readonly unknown[] {
  if (value !== undefined && value !== null && !Array.isArray(value)) throw new DiscoveryError(`${what} are no list`);
  return value ?? [];
}

function recordOf(value: unknown, what: string): { readonly [member: string]: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new DiscoveryError(`${what} is no object`);
  return value as { readonly [member: string]: unknown };
}

/** The core's, then those of each group, its preferred one first. */
function versionsOf({ groups = [] }: GroupList): readonly string[] {
  const ofGroups = groups.flatMap(({ versions = [], preferredVersion }) => {
    const preferred = preferredVersion?.groupVersion;
    const all = versions.map((version) => version.groupVersion);
    return preferred === undefined ? all : [preferred, ...all.filter((version) => version !== preferred)];
  });
  return ['v1', ...ofGroups];
}
