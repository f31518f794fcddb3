import { addressAt, addressText, ipRange } from '@binnacle/base';
import { NetworkError } from '@binnacle/network';
import type { RunTool } from '@binnacle/network/nftables';
import { ClusterError } from '../errors.ts';

/** The node's own address among its pods: the first of the range, as the CNI plugin takes it. */
export function gatewayOf(podCidr: string): string {
  const range = ipRange(podCidr);
  if (range === undefined) throw new ClusterError('bad-range', `${podCidr} is no range of addresses`);
  return addressText(addressAt(range, 1n));
}

/**
 * Makes the bridge that the CNI plugin would make with the first pod: what listens on the node's address among its pods
 * is there before them. One that is there is left as it is.
 */
export async function ensurePodBridge(run: RunTool, bridge: string, podCidr: string): Promise<string> {
  const gateway = gatewayOf(podCidr);
  try {
    await run(['ip', 'link', 'add', bridge, 'type', 'bridge']);
  } catch (error) {
    if (!(error instanceof NetworkError && error.message.includes('File exists'))) throw error;
  }
  await run(['ip', 'addr', 'replace', `${gateway}/${podCidr.split('/')[1]}`, 'dev', bridge]);
  await run(['ip', 'link', 'set', bridge, 'up']);
  return gateway;
}
