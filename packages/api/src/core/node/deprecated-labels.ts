import { names } from '@binnacle/machinery';
import type { NodeSelectorTerm } from '../../generated/core-v1.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Warnings } from '../../validation/warnings.ts';

/** Labels of nodes that were given up, and what upstream says of each. */
const DEPRECATED: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', instead('deprecated since v1.14; ', 'kubernetes.io/arch')],
  ['beta.kubernetes.io/os', instead('deprecated since v1.14; ', 'kubernetes.io/os')],
  ['failure-domain.beta.kubernetes.io/region', instead('deprecated since v1.17; ', 'topology.kubernetes.io/region')],
  ['failure-domain.beta.kubernetes.io/zone', instead('deprecated since v1.17; ', 'topology.kubernetes.io/zone')],
  ['beta.kubernetes.io/instance-type', instead('deprecated since v1.17; ', 'node.kubernetes.io/instance-type')],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  ['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
  ['node-role.kubernetes.io/master', instead('', 'node-role.kubernetes.io/control-plane')],
]);

function instead(since: string, label: string): string {
  return `${since}use "${label}" instead`;
}

/** What to say of a label of nodes; undefined for one that is in use. */
export function deprecationOfNodeLabel(label: string): string | undefined {
  return DEPRECATED.get(label);
}

/** Of labels by their keys, told at `path[key]`. */
export function warnOfNodeLabels(labels: object, path: FieldPath, warnings: Warnings): void {
  for (const label of Object.keys(labels)) {
    const deprecation = DEPRECATED.get(label);
    if (deprecation !== undefined) warnings.add(path.key(label), deprecation);
  }
}

interface Requirement {
  readonly key: string;
}

/** Of the keys of requirements, told at `path[i].key`. */
export function warnOfRequirements(
  requirements: readonly Requirement[] | undefined,
  path: FieldPath,
  warnings: Warnings,
): void {
  for (const [at, { key }] of (requirements ?? []).entries()) {
    const deprecation = DEPRECATED.get(key);
    if (deprecation !== undefined) warnings.add(path.index(at).child('key'), `${key} is ${deprecation}`);
  }
}

/** Of values that no label can have: such a requirement fits no node. */
export function warnOfLabelValues(term: NodeSelectorTerm, path: FieldPath, warnings: Warnings): void {
  for (const [at, { values }] of (term.matchExpressions ?? []).entries()) {
    for (const [nth, value] of (values ?? []).entries()) {
      for (const error of names.labelValueErrors(value)) {
        warnings.add(
          path.child('matchExpressions').index(at).child('values').index(nth),
          `${value} is invalid, ${error}`,
        );
      }
    }
  }
}
