import type { FieldError } from '@binnacle/machinery';
import type { ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../../generated/core-v1.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateQuantity } from '../pod/validation/resources.ts';
import { isStandardQuotaResource, quotaResourceNameErrors } from '../resource-names.ts';

const SPEC = fieldPath('spec');
const STATUS = fieldPath('status');
const SCOPES = SPEC.child('scopes');
const PODS = ['pods', 'cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];
const CLAIMS = ['persistentvolumeclaims', 'requests.storage'];

/** The resources that a quota with the scope may count, by scope. */
const COUNTED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    Terminating: PODS,
    NotTerminating: PODS,
    BestEffort: ['pods'],
    NotBestEffort: PODS,
    PriorityClass: PODS,
    CrossNamespacePodAffinity: PODS,
    VolumeAttributesClass: CLAIMS,
  }),
);
const WITHOUT_VALUES = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];
const CONTRADICTIONS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

export function validateResourceQuota({ spec, status }: ResourceQuota): FieldError[] {
  const report = new Report();
  validateSpec(spec ?? {}, report);
  validateAmounts(status?.hard, STATUS.child('hard'), report);
  validateAmounts(status?.used, STATUS.child('used'), report);
  return report.errors;
}

/** What is counted may change, but not of which pods. */
export function validateResourceQuotaUpdate({ spec }: ResourceQuota, before: ResourceQuota): FieldError[] {
  const report = new Report();
  validateSpec(spec ?? {}, report);
  const scopes = new Set<string>(spec?.scopes);
  const old = new Set<string>(before.spec?.scopes);
  const isSame = scopes.size === old.size && [...scopes].every((scope) => old.has(scope));
  report.immutable(SCOPES, spec?.scopes ?? null, isSame);
  return report.errors;
}

export function validateResourceQuotaStatusUpdate({ status }: ResourceQuota): FieldError[] {
  const report = new Report();
  validateAmounts(status?.hard, STATUS.child('hard'), report);
  validateAmounts(status?.used, STATUS.child('used'), report);
  return report.errors;
}

function validateSpec(spec: ResourceQuotaSpec, report: Report): void {
  validateAmounts(spec.hard, SPEC.child('hard'), report);
  const standard = Object.keys(spec.hard ?? {}).filter((name) => isStandardQuotaResource(name));
  for (const scope of new Set(spec.scopes)) {
    if (!COUNTED.has(scope)) report.invalid(SCOPES, spec.scopes, 'unsupported scope');
    for (const _ of uncounted(standard, scope)) {
      report.invalid(SCOPES, spec.scopes, 'unsupported scope applied to resource');
    }
  }
  if (contradicts(spec.scopes ?? [])) report.invalid(SCOPES, spec.scopes, 'conflicting scopes');
  if (spec.scopeSelector) validateSelector(spec, SPEC.child('scopeSelector').child('matchExpressions'), report);
}

function validateAmounts(
  amounts: { readonly [name: string]: string } | undefined,
  path: FieldPath,
  report: Report,
): void {
  for (const [name, amount] of Object.entries(amounts ?? {})) {
    report.invalidEach(path.key(name), name, quotaResourceNameErrors(name));
    validateQuantity({ name, amount }, path, report);
  }
}

/** Standard resources of the quota (there are few) that the scope says nothing about. */
function uncounted(standard: readonly string[], scope: string): readonly string[] {
  const counted = COUNTED.get(scope);
  if (counted === undefined) return [];
  return standard.filter((name) => !counted.includes(name));
}

function contradicts(scopes: readonly string[]): boolean {
  return CONTRADICTIONS.some((pair) => pair.every((scope) => scopes.includes(scope)));
}

function validateSelector(spec: ResourceQuotaSpec, path: FieldPath, report: Report): void {
  const requirements = spec.scopeSelector?.matchExpressions ?? [];
  const standard = Object.keys(spec.hard ?? {}).filter((name) => isStandardQuotaResource(name));
  const seen = new Set<string>();
  for (const requirement of requirements) {
    const scope = requirement.scopeName;
    if (!COUNTED.has(scope)) report.invalid(path.child('scopeName'), scope, 'unsupported scope');
    const isFirst = !seen.has(scope);
    seen.add(scope);
    for (const _ of isFirst ? uncounted(standard, scope) : []) {
      report.invalid(path, spec.scopeSelector, 'unsupported scope applied to resource');
    }
    validateRequirement(requirement, path, report);
  }
  if (!contradicts(requirements.map(({ scopeName }) => scopeName))) return;
  report.invalid(path, spec.scopes ?? null, 'conflicting scopes');
}

function validateRequirement(given: ScopedResourceSelectorRequirement, path: FieldPath, report: Report): void {
  const { scopeName, operator, values = [] } = given;
  if (WITHOUT_VALUES.includes(scopeName) && operator !== 'Exists') {
    const detail =
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
    report.invalid(path.child('operator'), operator, detail);
  }
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length > 0) return;
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    report.required(path.child('values'), detail);
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length === 0) return;
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    report.invalid(path.child('values'), values, detail);
  } else report.invalid(path.child('operator'), operator, 'not a valid selector operator');
}
