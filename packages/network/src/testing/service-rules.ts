import type { Backend, ExternalRules, NodeRules, ServiceRules } from '../rules.ts';

/** A node of two families without anything particular. */
export const NODE: NodeRules = {
  podRanges: ['10.244.0.0/16', 'fd02::/64'],
  serviceRanges: [],
  masqueradeAll: false,
  masqueradeBit: 14,
};

/** A pod of that node, and one of another. */
export const HERE: Backend = { address: '10.244.0.2', port: 8080, local: true };
export const THERE: Backend = { address: '10.244.1.3', port: 8080, local: false };

/** A Service of TCP that both pods are behind. */
export function serviceRules(id: string, more: Partial<ServiceRules> = {}): ServiceRules {
  return {
    id,
    family: 'IPv4',
    protocol: 'tcp',
    port: 80,
    clusterIP: '10.96.0.7',
    internalFate: 'cluster',
    backends: { cluster: [HERE, THERE], local: [HERE] },
    affinitySeconds: 0,
    ...more,
  };
}

/** How such a Service is reached from outside. */
export function externalRules(more: Partial<ExternalRules> = {}): ExternalRules {
  return {
    addresses: ['203.0.113.5'],
    nodePort: 0,
    fate: 'cluster',
    keepsSource: false,
    insideFate: 'cluster',
    ...more,
  };
}
