import { addressBytes, addressText, plainBytes } from '@binnacle/base';
import type { EndpointAddress, Endpoints } from '@binnacle/api/core/v1';
import type { Endpoint, EndpointPort } from '@binnacle/api/discovery/v1';
import type { SliceFamily, SliceGroup } from '../slice-plan.ts';
import { repackSubsets } from './repack.ts';

/** Upstream's --mirroring-max-endpoints-per-subset: the rest of a subset is not mirrored. */
export const MIRRORED_MAX = 1000;

/** What a hand-made Endpoints object says, as endpoints of slices. */
export function mirroredGroups(endpoints: Endpoints): {
  readonly groups: readonly SliceGroup[];
  /** Addresses left out, because their subset has too many or because they are none. */
  readonly skipped: number;
  /** Those of them that are no IP addresses. */
  readonly invalid: number;
} {
  const groups: SliceGroup[] = [];
  let [skipped, invalid] = [0, 0];
  for (const { ports: given, addresses } of repackSubsets(endpoints.subsets ?? [])) {
    const kept = { IPv4: [] as Endpoint[], IPv6: [] as Endpoint[] };
    let count = 0;
    for (const { address, ready } of addresses) {
      if (count === MIRRORED_MAX) break;
      const plain = properAddress(address.ip);
      if (plain === undefined) {
        invalid++;
        continue;
      }
      count++;
      kept[plain.family].push(mirrored(address, { ip: plain.text, ready }));
    }
    skipped += addresses.length - count;
    const ports = given.map(({ name = '', port, protocol = 'TCP', appProtocol }): EndpointPort => ({
      name,
      port,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    }));
    for (const family of ['IPv4', 'IPv6'] as const)
      if (kept[family].length > 0) groups.push({ family, ports, endpoints: kept[family] });
  }
  return { groups, skipped, invalid };
}

/** Slices want addresses in their one proper form; Endpoints may have any. An IPv4 address in IPv6's dress is an IPv4 address. */
function properAddress(ip: string): { readonly text: string; readonly family: SliceFamily } | undefined {
  const bytes = addressBytes(ip);
  if (bytes === undefined) return undefined;
  const plain = plainBytes(bytes);
  return { text: addressText(plain), family: plain.length === 4 ? 'IPv4' : 'IPv6' };
}

function mirrored(
  { hostname, nodeName, targetRef }: EndpointAddress,
  as: { readonly ip: string; readonly ready: boolean },
): Endpoint {
  return {
    addresses: [as.ip],
    conditions: { ready: as.ready },
    ...(hostname === undefined || hostname === '' ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}
