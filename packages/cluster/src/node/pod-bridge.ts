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
export async function ensurePodBridge(
  run: RunTool,
  bridge: string,
  podCidrs: readonly string[],
): Promise<readonly string[]> {
  return ensureBridge(run, { bridge, podCidrs, isAlone: false });
}

/** The same for a bridge without pods: other links lead to their range. */
export async function ensureLoneBridge(
  run: RunTool,
  bridge: string,
  podCidrs: readonly string[],
): Promise<readonly string[]> {
  return ensureBridge(run, { bridge, podCidrs, isAlone: true });
}

async function ensureBridge(
  run: RunTool,
  of: { readonly bridge: string; readonly podCidrs: readonly string[]; readonly isAlone: boolean },
): Promise<readonly string[]> {
  const { bridge, podCidrs, isAlone } = of;
  const gateways = podCidrs.map(gatewayOf);
  const isNew = await addBridge(run, bridge);
  await ownLink(run, { link: bridge, addresses: gateways });
  // At the last start it may have been of the other sort, which `replace` would not change.
  const other = isAlone ? '-noprefixroute' : 'noprefixroute';
  if (!isNew) await run(['ip', 'addr', 'flush', 'dev', bridge, 'scope', 'global', other]);
  for (const [at, gateway] of gateways.entries()) {
    const address = `${gateway}/${podCidrs[at]?.split('/')[1]}`;
    // Nobody else has it, and a name server listens on it at once.
    const how = [...(gateway.includes(':') ? ['nodad'] : []), ...(isAlone ? ['noprefixroute'] : [])];
    await run(['ip', 'addr', 'replace', address, 'dev', bridge, ...how]);
  }
  await run(['ip', 'link', 'set', bridge, 'up']);
  return gateways;
}

/** Whether it was not there. */
async function addBridge(run: RunTool, bridge: string): Promise<boolean> {
  try {
    await run(['ip', 'link', 'add', bridge, 'type', 'bridge']);
    return true;
  } catch (error) {
    if (error instanceof NetworkError && error.message.includes('File exists')) return false;
    throw error;
  }
}

/** Not every machine has a program for it, and a kernel without IPv6 has none of these. */
const SET = 'for s; do f=/proc/sys/net/ipv6/conf/${s%=*}; [ ! -e "$f" ] || echo "${s#*=}" >"$f"; done';

/**
 * Takes a link's IPv6 into our hands: who is behind it advertises no routes to the machine (a pod that did would have what
 * the machine says to the world), and where it shall have addresses it may, whatever the machine wants of new links.
 * `within`: what runs a tool where the link is.
 */
export async function ownLink(
  run: RunTool,
  of: { readonly link: string; readonly addresses: readonly string[]; readonly within?: readonly string[] },
): Promise<void> {
  const { link, addresses, within = [] } = of;
  const settings = [`${link}/accept_ra=0`];
  if (addresses.some((address) => address.includes(':'))) settings.push(`${link}/disable_ipv6=0`);
  await run([...within, 'sh', '-c', SET, 'sh', ...settings]);
}
