import { names } from '@binnacle/machinery';
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import type { AnyContainer, PodScope } from './scope.ts';

const SCHEMES = ['HTTP', 'HTTPS'];

/** Probes and lifecycle of a container that may have them: a main one or a sidecar. */
export function validateProbesAndLifecycle(container: AnyContainer, path: FieldPath, scope: PodScope): void {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  if (lifecycle) validateLifecycle(lifecycle, path.child('lifecycle'), scope);
  if (livenessProbe) validateSingleSuccessProbe(livenessProbe, path.child('livenessProbe'), scope);
  if (readinessProbe) validateReadinessProbe(readinessProbe, path.child('readinessProbe'), scope);
  if (startupProbe) validateSingleSuccessProbe(startupProbe, path.child('startupProbe'), scope);
}

/** Liveness and startup: one success is enough. */
function validateSingleSuccessProbe(probe: Probe, path: FieldPath, scope: PodScope): void {
  validateProbe(probe, path, scope);
  if (probe.successThreshold !== 1) {
    scope.report.invalid(path.child('successThreshold'), probe.successThreshold ?? 0, 'must be 1');
  }
}

function validateReadinessProbe(probe: Probe, path: FieldPath, scope: PodScope): void {
  validateProbe(probe, path, scope);
  const seconds = probe.terminationGracePeriodSeconds;
  if (seconds !== undefined && seconds !== null) {
    scope.report.invalid(path.child('terminationGracePeriodSeconds'), seconds, 'must not be set for readinessProbes');
  }
}

function validateProbe(probe: Probe, path: FieldPath, scope: PodScope): void {
  const { report } = scope;
  validateHandler(probe, path, scope);
  report.nonNegative(path.child('initialDelaySeconds'), probe.initialDelaySeconds);
  report.nonNegative(path.child('timeoutSeconds'), probe.timeoutSeconds);
  report.nonNegative(path.child('periodSeconds'), probe.periodSeconds);
  report.nonNegative(path.child('successThreshold'), probe.successThreshold);
  report.nonNegative(path.child('failureThreshold'), probe.failureThreshold);
  const seconds = probe.terminationGracePeriodSeconds;
  if (seconds !== undefined && seconds !== null && seconds <= 0) {
    report.invalid(path.child('terminationGracePeriodSeconds'), seconds, 'must be greater than 0');
  }
}

function validateLifecycle(lifecycle: Lifecycle, path: FieldPath, scope: PodScope): void {
  if (lifecycle.postStart) validateHandler(lifecycle.postStart, path.child('postStart'), scope);
  if (lifecycle.preStop) validateHandler(lifecycle.preStop, path.child('preStop'), scope);
}

/** What a probe or a hook does: exactly one of these. */
type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<LifecycleHandler, 'sleep'>;

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

function validateHandler(handler: Handler, path: FieldPath, scope: PodScope): void {
  let found = false;
  for (const kind of HANDLERS) {
    if (!handler[kind]) continue;
    if (found) scope.report.forbidden(path.child(kind), 'may not specify more than 1 handler type');
    else validateAction(handler, path.child(kind), scope);
    found = true;
  }
  if (!found) scope.report.required(path, 'must specify a handler type');
}

/** The first action that is set. */
function validateAction(handler: Handler, path: FieldPath, scope: PodScope): void {
  const { report } = scope;
  if (handler.exec) {
    if (!handler.exec.command?.length) report.required(path.child('command'));
  } else if (handler.httpGet) validateHttpGet(handler.httpGet, path, report);
  else if (handler.tcpSocket) validatePort(handler.tcpSocket.port, path.child('port'), report);
  else if (handler.grpc) validatePort(handler.grpc.port, path.child('port'), report);
  else if (handler.sleep) validateSleep(handler.sleep.seconds, path, scope);
}

function validateSleep(seconds: number, path: FieldPath, scope: PodScope): void {
  const grace = scope.spec.terminationGracePeriodSeconds;
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return;
  scope.report.invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`);
}

function validateHttpGet(action: HTTPGetAction, path: FieldPath, report: Report): void {
  if (!action.path) report.required(path.child('path'));
  validatePort(action.port, path.child('port'), report);
  if (!SCHEMES.includes(action.scheme ?? '')) report.unsupported(path.child('scheme'), action.scheme ?? '', SCHEMES);
  for (const header of action.httpHeaders ?? []) {
    report.invalidEach(path.child('httpHeaders'), header.name, names.httpHeaderNameErrors(header.name));
  }
}

/** A port by number or by name. */
export function validatePort(port: number | string, path: FieldPath, report: Report): void {
  const errors = typeof port === 'number' ? names.portNumberErrors(port) : names.portNameErrors(port);
  if (errors.length > 0) report.invalidEach(path, port, errors);
}
