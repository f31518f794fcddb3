import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { CSINode, CSINodeDriver } from '../../generated/storage-v1.ts';
import { isSemanticallyEqual } from '../../validation/equality.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateDriverName } from '../driver-name.ts';

const DRIVERS = fieldPath('spec', 'drivers');
const NODE_ID_LENGTH_MAX = 192;

export function validateCsiNode(node: CSINode): FieldError[] {
  const report = new Report();
  validateDrivers(node.spec.drivers ?? [], report);
  return report.errors;
}

/** A driver that is there stays as it is, but for the room that it has. */
export function validateCsiNodeUpdate(node: CSINode, before: CSINode): FieldError[] {
  const report = new Report();
  const old = new Map((before.spec.drivers ?? []).map((driver) => [driver.name, driver]));
  for (const driver of node.spec.drivers ?? []) {
    const known = old.get(driver.name);
    if (known === undefined || isSemanticallyEqual('storage.v1.CSINodeDriver', apart(driver), apart(known))) continue;
    report.immutable(fieldPath('CSINodeDriver'), driver, false);
  }
  validateDrivers(node.spec.drivers ?? [], report);
  return report.errors;
}

/** A driver apart from its room. */
function apart({ name, nodeID, topologyKeys }: CSINodeDriver): unknown {
  return { name, nodeID, topologyKeys };
}

function validateDrivers(drivers: readonly CSINodeDriver[], report: Report): void {
  const seen = new Set<string>();
  for (const [at, driver] of drivers.entries()) {
    const here = DRIVERS.index(at);
    validateDriverName(driver.name, here.child('name'), report);
    validateNodeId(driver.nodeID, here.child('nodeID'), report);
    validateKeys(driver.topologyKeys ?? [], here.child('topologyKeys'), report);
    report.nonNegative(here.child('allocatable').child('count'), driver.allocatable?.count);
    if (seen.has(driver.name)) report.duplicate(here.child('name'), driver.name);
    seen.add(driver.name);
  }
}

function validateNodeId(id: string | undefined, path: FieldPath, report: Report): void {
  if (!id) report.required(path);
  else if (id.length > NODE_ID_LENGTH_MAX) {
    report.invalid(path, id, `must be ${NODE_ID_LENGTH_MAX} characters or less`);
  }
}

function validateKeys(keys: readonly string[], path: FieldPath, report: Report): void {
  const seen = new Set<string>();
  for (const [at, key] of keys.entries()) {
    if (key === '') report.required(path.index(at));
    if (seen.has(key)) report.duplicate(path.index(at), key);
    seen.add(key);
    report.invalidEach(path.index(at), key, names.qualifiedNameErrors(key));
  }
}
