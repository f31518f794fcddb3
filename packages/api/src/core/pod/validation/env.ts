import { names } from '@binnacle/machinery';
import type {
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';

/** Fields of a pod that its environment variables may show. */
const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** Paths that conversion knows, whether or not they make sense in this place. */
const KNOWN_FIELDS = new Set([
  ...ENV_FIELDS,
  'metadata.labels',
  'metadata.annotations',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.terminationGracePeriodSeconds',
  'status.phase',
  'spec.host',
]);

const CONTAINER_RESOURCES = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

const SIZES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const MANY_SOURCES = 'may not have more than one field specified at a time';

export function validateEnv(variables: readonly EnvVar[], path: FieldPath, report: Report): void {
  for (const [at, variable] of variables.entries()) {
    if (!variable.name) report.required(path.index(at).child('name'));
    else {
      const errors = names.envVarNameErrors(variable.name);
      if (errors.length > 0) report.invalidEach(path.index(at).child('name'), variable.name, errors);
    }
    if (variable.valueFrom) validateValueFrom(variable, path.index(at).child('valueFrom'), report);
  }
}

export function validateEnvFrom(sources: readonly EnvFromSource[], path: FieldPath, report: Report): void {
  for (const [at, source] of sources.entries()) {
    const here = path.index(at);
    if (source.prefix) report.invalidEach(here.child('prefix'), source.prefix, names.envVarNameErrors(source.prefix));
    if (source.configMapRef) validateRef(source.configMapRef.name, here.child('configMapRef'), report);
    if (source.secretRef) validateRef(source.secretRef.name, here.child('secretRef'), report);
    if (!source.configMapRef && !source.secretRef) {
      report.invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`');
    } else if (source.configMapRef && source.secretRef) {
      report.invalid(path, '', MANY_SOURCES);
    }
  }
}

function validateRef(name: string | undefined, path: FieldPath, report: Report): void {
  if (!name) report.required(path.child('name'));
  else report.invalidEach(path.child('name'), name, names.subdomainErrors(name));
}

function validateValueFrom(variable: EnvVar, path: FieldPath, report: Report): void {
  const from = variable.valueFrom ?? {};
  const sources = countSources(from);
  if (from.fieldRef) {
    validateFieldSelector(from.fieldRef, path.child('fieldRef'), { report, supported: ENV_FIELDS });
  }
  if (from.resourceFieldRef) validateResourceSelector(from.resourceFieldRef, path.child('resourceFieldRef'), report);
  if (from.configMapKeyRef) validateKeySelector(from.configMapKeyRef, path.child('configMapKeyRef'), report);
  if (from.secretKeyRef) validateKeySelector(from.secretKeyRef, path.child('secretKeyRef'), report);
  if (sources === 0) {
    report.invalid(
      path,
      '',
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    );
  } else if (variable.value) report.invalid(path, '', 'may not be specified when `value` is not empty');
  else if (sources > 1) report.invalid(path, '', MANY_SOURCES);
}

function countSources(from: EnvVarSource): number {
  const sources = [from.fieldRef, from.resourceFieldRef, from.configMapKeyRef, from.secretKeyRef, from.fileKeyRef];
  return sources.filter((source) => source !== undefined && source !== null).length;
}

interface KeySelector {
  readonly name?: string;
  readonly key: string;
}

function validateKeySelector(selector: KeySelector, path: FieldPath, report: Report): void {
  const name = selector.name ?? '';
  report.invalidEach(path.child('name'), name, names.subdomainErrors(name));
  if (!selector.key) report.required(path.child('key'));
  else report.invalidEach(path.child('key'), selector.key, names.configKeyErrors(selector.key));
}

export interface FieldSelectorScope {
  readonly report: Report;
  /** Paths that may be shown in this place, in alphabetical order. */
  readonly supported: readonly string[];
}

/** A `fieldRef` of an environment variable or of a downward API file. */
export function validateFieldSelector(selector: ObjectFieldSelector, path: FieldPath, scope: FieldSelectorScope): void {
  const { report } = scope;
  if (!selector.apiVersion) return report.required(path.child('apiVersion'));
  if (!selector.fieldPath) return report.required(path.child('fieldPath'));
  const subscripted = splitSubscript(selector.fieldPath);
  const field = subscripted?.field ?? selector.fieldPath;
  const why = conversionError(selector, field, subscripted !== undefined);
  if (why !== undefined) {
    return report.invalid(path.child('fieldPath'), selector.fieldPath, `error converting fieldPath: ${why}`);
  }
  if (subscripted) return validateSubscript(subscripted, path, report);
  const internal = field === 'spec.host' ? 'spec.nodeName' : field;
  if (!scope.supported.includes(internal)) report.unsupported(path.child('fieldPath'), internal, scope.supported);
  return undefined;
}

/** `metadata.labels['app']` in its two parts. */
function splitSubscript(fieldPath: string): { readonly field: string; readonly key: string } | undefined {
  const start = fieldPath.indexOf("['", 1);
  if (start === -1 || !fieldPath.endsWith("']") || fieldPath.length < start + 4) return undefined;
  return { field: fieldPath.slice(0, start), key: fieldPath.slice(start + 2, -2) };
}

/** Why a path is none that pods have, in the words of upstream's conversion. */
function conversionError(selector: ObjectFieldSelector, field: string, subscripted: boolean): string | undefined {
  if (selector.apiVersion !== 'v1') return `unsupported pod version: ${selector.apiVersion}`;
  if (subscripted) {
    const known = field === 'metadata.annotations' || field === 'metadata.labels';
    return known ? undefined : `field label does not support subscript: ${selector.fieldPath}`;
  }
  return KNOWN_FIELDS.has(field) ? undefined : `field label not supported: ${field}`;
}

/** Keys of annotations are looked up whatever their case. */
function validateSubscript(at: { field: string; key: string }, path: FieldPath, report: Report): void {
  const key = at.field === 'metadata.annotations' ? at.key.toLowerCase() : at.key;
  report.invalidEach(path, key, names.qualifiedNameErrors(key));
}

/** A `resourceFieldRef`; in a volume it must name its container (see validateVolumeResourceSelector). */
export function validateResourceSelector(selector: ResourceFieldSelector, path: FieldPath, report: Report): void {
  const { resource } = selector;
  if (!resource) report.required(path.child('resource'));
  else if (!CONTAINER_RESOURCES.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    report.unsupported(path.child('resource'), resource, CONTAINER_RESOURCES);
  }
  validateDivisor(selector, path.child('divisor'), report);
}

export function validateVolumeResourceSelector(selector: ResourceFieldSelector, path: FieldPath, report: Report): void {
  if (selector.containerName) return validateResourceSelector(selector, path, report);
  report.required(path.child('containerName'));
  return validateDivisor(selector, path.child('divisor'), report);
}

const DIVISORS: readonly [resource: RegExp, allowed: readonly string[], named: string][] = [
  [/^(limits|requests)\.cpu$/, ['1m', '1'], '1m and 1 are supported with the cpu resource'],
  [/^(limits|requests)\.memory$/, SIZES, `${SIZES.join(', ')} are supported with the memory resource`],
  [
    /^(limits|requests)\.ephemeral-storage$/,
    SIZES,
    `${SIZES.join(', ')} are supported with the local ephemeral storage resource`,
  ],
  [/^(limits|requests)\.hugepages-/, SIZES, `${SIZES.join(', ')} are supported with the hugepages resource`],
];

function validateDivisor(selector: ResourceFieldSelector, path: FieldPath, report: Report): void {
  const { divisor, resource } = selector;
  if (!divisor || divisor === '0') return;
  for (const [pattern, allowed, named] of DIVISORS) {
    if (pattern.test(resource) && !allowed.includes(divisor))
      report.invalid(path, resource, `only divisor's values ${named}`);
  }
}
