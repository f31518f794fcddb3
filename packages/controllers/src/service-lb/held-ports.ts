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
    for (const port of hostPorts(pod)) if (!held.has(port)) held.set(port, `pod ${cacheKey(pod)}`);
  }
  return held;
}

/** What a pod asks of its node's addresses, as `tcp/80`. */
export function hostPorts({ spec }: Pod): string[] {
  const all = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].flatMap(({ ports = [] }) => ports);
  const open = all.filter(({ hostPort = 0, hostIP = '' }) => hostPort !== 0 && !isLoopback(hostIP));
  return [...new Set(open.map(({ hostPort, protocol = 'TCP' }) => `${protocol.toLowerCase()}/${hostPort}`))];
}

/** Balancers answer on nodes' addresses, which a port of the loopback alone is no part of. */
function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
