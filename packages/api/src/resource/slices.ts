import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import { validateNodeSelector } from '../core/pod/validation/affinity.ts';
import type { CounterSet, Device, ResourcePool, ResourceSlice, ResourceSliceSpec } from '../generated/resource-v1.ts';
import { validateDriverName } from '../storage/driver-name.ts';
import { fieldPath } from '../validation/path.ts';
import type { FieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';
import { validateMap, validateSet } from './bounded.ts';
import { validateDevice } from './devices.ts';
import { validateLabelledName, validatePoolName } from './names.ts';

const SPEC = fieldPath('spec');
const DEVICES_MAX = 128;
/** Where devices have taints, counters or lists of attributes. */
const LARGE_DEVICES_MAX = 64;
const COUNTER_SETS_MAX = 8;
const COUNTERS_MAX = 32;
const ONE_PLACE = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

/** What is wrong with a new slice of a pool. */
export function validateResourceSlice({ spec }: ResourceSlice): FieldError[] {
  const report = new Report();
  validateSpec(spec, undefined, report);
  return report.errors;
}

/** A slice keeps its driver, its pool and its node. */
export function validateResourceSliceUpdate(given: ResourceSlice, before: ResourceSlice): FieldError[] {
  const report = new Report();
  validateSpec(given.spec, before.spec, report);
  return report.errors;
}

function validateSpec(spec: ResourceSliceSpec, before: ResourceSliceSpec | undefined, report: Report): void {
  validateDriverName(spec.driver, SPEC.child('driver'), report);
  validatePool(spec.pool, SPEC.child('pool'), report);
  if (before !== undefined) {
    report.immutable(SPEC.child('pool').child('name'), spec.pool.name, spec.pool.name === before.pool.name);
    report.immutable(SPEC.child('driver'), spec.driver, spec.driver === before.driver);
    report.immutable(SPEC.child('nodeName'), spec.nodeName, spec.nodeName === before.nodeName);
  }
  validatePlace(spec, report);
  const { devices, sharedCounters, perDeviceNodeSelection = false } = spec;
  if (sharedCounters !== undefined && devices !== undefined) {
    report.invalid(SPEC, '', 'only one of `sharedCounters` or `devices` is allowed');
  }
  const most = (devices ?? []).some(isLarge) ? LARGE_DEVICES_MAX : DEVICES_MAX;
  const listed = { items: devices, most, path: SPEC.child('devices'), keyOf: ({ name }: Device) => name };
  const known = new Map((before?.devices ?? []).map((device) => [device.name, device]));
  validateSet(listed, report, (device, path) =>
    validateDevice({ device, before: known.get(device.name), hasOwnPlace: perDeviceNodeSelection }, path, report),
  );
  const sets = { items: sharedCounters, most: COUNTER_SETS_MAX, path: SPEC.child('sharedCounters') };
  validateSet({ ...sets, keyOf: ({ name }: CounterSet) => name }, report, (one, path) =>
    validateCounters(one, path, report),
  );
}

function validatePool({ name, resourceSliceCount, generation }: ResourcePool, path: FieldPath, report: Report): void {
  validatePoolName(name, path.child('name'), report);
  if (resourceSliceCount <= 0) {
    report.invalid(path.child('resourceSliceCount'), resourceSliceCount, 'must be greater than zero');
  }
  if (generation < 0) report.invalid(path.child('generation'), generation, 'must be greater than or equal to zero');
}

/** Where its devices are: in one way. */
function validatePlace(spec: ResourceSliceSpec, report: Report): void {
  const { nodeName, nodeSelector } = spec;
  const ways: string[] = [];
  if (nodeName === '') {
    report.invalid(SPEC.child('nodeName'), nodeName, 'must be either unset or set to a non-empty string');
  } else if (nodeName !== undefined) {
    ways.push('`nodeName`');
    report.invalidEach(SPEC.child('nodeName'), nodeName, names.subdomainErrors(nodeName));
  }
  if (nodeSelector !== undefined) {
    ways.push('`nodeSelector`');
    const path = SPEC.child('nodeSelector');
    validateNodeSelector(nodeSelector, path, report);
    // Go writes null for none.
    const terms: readonly unknown[] | null = nodeSelector.nodeSelectorTerms;
    if (terms?.length !== 1) {
      report.invalid(path.child('nodeSelectorTerms'), terms, 'must have exactly one node selector term');
    }
  }
  for (const way of ['allNodes', 'perDeviceNodeSelection'] as const) {
    if (spec[way] === true) ways.push(`\`${way}\``);
    else if (spec[way] === false) report.invalid(SPEC.child(way), false, 'must be either unset or set to true');
  }
  if (ways.length === 0) report.required(SPEC, ONE_PLACE);
  if (ways.length > 1) report.invalid(SPEC, `{${ways.join(', ')}}`, `${ONE_PLACE}, but multiple fields are set`);
}

function isLarge({ taints = [], consumesCounters = [], attributes = {} }: Device): boolean {
  if (taints.length > 0 || consumesCounters.length > 0) return true;
  return Object.values(attributes).some(
    ({ bools, ints, strings, versions }) => (bools ?? ints ?? strings ?? versions) !== undefined,
  );
}

function validateCounters({ name, counters = {} }: CounterSet, path: FieldPath, report: Report): void {
  if (name === '') report.required(path.child('name'));
  else validateLabelledName(name, path.child('name'), report);
  const here = path.child('counters');
  if (Object.keys(counters).length === 0) return report.required(here);
  const checkKey = (key: string, at: FieldPath): void => validateLabelledName(key, at, report);
  // Whatever quantity it is.
  return validateMap({ map: counters, most: COUNTERS_MAX, path: here, checkKey }, report, () => undefined);
}
