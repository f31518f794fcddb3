import type { EndpointAddress, Endpoints } from '@binnacle/api/core/v1';
import type { Endpoint, EndpointPort } from '@binnacle/api/discovery/v1';
import { familyOf } from '../service-endpoints.ts';
import type { SliceGroup } from '../slice-plan.ts';

/** Upstream's --mirroring-max-endpoints-per-subset: the rest of a subset is not mirrored. */
export const MIRRORED_MAX = 1000;

/** What a hand-made Endpoints object says, as endpoints of slices. */
export function mirroredGroups(endpoints: Endpoints): {
  readonly groups: readonly SliceGroup[];
  /** Addresses left out because their subset has too many. */
  readonly skipped: number;
} {
  const groups: SliceGroup[] = [];
  let skipped = 0;
  for (const subset of endpoints.subsets ?? []) {
    const { addresses = [], notReadyAddresses = [] } = subset;
    const all = [
      ...addresses.map((one) => mirrored(one, true)),
      ...notReadyAddresses.map((one) => mirrored(one, false)),
    ];
    const kept = all.slice(0, MIRRORED_MAX);
    skipped += all.length - kept.length;
    const ports = (subset.ports ?? []).map(({ name = '', port, protocol = 'TCP', appProtocol }): EndpointPort => ({
      name,
      port,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    }));
    for (const family of ['IPv4', 'IPv6'] as const) {
      const mine = kept.filter((one) => familyOf(one.addresses[0] ?? '') === family);
      if (mine.length > 0) groups.push({ family, ports, endpoints: mine });
    }
  }
  return { groups, skipped };
}

function mirrored({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === undefined || hostname === '' ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
}
