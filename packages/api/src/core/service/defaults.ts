import type { Draft } from '../../draft.ts';
import type { Service, ServiceSpec } from '../../generated/core-v1.ts';

const AFFINITY_TIMEOUT_SECONDS = 10_800;

/** Cluster IPs, families and node ports are the allocator's business, not a default's. */
export function defaultService(service: Draft<Service>): void {
  const spec = (service.spec ??= {});
  defaultAffinity(spec);
  if (!spec.type) spec.type = 'ClusterIP';
  for (const port of spec.ports ?? []) {
    if (!port.protocol) port.protocol = 'TCP';
    if (!port.targetPort) port.targetPort = port.port;
  }
  defaultTrafficPolicies(spec);
  if (spec.type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of service.status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP';
}

/** May traffic come in from outside the cluster? */
export function isExternallyAccessible(spec: ServiceSpec): boolean {
  return (
    spec.type === 'LoadBalancer' ||
    spec.type === 'NodePort' ||
    (spec.type === 'ClusterIP' && (spec.externalIPs?.length ?? 0) > 0)
  );
}

function defaultAffinity(spec: Draft<ServiceSpec>): void {
  if (!spec.sessionAffinity) spec.sessionAffinity = 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  else if (spec.sessionAffinity === 'ClientIP') {
    const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
    if (seconds === undefined || seconds === null) {
      spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_TIMEOUT_SECONDS } };
    }
  }
}

function defaultTrafficPolicies(spec: Draft<ServiceSpec>): void {
  if (!spec.externalTrafficPolicy && isExternallyAccessible(spec)) spec.externalTrafficPolicy = 'Cluster';
  if (spec.type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster';
}
