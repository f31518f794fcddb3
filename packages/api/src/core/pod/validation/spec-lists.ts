import { names } from '@binnacle/machinery';
import type { PodSpec } from '../../../generated/core-v1.ts';
import { validateIp } from '../../../validation/address.ts';
import { validateLabels } from '../../../validation/labels.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { validateSpread, validateTolerations } from './placement.ts';
import type { PodScope } from './scope.ts';

// The lists of a pod's spec that are neither containers nor volumes.

/** Gates that hold a pod back, from being ready and from being scheduled. */
export function validateGates(spec: PodSpec, path: FieldPath, report: Report): void {
  for (const [at, gate] of (spec.readinessGates ?? []).entries()) {
    const here = path.child('readinessGates').index(at).child('conditionType');
    report.invalidEach(here, gate.conditionType, names.qualifiedNameErrors(gate.conditionType));
  }
  if (!spec.schedulingGates) return;
  const seen = new Set<string>();
  for (const [at, gate] of spec.schedulingGates.entries()) {
    const here = path.child('schedulingGates').index(at);
    report.invalidEach(here, gate.name, names.qualifiedNameErrors(gate.name));
    if (seen.has(gate.name)) report.duplicate(here, gate.name);
    seen.add(gate.name);
  }
}

/** Where it may run, and what its hosts file says. */
export function validatePlacement(spec: PodSpec, path: FieldPath, report: Report): void {
  const { topologySpreadConstraints: spread, tolerations, hostAliases, nodeSelector } = spec;
  if (nodeSelector) validateLabels(nodeSelector, path.child('nodeSelector'), report);
  if (spread) validateSpread(spread, path.child('topologySpreadConstraints'), report);
  if (tolerations) validateTolerations(tolerations, path.child('tolerations'), report);
  for (const [at, alias] of (hostAliases ?? []).entries()) {
    const here = path.child('hostAliases').index(at);
    validateIp(alias.ip, here.child('ip'), report);
    for (const [nameAt, name] of (alias.hostnames ?? []).entries()) {
      report.invalidEach(here.child('hostnames').index(nameAt), name, names.subdomainErrors(name));
    }
  }
}

/** A user namespace of its own does not go with namespaces of the host. */
export function validateHostUsers(spec: PodSpec, path: FieldPath, report: Report): void {
  if (spec.hostUsers !== false) return;
  const detail = 'when `hostUsers` is false';
  if (spec.hostNetwork) report.forbidden(path.child('hostNetwork'), detail);
  if (spec.hostPID) report.forbidden(path.child('HostPID'), detail);
  if (spec.hostIPC) report.forbidden(path.child('HostIPC'), detail);
}

/** Devices that are claimed by name or by template. */
export function validateResourceClaims(path: FieldPath, scope: PodScope): void {
  const { report } = scope;
  const seen = new Set<string>();
  for (const [at, claim] of (scope.spec.resourceClaims ?? []).entries()) {
    const here = path.index(at);
    const { name, resourceClaimName: claimName, resourceClaimTemplateName: templateName } = claim;
    if (!name) report.required(here.child('name'));
    else if (seen.has(name)) report.duplicate(here.child('name'), name);
    else report.invalidEach(here.child('name'), name, names.dnsLabelErrors(name));
    seen.add(name);
    if (claimName !== undefined && templateName !== undefined) {
      const detail = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
      report.invalid(here, claim, detail);
    } else if (claimName === undefined && templateName === undefined) {
      report.invalid(here, claim, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`');
    }
    for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
      const value = claim[field];
      if (value !== undefined) report.invalidEach(here.child(field), value, names.subdomainErrors(value));
    }
  }
}
