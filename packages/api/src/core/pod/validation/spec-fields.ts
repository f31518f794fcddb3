import { names } from '@binnacle/machinery';
import type { PodSpec } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { containerResourceNameErrors } from '../../resource-names.ts';
import { validateAmounts } from './resources.ts';

// The single fields of a pod's spec.

const INT32_MAX = 2_147_483_647;
const RESTART = ['Always', 'OnFailure', 'Never'];
const DNS = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION = ['PreemptLowerPriority', 'Never'];

/** Choices and numbers. */
export function validateSpecPolicies(spec: PodSpec, path: FieldPath, report: Report): void {
  requireChoice({ value: spec.restartPolicy, supported: RESTART }, path.child('restartPolicy'), report);
  requireChoice({ value: spec.dnsPolicy, supported: DNS }, path.child('dnsPolicy'), report);
  if (spec.preemptionPolicy !== undefined) {
    requireChoice({ value: spec.preemptionPolicy, supported: PREEMPTION }, path.child('preemptionPolicy'), report);
  }
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined && deadline !== null && (deadline < 1 || deadline > INT32_MAX)) {
    report.invalid(path.child('activeDeadlineSeconds'), deadline, names.inclusiveRangeError(1, INT32_MAX));
  }
  if (spec.overhead) {
    const overhead = { limits: spec.overhead };
    validateAmounts(overhead, path.child('overhead'), { report, nameErrors: containerResourceNameErrors });
  }
}

interface Choice {
  readonly value: string | undefined;
  readonly supported: readonly string[];
}

function requireChoice(choice: Choice, path: FieldPath, report: Report): void {
  if (!choice.value) report.required(path);
  else if (!choice.supported.includes(choice.value)) report.unsupported(path, choice.value, choice.supported);
}

/** Names of other objects, of the host and of its domain. */
export function validateSpecNames(spec: PodSpec, path: FieldPath, report: Report): void {
  for (const field of ['serviceAccountName', 'nodeName', 'priorityClassName', 'runtimeClassName'] as const) {
    const name = spec[field];
    if (!name && (field !== 'runtimeClassName' || name === undefined || name === null)) continue;
    const errors = names.subdomainErrors(name ?? '');
    if (errors.length > 0) report.invalidEach(path.child(field), name, errors);
  }
  for (const field of ['hostname', 'subdomain'] as const) {
    const name = spec[field];
    if (name) report.invalidEach(path.child(field), name, names.dnsLabelErrors(name));
  }
  if (spec.hostnameOverride !== undefined) validateHostnameOverride(spec, path, report);
}

const HOSTNAME_LENGTH_MAX = 64;

function validateHostnameOverride(spec: PodSpec, path: FieldPath, report: Report): void {
  const name = spec.hostnameOverride ?? '';
  const here = path.child('hostnameOverride');
  report.invalidEach(here, name, names.subdomainErrors(name));
  if (name.length > HOSTNAME_LENGTH_MAX) report.tooLong(here, HOSTNAME_LENGTH_MAX);
  if (spec.hostNetwork) report.forbidden(here, 'may not be specified when hostNetwork is true');
  if (spec.setHostnameAsFQDN) report.forbidden(here, 'may not be specified when setHostnameAsFQDN is true');
}
