import type { FigureMeasures } from '@binnacle/base';
import type { ResourceClaim } from '@binnacle/api/resource/v1';

/** For which of its pod's claims one was made. */
export const FOR_CLAIM = 'resource.kubernetes.io/pod-claim-name';
/** Made by a scheduler for extended resources of a pod. */
const EXTENDED = 'resource.kubernetes.io/extended-resource-claim';

/** Keeps score of claims that are made (pkg/controller/resourceclaim/metrics). */
export function creationFigures(figures: FigureMeasures): (of: Pick<ResourceClaim, 'spec'>, failed: boolean) => void {
  const made = figures.counter({
    name: 'resourceclaim_controller_creates_total',
    help: 'Claims that were to be made, and whether they were.',
    labels: ['status', 'admin_access'],
  });
  return (of, failed) => made.add([failed ? 'failure' : 'success', adminLabel(of)]);
}

/** Counts all claims whenever somebody asks. Answers how to end that. */
export function showClaims(figures: FigureMeasures, list: () => readonly ResourceClaim[]): () => void {
  const gauge = figures.gauge({
    name: 'resourceclaim_controller_resource_claims',
    help: 'Claims, by whether they have their devices, whether as an administrator, and what they were made from.',
    labels: ['allocated', 'admin_access', 'source'],
  });
  return figures.beforeShown(() => {
    gauge.clear();
    for (const [, { values, count }] of countClaims(list())) gauge.set(values, count);
  });
}

/** How many claims there are of each sort. */
export function countClaims(
  claims: readonly ResourceClaim[],
): ReadonlyMap<string, { readonly values: readonly string[]; readonly count: number }> {
  const sorts = new Map<string, { readonly values: readonly string[]; readonly count: number }>();
  for (const claim of claims) {
    const values = [`${claim.status?.allocation !== undefined}`, adminLabel(claim), sourceOf(claim)];
    const key = values.join(' ');
    sorts.set(key, { values, count: (sorts.get(key)?.count ?? 0) + 1 });
  }
  return sorts;
}

function adminLabel({ spec }: Pick<ResourceClaim, 'spec'>): string {
  return `${(spec.devices?.requests ?? []).some(({ exactly }) => exactly?.adminAccess === true)}`;
}

function sourceOf({ metadata: { annotations = {} } }: ResourceClaim): string {
  if (annotations[EXTENDED] === 'true') return 'extended_resource';
  return (annotations[FOR_CLAIM] ?? '') === '' ? '' : 'resource_claim_template';
}
