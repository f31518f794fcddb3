import { names } from '@binnacle/machinery';
import type {
  DeviceClaim,
  DeviceConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
} from '../generated/resource-v1.ts';
import { validateDriverName } from '../storage/driver-name.ts';
import { validateLabelName } from '../validation/labels.ts';
import type { FieldPath } from '../validation/path.ts';
import type { Report } from '../validation/report.ts';
import { validateList, validateSet } from './bounded.ts';
import { validateFullName, validateLabelledName } from './names.ts';

/** As many requests, constraints, configurations and selectors as one list may have. */
export const ITEMS_MAX = 32;
const ALTERNATIVES_MAX = 8;
const EXPRESSION_BYTES_MAX = 10 * 1024;
const PARAMETERS_BYTES_MAX = 10 * 1024;
const EITHER = 'exactly one of `exactly` or `firstAvailable` is required';
const MODES = ['All', 'ExactCount'];
const OPERATORS = ['Equal', 'Exists'];
export const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];

/** What a claim asks for: its requests, what they have in common, and what drivers are told. */
export function validateDeviceClaim(claim: DeviceClaim, path: FieldPath, report: Report): void {
  const known = requestNames(claim);
  const requests = { items: claim.requests, most: ITEMS_MAX, path: path.child('requests') };
  validateSet({ ...requests, keyOf: ({ name }) => name }, report, (one, at) => validateRequest(one, at, report));
  const constraints = { items: claim.constraints, most: ITEMS_MAX, path: path.child('constraints') };
  validateList(constraints, report, (one, at) => validateConstraint(one, { path: at, known }, report));
  const config = { items: claim.config, most: ITEMS_MAX, path: path.child('config') };
  validateList(config, report, (one, at) => {
    validateReferences(one.requests, { path: at.child('requests'), known }, report);
    validateConfiguration(one, at, report);
  });
}

/** The names of the requests of a claim, with those of their alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNames({ requests }: { readonly requests?: DeviceClaim['requests'] | null }): RequestNames {
  return new Map(
    (requests ?? []).map((one) => [one.name, new Set((one.firstAvailable ?? []).map(({ name }) => name))]),
  );
}

interface Referring {
  readonly path: FieldPath;
  readonly known: RequestNames;
}

/** Names of requests, each once. */
export function validateReferences(items: readonly string[] | undefined, at: Referring, report: Report): void {
  const given = { items, most: ITEMS_MAX, path: at.path, keyOf: (name: string) => name };
  validateSet(given, report, (name, path) => validateReference(name, { ...at, path }, report));
}

const REFERENCE =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** `request`, or `request/alternative`. */
export function validateReference(name: string, { path, known }: Referring, report: Report): void {
  const parts = name.split('/');
  if (parts.length > 2) return report.invalid(path, name, REFERENCE);
  for (const part of parts) validateLabelledName(part, path, report);
  const [request = '', alternative] = parts;
  const alternatives = known.get(request);
  const isKnown = alternatives !== undefined && (alternative === undefined || alternatives.has(alternative));
  if (!isKnown) report.invalid(path, name, REFERENCE);
  return undefined;
}

function validateRequest(request: DeviceRequest, path: FieldPath, report: Report): void {
  const { name, exactly, firstAvailable = [] } = request;
  validateLabelledName(name, path.child('name'), report);
  if (exactly === undefined && firstAvailable.length === 0) return report.required(path, EITHER);
  if (exactly !== undefined && firstAvailable.length > 0) {
    return report.invalid(path, null, `${EITHER}, but multiple fields are set`);
  }
  if (exactly !== undefined) return validateDevices(exactly, path.child('exactly'), report);
  const alternatives = { items: firstAvailable, most: ALTERNATIVES_MAX, path: path.child('firstAvailable') };
  return validateSet({ ...alternatives, keyOf: (one) => one.name }, report, (one, at) => {
    validateLabelledName(one.name, at.child('name'), report);
    validateDevices(one, at, report);
  });
}

function validateDevices(asked: ExactDeviceRequest | DeviceSubRequest, path: FieldPath, report: Report): void {
  const { deviceClassName, selectors, allocationMode = '', count = 0, tolerations = [] } = asked;
  const named = path.child('deviceClassName');
  if (deviceClassName === '') report.required(named);
  else report.invalidEach(named, deviceClassName, names.subdomainErrors(deviceClassName));
  validateSelectors(selectors, path.child('selectors'), report);
  if (allocationMode === 'All') {
    if (count !== 0) report.invalid(path.child('count'), count, "must not be specified when allocationMode is 'All'");
  } else if (allocationMode === 'ExactCount') {
    if (count <= 0) report.invalid(path.child('count'), count, 'must be greater than zero');
  } else report.unsupported(path.child('allocationMode'), allocationMode, MODES);
  for (const [at, one] of tolerations.entries()) validateToleration(one, path.child('tolerations').index(at), report);
}

/** How devices are chosen. Whether an expression can be compiled is not asked. */
export function validateSelectors(items: readonly DeviceSelector[] | undefined, path: FieldPath, report: Report): void {
  validateList({ items, most: ITEMS_MAX, path }, report, ({ cel }, at) => {
    if (cel === undefined) return report.required(at.child('cel'));
    const here = at.child('cel').child('expression');
    if (names.byteLength(cel.expression) > EXPRESSION_BYTES_MAX) report.tooLong(here, EXPRESSION_BYTES_MAX);
    return undefined;
  });
}

function validateToleration(toleration: DeviceToleration, path: FieldPath, report: Report): void {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  if (key !== '') validateLabelName(key, path.child('key'), report);
  if (operator === 'Exists') {
    if (value !== '') report.invalid(path.child('value'), value, 'must be empty for operator `Exists`');
  } else if (operator === 'Equal') report.invalidEach(path.child('value'), value, names.labelValueErrors(value));
  else if (operator === '') report.required(path.child('operator'));
  else report.unsupported(path.child('operator'), operator, OPERATORS);
  if (effect !== '' && !EFFECTS.includes(effect)) report.unsupported(path.child('effect'), effect, EFFECTS);
}

function validateConstraint(constraint: DeviceConstraint, { path, known }: Referring, report: Report): void {
  const { requests, matchAttribute, distinctAttribute } = constraint;
  validateReferences(requests, { path: path.child('requests'), known }, report);
  if (matchAttribute !== undefined) validateFullName(matchAttribute, path.child('matchAttribute'), report);
  else if (distinctAttribute !== undefined) {
    validateFullName(distinctAttribute, path.child('distinctAttribute'), report);
  } else {
    // Upstream says it so.
    report.required(
      path,
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    );
  }
}

/** What a driver is told in words of its own. */
export function validateConfiguration({ opaque }: DeviceConfiguration, path: FieldPath, report: Report): void {
  const here = path.child('opaque');
  if (opaque === undefined) return report.required(here);
  validateDriverName(opaque.driver, here.child('driver'), report);
  return validateParameters(opaque.parameters, { path: here.child('parameters'), most: PARAMETERS_BYTES_MAX }, report);
}

/** An object of JSON of bounded size. */
export function validateParameters(
  value: unknown,
  { path, most }: { readonly path: FieldPath; readonly most: number },
  report: Report,
): void {
  if (value === undefined || value === null) return report.required(path);
  if (names.byteLength(JSON.stringify(value)) > most) return report.tooLong(path, most);
  if (typeof value !== 'object' || Array.isArray(value)) {
    return report.invalid(path, '<value omitted>', 'must be a valid JSON object');
  }
  return undefined;
}
