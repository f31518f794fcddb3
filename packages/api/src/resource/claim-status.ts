import type { FieldError } from '@binnacle/machinery';
import { validateNodeSelector } from '../core/pod/validation/affinity.ts';
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from '../generated/resource-v1.ts';
import { validateDriverName } from '../storage/driver-name.ts';
import { cidrFamily } from '../validation/address.ts';
import { validateConditions } from '../validation/conditions.ts';
import { isSemanticallyEqual } from '../validation/equality.ts';
import { fieldPath } from '../validation/path.ts';
import type { FieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';
import { validateBindingConditions } from './binding-conditions.ts';
import { validateList, validateSet } from './bounded.ts';
import { validateLabelledName, validatePoolName, validateShareId } from './names.ts';
import * as asked from './requests.ts';

const STATUS = fieldPath('status');
const CONSUMERS_MAX = 256;
const CONDITIONS_MAX = 8;
const DATA_BYTES_MAX = 10 * 1024;
const ADDRESSES_MAX = 16;
const INTERFACE_BYTES_MAX = 256;
const HARDWARE_BYTES_MAX = 128;
const SOURCES = ['FromClaim', 'FromClass'];

/** What is wrong with a change of a claim's status: what was given stays given, and only that is told of. */
export function validateResourceClaimStatusUpdate(given: ResourceClaim, before: ResourceClaim): FieldError[] {
  const report = new Report();
  const { allocation, devices } = given.status ?? {};
  validateConsumers(given, before, report);
  const allocated = new Set((allocation?.devices?.results ?? []).map(deviceId));
  const listed = { items: devices, most: Number.POSITIVE_INFINITY, path: STATUS.child('devices') };
  validateSet({ ...listed, keyOf: deviceId }, report, (device, path) => {
    validateDeviceStatus(device, path, report);
    if (!allocated.has(deviceId(device))) {
      report.invalid(path, deviceId(device), 'must be an allocated device in the claim');
    }
  });
  if (allocation === undefined) return report.errors;
  const here = STATUS.child('allocation');
  const was = before.status?.allocation;
  // What was right when it was stored is not judged again.
  if (was !== undefined)
    report.immutable(here, allocation, isSemanticallyEqual('resource.v1.AllocationResult', allocation, was));
  else validateAllocation(allocation, { path: here, known: asked.requestNames(given.spec.devices) }, report);
  return report.errors;
}

function validateConsumers(given: ResourceClaim, before: ResourceClaim, report: Report): void {
  const { reservedFor: items = [], allocation } = given.status ?? {};
  const path = STATUS.child('reservedFor');
  const listed = { items, most: CONSUMERS_MAX, path, keyOf: ({ uid }: ResourceClaimConsumerReference) => uid };
  validateSet(listed, report, (one, at) => {
    for (const field of ['resource', 'name', 'uid'] as const) if (one[field] === '') report.required(at.child(field));
  });
  if (items.length === 0) return;
  if (allocation === undefined) return report.forbidden(path, 'may not be specified when `allocated` is not set');
  if ((given.metadata.deletionTimestamp ?? '') === '') return;
  const known = new Set((before.status?.reservedFor ?? []).map((one) => JSON.stringify(one)));
  if (items.every((one) => known.has(JSON.stringify(one)))) return;
  report.forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set');
}

type DeviceName = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>;

function deviceId({ driver, pool, device, shareID }: DeviceName): string {
  return [driver, pool, device, ...(shareID === undefined ? [] : [shareID])].join('/');
}

function validateDeviceName(given: DeviceName, path: FieldPath, report: Report): void {
  validateDriverName(given.driver, path.child('driver'), report);
  validatePoolName(given.pool, path.child('pool'), report);
  validateLabelledName(given.device, path.child('device'), report);
  validateShareId(given.shareID, path.child('shareID'), report);
}

function validateDeviceStatus(device: AllocatedDeviceStatus, path: FieldPath, report: Report): void {
  validateDeviceName(device, path, report);
  // Go writes null for none.
  const conditions: AllocatedDeviceStatus['conditions'] | null = device.conditions;
  const count = conditions?.length ?? 0;
  if (count > CONDITIONS_MAX) report.tooMany(path.child('conditions'), count, CONDITIONS_MAX);
  validateConditions(conditions?.slice(0, CONDITIONS_MAX), path.child('conditions'), report);
  if (device.data !== undefined) {
    asked.validateParameters(device.data, { path: path.child('data'), most: DATA_BYTES_MAX }, report);
  }
  if (device.networkData !== undefined) validateNetwork(device.networkData, path.child('networkData'), report);
}

const ADDRESS = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)';

function validateNetwork(network: NetworkDeviceData, path: FieldPath, report: Report): void {
  const { interfaceName = '', hardwareAddress = '', ips } = network;
  if (interfaceName.length > INTERFACE_BYTES_MAX) report.tooLong(path.child('interfaceName'), INTERFACE_BYTES_MAX);
  if (hardwareAddress.length > HARDWARE_BYTES_MAX) report.tooLong(path.child('hardwareAddress'), HARDWARE_BYTES_MAX);
  const addresses = { items: ips, most: ADDRESSES_MAX, path: path.child('ips'), keyOf: (address: string) => address };
  validateSet(addresses, report, (address, at) => {
    if (cidrFamily(address) === undefined) report.invalid(at, address, ADDRESS);
  });
}

interface Allocating {
  readonly path: FieldPath;
  readonly known: asked.RequestNames;
}

function validateAllocation(allocation: AllocationResult, { path, known }: Allocating, report: Report): void {
  const { results, config } = allocation.devices ?? {};
  const devices = path.child('devices');
  validateList({ items: results, most: asked.ITEMS_MAX, path: devices.child('results') }, report, (one, at) =>
    validateResult(one, { path: at, known }, report),
  );
  // Those of the class, and those of the claim.
  const both = { items: config, most: 2 * asked.ITEMS_MAX, path: devices.child('config') };
  validateList(both, report, (one, at) => {
    const source = at.child('source');
    const from: string = one.source;
    if (from === '') report.required(source);
    else if (!SOURCES.includes(from)) report.unsupported(source, from, SOURCES);
    asked.validateReferences(one.requests, { path: at.child('requests'), known }, report);
    asked.validateConfiguration(one, at, report);
  });
  if (allocation.nodeSelector !== undefined) {
    validateNodeSelector(allocation.nodeSelector, path.child('nodeSelector'), report);
  }
}

function validateResult(result: DeviceRequestAllocationResult, { path, known }: Allocating, report: Report): void {
  asked.validateReference(result.request, { path: path.child('request'), known }, report);
  validateDeviceName(result, path, report);
  validateBindingConditions(result, path, report);
}
