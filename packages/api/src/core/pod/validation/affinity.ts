import { names } from '@binnacle/machinery';
import type { LabelSelector } from '@binnacle/machinery';
import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '../../../generated/core-v1.ts';
import { validateLabelName, validateLabelSelector } from '../../../validation/labels.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const OPERATOR = 'not a valid selector operator';
const WEIGHT = 'must be in the range 1-100';

export function validateAffinity(affinity: Affinity, path: FieldPath, report: Report): void {
  if (affinity.nodeAffinity) validateNodeAffinity(affinity.nodeAffinity, path.child('nodeAffinity'), report);
  if (affinity.podAffinity) validatePodAffinity(affinity.podAffinity, path.child('podAffinity'), report);
  if (affinity.podAntiAffinity) validatePodAffinity(affinity.podAntiAffinity, path.child('podAntiAffinity'), report);
}

function validateNodeAffinity(affinity: NodeAffinity, path: FieldPath, report: Report): void {
  if (affinity[REQUIRED]) validateNodeSelector(affinity[REQUIRED], path.child(REQUIRED), report);
  for (const [at, term] of (affinity[PREFERRED] ?? []).entries()) {
    const here = path.child(PREFERRED).index(at);
    if (term.weight <= 0 || term.weight > 100) report.invalid(here.child('weight'), term.weight, WEIGHT);
    // Values that no label can have are let pass here: a preference that never holds does no harm.
    validateNodeTerm({ term: term.preference, anyValues: true }, here.child('preference'), report);
  }
}

/** Alternatives of requirements on nodes. */
export function validateNodeSelector(selector: NodeSelector, path: FieldPath, report: Report): void {
  const terms = selector.nodeSelectorTerms ?? [];
  const here = path.child('nodeSelectorTerms');
  if (terms.length === 0) report.required(here, 'must have at least one node selector term');
  for (const [at, term] of terms.entries()) validateNodeTerm({ term, anyValues: false }, here.index(at), report);
}

interface TermRules {
  readonly term: NodeSelectorTerm;
  /** Values need not be possible values of labels. */
  readonly anyValues: boolean;
}

function validateNodeTerm(given: TermRules, path: FieldPath, report: Report): void {
  for (const [at, requirement] of (given.term.matchExpressions ?? []).entries()) {
    const here = path.child('matchExpressions').index(at);
    validateNodeRequirement(requirement, here, report);
    if (given.anyValues) continue;
    for (const [valueAt, value] of (requirement.values ?? []).entries()) {
      report.invalidEach(here.child('values').index(valueAt), value, names.labelValueErrors(value));
    }
  }
  for (const [at, requirement] of (given.term.matchFields ?? []).entries()) {
    validateFieldRequirement(requirement, path.child('matchFields').index(at), report);
  }
}

function validateNodeRequirement(requirement: NodeSelectorRequirement, path: FieldPath, report: Report): void {
  const count = requirement.values?.length ?? 0;
  const valuesPath = path.child('values');
  switch (requirement.operator) {
    case 'In':
    case 'NotIn':
      if (count === 0) report.required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (count > 0) {
        report.forbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
      break;
    case 'Gt':
    case 'Lt':
      if (count !== 1) report.required(valuesPath, "must be specified single value when `operator` is 'Lt' or 'Gt'");
      break;
    default:
      report.invalid(path.child('operator'), requirement.operator, OPERATOR);
  }
  validateLabelName(requirement.key, path.child('key'), report);
}

function validateFieldRequirement(requirement: NodeSelectorRequirement, path: FieldPath, report: Report): void {
  const { key, operator } = requirement;
  const values = requirement.values ?? [];
  if (operator !== 'In' && operator !== 'NotIn') report.invalid(path.child('operator'), operator, OPERATOR);
  else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    report.required(path.child('values'), detail);
  }
  if (key !== 'metadata.name') return report.invalid(path.child('key'), key, 'not a valid field selector key');
  for (const [at, value] of values.entries()) {
    report.invalidEach(path.child('values').index(at), value, names.subdomainErrors(value));
  }
  return undefined;
}

/** Affinity and anti-affinity to pods have one shape. */
function validatePodAffinity(affinity: PodAffinity, path: FieldPath, report: Report): void {
  for (const [at, term] of (affinity[REQUIRED] ?? []).entries()) {
    validatePodTerm(term, path.child(REQUIRED).index(at), report);
  }
  for (const [at, weighted] of (affinity[PREFERRED] ?? []).entries()) {
    const here = path.child(PREFERRED).index(at);
    if (weighted.weight <= 0 || weighted.weight > 100) report.invalid(here.child('weight'), weighted.weight, WEIGHT);
    validatePodTerm(weighted.podAffinityTerm, here.child('podAffinityTerm'), report);
  }
}

function validatePodTerm(term: PodAffinityTerm, path: FieldPath, report: Report): void {
  validateLabelSelector(term.labelSelector, path.child('labelSelector'), report);
  validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector'), report);
  for (const namespace of term.namespaces ?? []) {
    report.invalidEach(path.child('namespace'), namespace, names.dnsLabelErrors(namespace));
  }
  validateLabelKeys({ keys: term.matchLabelKeys, selector: term.labelSelector }, path.child('matchLabelKeys'), report);
  const mismatch = { keys: term.mismatchLabelKeys, selector: term.labelSelector };
  validateLabelKeys(mismatch, path.child('mismatchLabelKeys'), report);
  const mismatched = new Set(term.mismatchLabelKeys);
  for (const [at, key] of (term.matchLabelKeys ?? []).entries()) {
    if (!mismatched.has(key)) continue;
    report.invalid(path.child('matchLabelKeys').index(at), key, 'exists in both matchLabelKeys and mismatchLabelKeys');
  }
  if (!term.topologyKey) report.required(path.child('topologyKey'), 'can not be empty');
  validateLabelName(term.topologyKey, path.child('topologyKey'), report);
}

interface LabelKeys {
  readonly keys: readonly string[] | undefined;
  readonly selector: LabelSelector | undefined;
}

function validateLabelKeys(given: LabelKeys, path: FieldPath, report: Report): void {
  const keys = given.keys ?? [];
  if (keys.length === 0) return;
  if (!given.selector) return report.forbidden(path, 'must not be specified when labelSelector is not set');
  for (const [at, key] of keys.entries()) validateLabelName(key, path.index(at), report);
  return undefined;
}
