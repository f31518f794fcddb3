import { resourceName, deepEqual } from '@binnacle/machinery';
import type { GroupResource } from '@binnacle/machinery';
import type { NamespaceCondition } from '@binnacle/api/core/v1';

/** What was found while a namespace's content is deleted. */
export interface Findings {
  readonly discoveryFailures: readonly { readonly groupVersion: string; readonly reason: string }[];
  readonly deletionFailures: readonly string[];
  readonly remaining: readonly { readonly resource: GroupResource; readonly count: number }[];
  /** Finalizer → how many objects it holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Row {
  readonly type: string;
  readonly ok: readonly [reason: string, message: string];
  readonly bad: string;
  /** Empty when all is well. */
  text(findings: Findings): string;
}

const ROWS: readonly Row[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    ok: ['ResourcesDiscovered', 'All resources successfully discovered'],
    bad: 'DiscoveryFailed',
    text: ({ discoveryFailures: failures }) =>
      list(
        `Discovery failed for some groups, ${failures.length} failing: unable to retrieve the complete list of server APIs: `,
        failures.map((one) => `${one.groupVersion}: ${one.reason}`),
      ),
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    ok: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    bad: 'GroupVersionParsingFailed',
    text: () => '',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    ok: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    bad: 'ContentDeletionFailed',
    text: ({ deletionFailures: failures }) =>
      list(`Failed to delete all resource types, ${failures.length} remaining: `, failures),
  },
  {
    type: 'NamespaceContentRemaining',
    ok: ['ContentRemoved', 'All content successfully removed'],
    bad: 'SomeResourcesRemain',
    text: ({ remaining }) =>
      list(
        'Some resources are remaining: ',
        remaining.map(({ resource, count }) => `${dotted(resource)} has ${count} resource instances`),
      ),
  },
  {
    type: 'NamespaceFinalizersRemaining',
    ok: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    bad: 'SomeFinalizersRemain',
    text: ({ finalizers }) =>
      list(
        'Some content in the namespace has finalizers remaining: ',
        [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`),
      ),
  },
];

/** The conditions that tell how the deletion goes; the very list from before when nothing changes. */
export function decideConditions(
  before: readonly NamespaceCondition[],
  findings: Findings,
  now: string,
): readonly NamespaceCondition[] {
  const after = [...before];
  for (const row of ROWS) {
    const text = row.text(findings);
    const fresh =
      text === ''
        ? { type: row.type, status: 'False' as const, reason: row.ok[0], message: row.ok[1] }
        : { type: row.type, status: 'True' as const, reason: row.bad, message: text };
    const at = after.findIndex((condition) => condition.type === row.type);
    const old = after[at];
    if (old === undefined) after.push({ ...fresh, lastTransitionTime: now });
    else if (old.status !== fresh.status) after[at] = { ...old, ...fresh, lastTransitionTime: now };
    else if (old.reason !== fresh.reason || old.message !== fresh.message) after[at] = { ...old, ...fresh };
  }
  return deepEqual(after, before) ? before : after;
}

function list(head: string, parts: readonly string[]): string {
  return parts.length === 0 ? '' : head + [...parts].sort((a, b) => (a < b ? -1 : 1)).join(', ');
}

/** Clients know the core group's resources with a trailing dot here. */
function dotted(resource: GroupResource): string {
  return resource.group === '' ? `${resource.resource}.` : resourceName(resource);
}
