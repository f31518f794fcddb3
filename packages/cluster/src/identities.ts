import type { UserInfo } from '@binnacle/machinery';

const AUTHENTICATED = 'system:authenticated';

// Who the components of a control plane are to the API server, as upstream names them.

/** May everything. */
export const ADMIN: UserInfo = { name: 'kubernetes-admin', groups: ['system:masters', AUTHENTICATED] };
/** The controller manager itself, beside the accounts of its controllers. */
export const CONTROLLER_MANAGER: UserInfo = { name: 'system:kube-controller-manager', groups: [AUTHENTICATED] };
/** The scheduler. */
export const SCHEDULER: UserInfo = { name: 'system:kube-scheduler', groups: [AUTHENTICATED] };
/** Whoever holds pods back as network policies say. */
export const POLICY_READER: UserInfo = { name: 'system:binnacle-network-policies', groups: [AUTHENTICATED] };
/** Whoever makes a node's rules for Services. */
export const KUBE_PROXY: UserInfo = { name: 'system:kube-proxy', groups: [AUTHENTICATED] };

/** A controller runs as its own ServiceAccount in kube-system; the empty name is the controller manager itself. */
export function controllerIdentity(name: string): UserInfo {
  if (name === '') return CONTROLLER_MANAGER;
  return {
    name: `system:serviceaccount:kube-system:${name}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', AUTHENTICATED],
  };
}

/** A kubelet, as the Node authorizer knows it. */
export function nodeIdentity(nodeName: string): UserInfo {
  return { name: `system:node:${nodeName}`, groups: ['system:nodes', AUTHENTICATED] };
}

/**
 * Thousands of simulated nodes share one connection, so it cannot be any single node: they act as one administrator
 * (docs/decisions/0004-identity-of-simulated-nodes.md).
 */
export const NODE_FLEET: UserInfo = { name: 'system:simulated-nodes', groups: ['system:masters', AUTHENTICATED] };
