import { isPodTerminal } from '@binnacle/api';
import type { Node, Pod } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import { servesBalancers } from './plan.ts';

/**
 * What of the nodes' ports the cluster itself has (`tcp/10250`), and who: kubelets, and pods by their host ports. Only one
 * node's own programs can be asked of the machine; what stands in objects counts for all nodes.
 */
export function heldPorts(nodes: readonly Node[], pods: readonly Pod[]): ReadonlyMap<string, string> {
  const held = new Map<string, string>();
  const serving = new Set<string>();
  for (const node of nodes) {
    if (!servesBalancers(node)) continue;
    const name = node.metadata.name ?? '';
    serving.add(name);
    const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port;
    if (port !== undefined) held.set(`tcp/${port}`, `the kubelet of node ${name}`);
  }
  for (const pod of pods) {
    if (!serving.has(pod.spec?.nodeName ?? '') || isPodTerminal(pod)) continue;
    for (const { ports } of [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])])
      for (const { hostPort = 0, hostIP = '', protocol = 'TCP' } of ports ?? []) {
        const key = `${protocol.toLowerCase()}/${hostPort}`;
        if (hostPort !== 0 && !isLoopback(hostIP) && !held.has(key)) held.set(key, `pod ${cacheKey(pod)}`);
      }
  }
  return held;
}

/** Balancers answer on nodes' addresses, which a port of the loopback alone is no part of. */
function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
