import type { Node } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';

/** kubeadm's order: names of nodes seldom resolve where the API server runs. */
const PREFERRED = ['InternalIP', 'ExternalIP', 'Hostname'];
const DEFAULT_PORT = 10_250;

/** Where the kubelet of a node listens, as the Node's status tells it. Throws 500 for a node without address. */
export function kubeletAddress(node: Node): { readonly host: string; readonly port: number } {
  const addresses = node.status?.addresses ?? [];
  const type = PREFERRED.find((wanted) => addresses.some((known) => known.type === wanted));
  const host = addresses.find((known) => known.type === type)?.address;
  if (host === undefined) {
    const known = addresses.map((address) => `{${address.type} ${address.address}}`).join(' ');
    throw status.internalFailure(`no preferred addresses found; known addresses: [${known}]`);
  }
  const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  return { host, port: port > 0 ? port : DEFAULT_PORT };
}
