import type { QuotaEvaluators } from '@binnacle/api';

/** A kind of objects, without its version. */
export interface CountedKind {
  readonly group: string;
  readonly resource: string;
}

/** Kinds that count towards more than their number: whole objects are looked at. */
export const WEIGHED = [
  { group: '', resource: 'pods' },
  { group: '', resource: 'services' },
  { group: '', resource: 'persistentvolumeclaims' },
  { group: 'resource.k8s.io', resource: 'resourceclaims' },
] as const satisfies readonly CountedKind[];

const COUNT = 'count/';

/** The kinds whose objects count towards one of these names at least; some of them may not be served. */
export function countedKinds(names: readonly string[], evaluatorOf: QuotaEvaluators): readonly CountedKind[] {
  const kinds = new Map<string, CountedKind>();
  const candidates = [...WEIGHED, ...names.map(kindOfName)];
  for (const kind of candidates) {
    const evaluator = evaluatorOf(kind);
    if (evaluator !== undefined && names.some((name) => evaluator.counts(name))) kinds.set(kindKey(kind), kind);
  }
  return [...kinds.values()];
}

/** `pods`, `deployments.apps`. */
export function kindKey({ group, resource }: CountedKind): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** `count/deployments.apps` counts Deployments; some kinds are counted by their plain name. */
function kindOfName(name: string): CountedKind {
  const [resource = '', ...group] = (name.startsWith(COUNT) ? name.slice(COUNT.length) : name).split('.');
  return { resource, group: group.join('.') };
}
