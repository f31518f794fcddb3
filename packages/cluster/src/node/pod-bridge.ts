import { addressBytes, ipRange } from '@binnacle/base';
import { NetworkError } from '@binnacle/network';
import type { RunTool } from '@binnacle/network/nftables';
import { ClusterError } from '../errors.ts';

/** The node's own address among its pods: the first of the range, as the CNI plugin takes it. */
export function gatewayOf(podCidr: string): string {
  const range = ipRange(podCidr);
  if (range === undefined) throw new ClusterError('bad-range', `${podCidr} is no range of addresses`);
  const bytes = range.bytes.map((byte, at) => byte & (0xff00 >> Math.min(Math.max(range.bits - at * 8, 0), 8)));
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] ?? 0) + 1;
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bytes[at * 2] ?? 0) * 256 + (bytes[at * 2 + 1] ?? 0)).toString(16),
  );
  const text = groups.join(':').replace(/(?:^|:)0(?::0)+(?:$|:)/, '::');
  return addressBytes(text) === undefined ? groups.join(':') : text;
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
