import { names } from '@binnacle/machinery';
import { validateNodeSelector } from '../core/pod/validation/affinity.ts';
import { isNativeResource } from '../core/resource-names.ts';
import type { Device, DeviceAttribute, DeviceCounterConsumption, DeviceTaint } from '../generated/resource-v1.ts';
import { isSemanticallyEqual } from '../validation/equality.ts';
import { validateLabelName } from '../validation/labels.ts';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';
import { validateBindingConditions } from './binding-conditions.ts';
import { validateList, validateMap, validateSet } from './bounded.ts';
import { validateRequestPolicy } from './capacity-policy.ts';
import { validateLabelledName, validateQualifiedName } from './names.ts';
import { EFFECTS } from './requests.ts';

const ANY = Number.POSITIVE_INFINITY;
const PROPERTIES_MAX = 32;
const VALUES_MAX = 48;
const VALUE_BYTES_MAX = 64;
const TAINTS_MAX = 16;
const CONSUMPTIONS_MAX = 2;
const COUNTERS_MAX = 32;

interface DeviceChange {
  readonly device: Device;
  readonly before: Device | undefined;
  /** The slice says that each device has a place of its own. */
  readonly hasOwnPlace: boolean;
}

/** What is wrong with one device of a slice. */
export function validateDevice({ device, before, hasOwnPlace }: DeviceChange, path: FieldPath, report: Report): void {
  validateLabelledName(device.name, path.child('name'), report);
  validateProperties(device, path, report);
  if (before === undefined || !isSemanticallyEqual('resource.v1.Device.taints', before.taints, device.taints)) {
    const taints = { items: device.taints, most: TAINTS_MAX, path: path.child('taints') };
    validateList(taints, report, (taint, at) => validateTaint(taint, at, report));
  }
  const consumed = { items: device.consumesCounters, most: CONSUMPTIONS_MAX, path: path.child('consumesCounters') };
  validateSet({ ...consumed, keyOf: ({ counterSet }) => counterSet }, report, (one, at) =>
    validateConsumption(one, at, report),
  );
  if (hasOwnPlace) validatePlace(device, path, report);
  else if ((device.nodeName ?? device.nodeSelector ?? device.allNodes) !== undefined) {
    const message =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    report.invalid(path, null, message);
  }
  validateBindingConditions(device, path, report);
  validateMappings(device, path.child('nodeAllocatableResourceMappings'), report);
}

function validateProperties(device: Device, path: FieldPath, report: Report): void {
  const { attributes = {}, capacity = {}, allowMultipleAllocations = false } = device;
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  if (count > PROPERTIES_MAX) {
    report.invalid(path, count, `the total number of attributes and capacities must not exceed ${PROPERTIES_MAX}`);
  }
  const values = Object.values(attributes).reduce((sum, one) => sum + valuesOf(one), 0);
  if (values > VALUES_MAX) {
    report.invalid(path, values, `the total number of attribute values must not exceed ${VALUES_MAX}`);
  }
  const checkKey = (key: string, at: FieldPath): void => validateQualifiedName(key, at, report);
  validateMap({ map: attributes, most: ANY, path: path.child('attributes'), checkKey }, report, (one, at) =>
    validateAttribute(one, at, report),
  );
  validateMap({ map: capacity, most: ANY, path: path.child('capacity'), checkKey }, report, (one, at) => {
    if (one.requestPolicy === undefined) return undefined;
    const here = at.child('requestPolicy');
    if (!allowMultipleAllocations) return report.forbidden(here, 'allowMultipleAllocations must be true');
    return validateRequestPolicy({ policy: one.requestPolicy, capacity: one.value }, here, report);
  });
}

function valuesOf({ bools = [], ints = [], strings = [], versions = [] }: DeviceAttribute): number {
  return bools.length + ints.length + strings.length + versions.length || 1;
}

const SCALARS = ['bool', 'int', 'string', 'version'] as const;
const LISTS = ['bools', 'ints', 'strings', 'versions'] as const;

