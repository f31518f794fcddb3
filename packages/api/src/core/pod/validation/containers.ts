import { names } from '@binnacle/machinery';
import type { Container } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { validateDevices, validateMounts } from './mounts.ts';
import { validateHostPorts, validatePorts } from './ports.ts';
import { validateProbesAndLifecycle } from './probes.ts';
import { validateContainerResources } from './resources.ts';
import { validateResizePolicy, validateRestartRules } from './restart.ts';
import type { AnyContainer, PodScope } from './scope.ts';
import { validateSecurityContext } from './security.ts';

const MESSAGE_POLICIES = ['FallbackToLogsOnError', 'File'];
export const PULL_POLICIES: readonly string[] = ['Always', 'IfNotPresent', 'Never'];

/** The main containers. */
export function validateContainers(path: FieldPath, scope: PodScope): void {
  const containers = scope.spec.containers ?? [];
  if (containers.length === 0) return scope.report.required(path);
  // Most pods have one.
  const seen = containers.length > 1 ? new Set<string>() : undefined;
  for (const [at, container] of containers.entries()) {
    const here = path.index(at);
    validateCommon(container, here, scope);
    if (seen?.has(container.name) === true) scope.report.duplicate(here.child('name'), container.name);
    seen?.add(container.name);
    validateProbesAndLifecycle(container, here, scope);
    validateRestartRules(container, here, scope.report);
  }
  return validateHostPorts(containers, path, scope.report);
}

/** Containers that run before the main ones, one by one; those that always restart stay beside them. */
export function validateInitContainers(path: FieldPath, scope: PodScope): void {
  const containers = scope.spec.initContainers;
  if (!containers) return;
  const seen = new Set((scope.spec.containers ?? []).map((container) => container.name));
  for (const [at, container] of containers.entries()) {
    const here = path.index(at);
    validateCommon(container, here, scope);
    validateRestartRules(container, here, scope.report);
    if (seen.has(container.name)) scope.report.duplicate(here.child('name'), container.name);
    else if (container.name) seen.add(container.name);
    validateHostPorts([container], path, scope.report);
    if (container.restartPolicy === 'Always') validateProbesAndLifecycle(container, here, scope);
    else forbidForInit(container, here, scope.report);
  }
}

function forbidForInit(container: Container, path: FieldPath, report: Report): void {
  for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    if (!container[field]) continue;
    report.forbidden(path.child(field), 'may not be set for init containers without restartPolicy=Always');
  }
}

const NOT_EPHEMERAL = [
  'ports',
  'resizePolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;
const CANNOT = 'cannot be set for an Ephemeral Container';

/** Containers added to a running pod to look into it. */
export function validateEphemeralContainers(path: FieldPath, scope: PodScope): void {
  const { spec, report } = scope;
  if (!spec.ephemeralContainers) return;
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((other) => other.name));
  const seen = new Set(others);
  for (const [at, container] of spec.ephemeralContainers.entries()) {
    const here = path.index(at);
    validateCommon(container, here, scope);
    validateImageSpaces(container, here, report);
    if (seen.has(container.name)) report.duplicate(here.child('name'), container.name);
    seen.add(container.name);
    const target = container.targetContainerName;
    if (target && !others.has(target)) report.notFound(here.child('targetContainerName'), target);
    forbidForEphemeral(container, here, report);
  }
}

function forbidForEphemeral(container: AnyContainer, path: FieldPath, report: Report): void {
  for (const field of NOT_EPHEMERAL) {
    const value = container[field];
    if (value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)) {
      report.forbidden(path.child(field), CANNOT);
    }
  }
  const { requests, limits, claims } = container.resources ?? {};
  if (requests || limits || claims) report.forbidden(path.child('resources'), CANNOT);
  if (container.restartPolicy) report.forbidden(path.child('restartPolicy'), CANNOT);
  for (const [at, mount] of (container.volumeMounts ?? []).entries()) {
    const here = path.child('volumeMounts').index(at);
    if (mount.subPath) report.forbidden(here.child('subPath'), CANNOT);
    if (mount.subPathExpr) report.forbidden(here.child('subPathExpr'), CANNOT);
  }
}

/** What all sorts of containers have in common. */
function validateCommon(container: AnyContainer, path: FieldPath, scope: PodScope): void {
  const { report } = scope;
  if (!container.name) report.required(path.child('name'));
  else {
    const errors = names.dnsLabelErrors(container.name);
    if (errors.length > 0) report.invalidEach(path.child('name'), container.name, errors);
  }
  if (!container.image) report.required(path.child('image'));
  validateMessagePolicy(container, path, report);
  if (container.ports) validatePorts(container.ports, path.child('ports'), report);
  if (container.env) validateEnv(container.env, path.child('env'), report);
  if (container.envFrom) validateEnvFrom(container.envFrom, path.child('envFrom'), report);
  if (container.volumeMounts) validateMounts(container, path.child('volumeMounts'), scope);
  if (container.volumeDevices) validateDevices(container, path.child('volumeDevices'), scope);
  validatePullPolicy(container.imagePullPolicy, path.child('imagePullPolicy'), report);
  validateContainerResources(container.resources, path.child('resources'), scope);
  if (container.resizePolicy) validateResizePolicy(container.resizePolicy, path.child('resizePolicy'), scope);
  if (container.securityContext)
    validateSecurityContext(container.securityContext, path.child('securityContext'), scope);
}

function validateMessagePolicy(container: AnyContainer, path: FieldPath, report: Report): void {
  const policy = container.terminationMessagePolicy;
  if (!policy) report.required(path.child('terminationMessagePolicy'));
  else if (!MESSAGE_POLICIES.includes(policy)) {
    report.unsupported(path.child('terminationMessagePolicy'), policy, ['File', 'FallbackToLogsOnError']);
  }
}

export function validatePullPolicy(policy: string | undefined, path: FieldPath, report: Report): void {
  if (!policy) report.required(path);
  else if (!PULL_POLICIES.includes(policy)) report.unsupported(path, policy, PULL_POLICIES);
}

/** Of pods only: templates of old were allowed to have spaces around an image's name. */
export function validateImageSpaces(container: AnyContainer, path: FieldPath, report: Report): void {
  const image = container.image ?? '';
  if (image.trim() === image) return;
  report.invalid(path.child('image'), image, 'must not have leading or trailing whitespace');
}
