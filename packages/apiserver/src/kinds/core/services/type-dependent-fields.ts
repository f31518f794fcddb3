import type { Draft } from '@binnacle/api';
import type { Service, ServiceSpec, ServiceStatus } from '@binnacle/api/core/v1';
import { deepEqual } from '@binnacle/machinery';

type Spec = Draft<ServiceSpec>;

/**
 * A Service that becomes of another type loses what only the old type has a use for, and the server may have filled
 * in. What the caller changed at the same time stays, so that validation can say that it does not fit.
 */
export function dropTypeDependentFields(service: Draft<Service>, before: Service): void {
  const { spec } = service;
  const old = before.spec;
  if (hasAddress(old) && !hasAddress(spec)) dropAddresses(spec, old);
  if (hasNodePorts(old) && !hasNodePorts(spec) && addsNoNodePort(spec, old)) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  const dropSame = (field: keyof ServiceSpec): void => {
    if (deepEqual(spec[field], old[field])) delete spec[field];
  };
  if (hasHealthPort(old) && !hasHealthPort(spec)) dropSame('healthCheckNodePort');
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    dropSame('allocateLoadBalancerNodePorts');
    dropSame('loadBalancerClass');
  }
  if (isReachedFromOutside(old) && !isReachedFromOutside(spec)) dropSame('externalTrafficPolicy');
  if (spec.type !== 'LoadBalancer' && service.status !== undefined) {
    service.status = { ...service.status, loadBalancer: {} } as Draft<ServiceStatus>;
  }
}

function dropAddresses(spec: Spec, old: ServiceSpec): void {
  if ((spec.clusterIP ?? '') === (old.clusterIP ?? '') && sameLists(spec.clusterIPs, old.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (sameLists(spec.ipFamilies, old.ipFamilies)) delete spec.ipFamilies;
  if (spec.ipFamilyPolicy === old.ipFamilyPolicy) delete spec.ipFamilyPolicy;
}

function hasAddress({ type }: Pick<ServiceSpec, 'type'>): boolean {
  return type !== 'ExternalName';
}

/** By type alone: a balancer that was told to allocate none may have some from before. */
export function hasNodePorts({ type }: Pick<ServiceSpec, 'type'>): boolean {
  return isOutside(type);
}

function isOutside(type: ServiceSpec['type']): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

export function hasHealthPort({
  type,
  externalTrafficPolicy,
}: Pick<ServiceSpec, 'type' | 'externalTrafficPolicy'>): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

function isReachedFromOutside({ type, externalIPs }: Pick<ServiceSpec, 'type' | 'externalIPs'>): boolean {
  return isOutside(type) || (type === 'ClusterIP' && (externalIPs?.length ?? 0) > 0);
}

function addsNoNodePort(spec: Pick<ServiceSpec, 'ports'>, old: ServiceSpec): boolean {
  const known = new Set((old.ports ?? []).map(({ nodePort }) => nodePort ?? 0));
  return (spec.ports ?? []).every(({ nodePort = 0 }) => nodePort === 0 || known.has(nodePort));
}

function sameLists(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return deepEqual(a ?? [], b ?? []);
}
