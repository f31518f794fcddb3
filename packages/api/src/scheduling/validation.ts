import type { FieldError } from '@binnacle/machinery';
import type { PriorityClass } from '../generated/scheduling-v1.ts';
import { fieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';
import * as wellknown from '../wellknown.ts';

const SYSTEM_PREFIX = 'system-';
const SYSTEM_VALUES: { readonly [name: string]: number } = {
  [wellknown.PRIORITY_SYSTEM_CLUSTER_CRITICAL]: wellknown.PRIORITY_SYSTEM_CRITICAL,
  [wellknown.PRIORITY_SYSTEM_NODE_CRITICAL]: wellknown.PRIORITY_SYSTEM_CRITICAL + 1_000,
};
const POLICIES = ['Never', 'PreemptLowerPriority'];

export function validatePriorityClass(given: PriorityClass): FieldError[] {
  const report = new Report();
  const { metadata, value, preemptionPolicy: policy } = given;
  if (metadata.name?.startsWith(SYSTEM_PREFIX)) {
    const why = systemError(given);
    if (why !== undefined) {
      const detail = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${why}`;
      report.forbidden(fieldPath('metadata', 'name'), detail);
    }
  } else if (value > wellknown.PRIORITY_HIGHEST_USER) {
    report.forbidden(
      fieldPath('value'),
      `maximum allowed value of a user defined priority is ${wellknown.PRIORITY_HIGHEST_USER}`,
    );
  }
  const path = fieldPath('preemptionPolicy');
  if (policy === undefined) return report.errors;
  if (!policy) report.required(path);
  else if (!POLICIES.includes(policy)) report.unsupported(path, policy, ['PreemptLowerPriority', 'Never']);
  return report.errors;
}

/** Pods keep the number that they got: it stays. */
export function validatePriorityClassUpdate(given: PriorityClass, before: PriorityClass): FieldError[] {
  const report = new Report();
  if (given.value !== before.value) report.forbidden(fieldPath('value'), 'may not be changed in an update.');
  const policy = given.preemptionPolicy;
  report.immutable(fieldPath('preemptionPolicy'), policy ?? null, policy === before.preemptionPolicy);
  return report.errors;
}

/** Only the two classes of the system itself may have such a name, and only as they are. */
function systemError({ metadata, value, globalDefault }: PriorityClass): string | undefined {
  const name = metadata.name ?? '';
  const wanted = SYSTEM_VALUES[name];
  if (wanted === undefined) return `${name} is not a known system priority class`;
  if (value !== wanted) return `value of ${name} PriorityClass must be ${wanted}`;
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
