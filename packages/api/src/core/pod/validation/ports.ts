import { names } from '@binnacle/machinery';
import type { ContainerPort } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import type { AnyContainer, PodScope } from './scope.ts';

/** Protocols of ports everywhere, in alphabetical order. */
export const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];

export function validatePorts(ports: readonly ContainerPort[], path: FieldPath, report: Report): void {
  const seen = new Set<string>();
  for (const [at, port] of ports.entries()) {
    const here = path.index(at);
    if (port.name) {
      const errors = names.portNameErrors(port.name);
      report.invalidEach(here.child('name'), port.name, errors);
      if (errors.length === 0 && seen.has(port.name)) report.duplicate(here.child('name'), port.name);
      seen.add(port.name);
    }
    validateNumbers(port, here, report);
    if (!port.protocol) report.required(here.child('protocol'));
    else if (!PROTOCOLS.includes(port.protocol)) report.unsupported(here.child('protocol'), port.protocol, PROTOCOLS);
  }
}

function validateNumbers(port: ContainerPort, path: FieldPath, report: Report): void {
  if (!port.containerPort) report.required(path.child('containerPort'));
  else report.invalidEach(path.child('containerPort'), port.containerPort, names.portNumberErrors(port.containerPort));
  if (port.hostPort) report.invalidEach(path.child('hostPort'), port.hostPort, names.portNumberErrors(port.hostPort));
}

/** No two of these containers may want the same port of the host. */
export function validateHostPorts(containers: readonly AnyContainer[], path: FieldPath, report: Report): void {
  let taken: Set<string> | undefined;
  for (const [at, container] of containers.entries()) {
    for (const [portAt, port] of (container.ports ?? []).entries()) {
      if (!port.hostPort) continue;
      const key = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`;
      taken ??= new Set();
      if (taken.has(key)) report.duplicate(path.index(at).child('ports').index(portAt).child('hostPort'), key);
      taken.add(key);
    }
  }
}

/** On the host's network a container's port is the host's. Templates may leave it to the pod's defaults. */
export function validateHostNetworkPorts(path: FieldPath, scope: PodScope): void {
  if (!scope.spec.hostNetwork) return;
  for (const [at, container] of (scope.spec.containers ?? []).entries()) {
    for (const [portAt, port] of (container.ports ?? []).entries()) {
      const hostPort = port.hostPort ?? 0;
      if (hostPort === port.containerPort || (hostPort === 0 && !scope.isPod)) continue;
      scope.report.invalid(
        path.child('containers').index(at).child('ports').index(portAt).child('hostPort'),
        hostPort,
        'must match `containerPort` when `hostNetwork` is true',
      );
    }
  }
}
