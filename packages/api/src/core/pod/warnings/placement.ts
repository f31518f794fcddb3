import type { PodAffinityTerm, PodSpec } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Warnings } from '../../../validation/warnings.ts';
import {
  deprecationOfNodeLabel,
  warnOfLabelValues,
  warnOfNodeLabels,
  warnOfRequirements,
} from '../../node/deprecated-labels.ts';

const NO_SELECTOR = 'a null labelSelector results in matching no pod';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Of where a pod wants to run; `path` is the spec's. */
export function warnOfPlacement(spec: PodSpec, path: FieldPath, warnings: Warnings): void {
  if (spec.nodeSelector) warnOfNodeLabels(spec.nodeSelector, path.child('nodeSelector'), warnings);
  if (spec.affinity) warnOfAffinity(spec.affinity, path.child('affinity'), warnings);
  for (const [at, constraint] of (spec.topologySpreadConstraints ?? []).entries()) {
    const here = path.child('topologySpreadConstraints').index(at);
    const { topologyKey, labelSelector } = constraint;
    const deprecation = deprecationOfNodeLabel(topologyKey);
    if (deprecation !== undefined) warnings.add(here.child('topologyKey'), `${topologyKey} is ${deprecation}`);
    if (!labelSelector) warnings.add(here.child('labelSelector'), NO_SELECTOR);
  }
}

type Affinity = NonNullable<PodSpec['affinity']>;

function warnOfAffinity(affinity: Affinity, path: FieldPath, warnings: Warnings): void {
  const { nodeAffinity } = affinity;
  const nodePath = path.child('nodeAffinity');
  for (const [at, term] of (nodeAffinity?.[REQUIRED]?.nodeSelectorTerms ?? []).entries()) {
    const here = nodePath.child(REQUIRED).child('nodeSelectorTerms').index(at);
    warnOfRequirements(term.matchExpressions, here.child('matchExpressions'), warnings);
  }
  for (const [at, { preference }] of (nodeAffinity?.[PREFERRED] ?? []).entries()) {
    const here = nodePath.child(PREFERRED).index(at).child('preference');
    warnOfRequirements(preference.matchExpressions, here.child('matchExpressions'), warnings);
    warnOfLabelValues(preference, here, warnings);
  }
  for (const side of ['podAffinity', 'podAntiAffinity'] as const) {
    const terms = affinity[side];
    for (const [at, term] of (terms?.[REQUIRED] ?? []).entries()) {
      warnOfTerm(term, path.child(side).child(REQUIRED).index(at), warnings);
    }
    for (const [at, { podAffinityTerm }] of (terms?.[PREFERRED] ?? []).entries()) {
      warnOfTerm(podAffinityTerm, path.child(side).child(PREFERRED).index(at).child('podAffinityTerm'), warnings);
    }
  }
}

function warnOfTerm(term: PodAffinityTerm, path: FieldPath, warnings: Warnings): void {
  if (!term.labelSelector) warnings.add(path.child('labelSelector'), NO_SELECTOR);
}
