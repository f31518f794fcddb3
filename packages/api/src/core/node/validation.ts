import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { Node, Taint } from '../../generated/core-v1.ts';
import { cidrFamily, validateCidr } from '../../validation/address.ts';
import { validateLabelName } from '../../validation/labels.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateTaintEffect } from '../pod/validation/placement.ts';
import { validateQuantity } from '../pod/validation/resources.ts';

const SPEC = fieldPath('spec');
const STATUS = fieldPath('status');
// Upstream reports taints under the metadata.
const TAINTS = fieldPath('metadata', 'taints');

export function validateNode(node: Node): FieldError[] {
  const report = new Report();
  validateTaints(node.spec?.taints ?? [], TAINTS, report);
  validateResources(node, report);
  validatePodCidrs(node.spec?.podCIDRs ?? [], SPEC.child('podCIDRs'), report);
  return report.errors;
}

/** Ranges and provider id of a node stay once they are set. */
export function validateNodeUpdate(node: Node, before: Node): FieldError[] {
  const report = new Report();
  validateResources(node, report);
  validateAddresses(node, report);
  const cidrs = node.spec?.podCIDRs ?? [];
  const oldCidrs = before.spec?.podCIDRs ?? [];
  const cidrDetail = 'node updates may not change podCIDR except from "" to valid';
  if (oldCidrs.length > 0) {
    if (oldCidrs.length !== cidrs.length) report.forbidden(SPEC.child('podCIDRs'), cidrDetail);
    else {
      for (const [at, old] of oldCidrs.entries()) {
        if (old !== cidrs[at]) report.forbidden(SPEC.child('podCIDRs'), cidrDetail);
      }
    }
  }
  const provider = before.spec?.providerID;
  if (provider && provider !== node.spec?.providerID) {
    report.forbidden(SPEC.child('providerID'), 'node updates may not change providerID except from "" to valid');
  }
  validateTaints(node.spec?.taints ?? [], TAINTS, report);
  if ((node.spec?.externalID ?? '') !== (before.spec?.externalID ?? '')) {
    report.forbidden(SPEC.child('externalID'), 'may not be updated');
  }
  return report.errors;
}

function validateResources(node: Node, report: Report): void {
  for (const list of ['capacity', 'allocatable'] as const) {
    const amounts = node.status?.[list] ?? {};
    // Upstream's path has the resource as one more field, not as a key.
    const own = new Report();
    for (const name in amounts) validateQuantity({ name, amount: amounts[name] ?? '0' }, STATUS.child(list), own);
    for (const error of own.errors) {
      const name = error.field.slice(`status.${list}[`.length, -1);
      report.invalid(STATUS.child(list).child(name), error.value, error.detail);
    }
  }
}

function validateAddresses(node: Node, report: Report): void {
  const seen = new Set<string>();
  for (const [at, address] of (node.status?.addresses ?? []).entries()) {
    const key = `${address.type}/${address.address}`;
    if (seen.has(key)) report.duplicate(STATUS.child('addresses').index(at), address);
    seen.add(key);
  }
}

function validatePodCidrs(cidrs: readonly string[], path: FieldPath, report: Report): void {
  for (const [at, cidr] of cidrs.entries()) validateCidr(cidr, path.index(at), report);
  if (cidrs.length < 2) return;
  if (new Set(cidrs.map(cidrFamily)).size !== 2 || cidrs.length > 2) {
    report.invalid(path, cidrs, 'may specify no more than one CIDR for each IP family');
  }
  const seen = new Set<string>();
  for (const [at, cidr] of cidrs.entries()) {
    if (seen.has(cidr)) report.duplicate(path.index(at), cidr);
    seen.add(cidr);
  }
}

function validateTaints(taints: readonly Taint[], path: FieldPath, report: Report): void {
  const seen = new Set<string>();
  for (const [at, taint] of taints.entries()) {
    const here = path.index(at);
    validateLabelName(taint.key, here.child('key'), report);
    const errors = names.labelValueErrors(taint.value ?? '');
    if (errors.length > 0) report.invalid(here.child('value'), taint.value, errors.join(';'));
    if (!taint.effect) report.required(here.child('effect'));
    else validateTaintEffect(taint.effect, here.child('effect'), report);
    const key = `${taint.effect}/${taint.key}`;
    if (seen.has(key)) report.duplicate(here, taint, 'taints must be unique by key and effect pair');
    seen.add(key);
  }
}