function validateAttribute(attribute: DeviceAttribute, path: FieldPath, report: Report): void {
  const given = [...SCALARS, ...LISTS].filter((form) => attribute[form] !== undefined);
  for (const form of LISTS) {
    if (attribute[form]?.length === 0) report.invalid(path.child(form), [], 'must not be empty if specified');
  }
  if (attribute.string !== undefined) validateText(attribute.string, path.child('string'), report);
  if (attribute.version !== undefined) validateVersion(attribute.version, path.child('version'), report);
  for (const [at, text] of (attribute.strings ?? []).entries()) {
    validateText(text, path.child('strings').index(at), report);
  }
  for (const [at, text] of (attribute.versions ?? []).entries()) {
    validateVersion(text, path.child('versions').index(at), report);
  }
  if (given.length === 1) return;
  report.invalid(path, given.length === 0 ? '' : attribute, 'exactly one value must be specified');
}

function validateText(text: string, path: FieldPath, report: Report): void {
  if (names.byteLength(text) > VALUE_BYTES_MAX) report.tooLong(path, VALUE_BYTES_MAX);
}

/** Semantic versioning 2.0.0: three numbers, then perhaps what comes before a release, and the build. */
const VERSION =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

function validateVersion(text: string, path: FieldPath, report: Report): void {
  // The expression backs up, which costs nothing as long as the text is short.
  if (text.length > VALUE_BYTES_MAX) report.tooLong(path, VALUE_BYTES_MAX);
  else if (!VERSION.test(text)) {
    report.invalid(path, text, 'must be a string compatible with semver.org spec 2.0.0');
  }
}

function validateTaint({ key, value = '', effect }: DeviceTaint, path: FieldPath, report: Report): void {
  validateLabelName(key, path.child('key'), report);
  if (value !== '') report.invalidEach(path.child('value'), value, names.labelValueErrors(value));
  const said: string = effect;
  if (said === '') report.required(path.child('effect'));
  else if (!EFFECTS.includes(said)) report.unsupported(path.child('effect'), said, EFFECTS);
}

function validateConsumption(given: DeviceCounterConsumption, path: FieldPath, report: Report): void {
  const { counterSet, counters = {} } = given;
  if (counterSet === '') report.required(path.child('counterSet'));
  else validateLabelledName(counterSet, path.child('counterSet'), report);
  const here = path.child('counters');
  if (Object.keys(counters).length === 0) return report.required(here);
  const checkKey = (key: string, at: FieldPath): void => validateLabelledName(key, at, report);
  return validateMap({ map: counters, most: COUNTERS_MAX, path: here, checkKey }, report, () => undefined);
}

const ONE_PLACE =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';

function validatePlace({ nodeName, nodeSelector, allNodes }: Device, path: FieldPath, report: Report): void {
  const ways: string[] = [];
  if (nodeName === '') report.invalid(path.child('nodeName'), '', 'must not be empty');
  else if (nodeName !== undefined) {
    ways.push('`nodeName`');
    report.invalidEach(path.child('nodeName'), nodeName, names.subdomainErrors(nodeName));
  }
  if (nodeSelector !== undefined) {
    ways.push('`nodeSelector`');
    validateNodeSelector(nodeSelector, path.child('nodeSelector'), report);
  }
  if (allNodes === true) ways.push('`allNodes`');
  else if (allNodes === false) report.invalid(path.child('allNodes'), false, 'must be either unset or set to true');
  if (ways.length === 0) report.required(path, ONE_PLACE);
  if (ways.length > 1) report.invalid(path, `{${ways.join(', ')}}`, ONE_PLACE);
}

/** How much of what a node can give a device takes. */
function validateMappings(device: Device, path: FieldPath, report: Report): void {
  const { nodeAllocatableResourceMappings: mappings = {}, capacity = {} } = device;
  for (const [name, { allocationMultiplier: factor, capacityKey: key }] of Object.entries(mappings)) {
    const here = path.key(name);
    if (!isNativeResource(name)) report.invalid(here, name, 'must be a node allocatable resource name');
    if (factor === undefined && key === undefined) {
      report.invalid(here, '', 'at least one of allocationMultiplier or capacityKey must be set');
    }
    if (factor !== undefined && /^(?:-|0[^1-9]*$)/.test(factor)) {
      report.invalid(here.child('allocationMultiplier'), factor, 'must be positive');
    }
    if (key === '') report.invalid(here.child('capacityKey'), '', 'capacityKey must not be an empty string');
    else if (key !== undefined && !Object.hasOwn(capacity, key)) report.notFound(here.child('capacityKey'), key);
  }
}
