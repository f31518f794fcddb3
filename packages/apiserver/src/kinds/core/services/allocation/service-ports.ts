import type { Draft } from '@binnacle/api';
import type { Service, ServiceSpec } from '@binnacle/api/core/v1';
import { hasHealthPort, hasNodePorts } from '../type-dependent-fields.ts';

export function needsNodePorts(spec: ServiceSpec): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** The node ports of a Service, each once: one port may serve two protocols. */
export function nodePortsOf(service: Service | undefined): ReadonlySet<number> {
  const ports = new Set<number>();
  for (const { nodePort = 0 } of service?.spec.ports ?? []) if (nodePort !== 0) ports.add(nodePort);
  const health = service?.spec.healthCheckNodePort ?? 0;
  if (health !== 0) ports.add(health);
  return ports;
}

/** Takes over from before what the caller left out; a port that another one has taken meanwhile is not. */
export function carryPorts(service: Draft<Service>, before: Service): void {
  const { spec } = service;
  const old = before.spec;
  if (hasNodePorts(spec) && hasNodePorts(old)) {
    const wanted = new Set((spec.ports ?? []).map(({ nodePort }) => nodePort ?? 0));
    const known = new Map((old.ports ?? []).map(({ name, nodePort }) => [name ?? '', nodePort ?? 0]));
    for (const port of spec.ports ?? []) {
      const held = known.get(port.name ?? '') ?? 0;
      if ((port.nodePort ?? 0) === 0 && held !== 0 && !wanted.has(held)) port.nodePort = held;
    }
  }
  if (hasHealthPort(spec) && hasHealthPort(old) && (spec.healthCheckNodePort ?? 0) === 0) {
    spec.healthCheckNodePort = old.healthCheckNodePort ?? 0;
  }
}

/** What has to be claimed: ports that the caller names, and places that wait for a port. */
export function findPortNeeds(service: Draft<Service>): { wanted: number[]; places: ((port: number) => void)[] } {
  const { spec } = service;
  const wanted = new Set<number>(nodePortsOf(service));
  const places: ((port: number) => void)[] = [];
  if (needsNodePorts(spec)) {
    // Two protocols on one port share a node port.
    const waiting = new Map<number, Draft<NonNullable<ServiceSpec['ports']>[number]>[]>();
    for (const port of spec.ports ?? []) {
      if ((port.nodePort ?? 0) !== 0) continue;
      const sibling = spec.ports?.find((one) => one.port === port.port && (one.nodePort ?? 0) !== 0);
      if (sibling !== undefined && sibling.protocol !== port.protocol) port.nodePort = sibling.nodePort ?? 0;
      else waiting.set(port.port, [...(waiting.get(port.port) ?? []), port]);
    }
    for (const ports of waiting.values()) places.push((given) => ports.forEach((port) => (port.nodePort = given)));
  }
  if (hasHealthPort(spec) && (spec.healthCheckNodePort ?? 0) === 0) {
    places.push((given) => (spec.healthCheckNodePort = given));
  }
  return { wanted: [...wanted], places };
}
