import { SERVICE_CIDRS } from '@binnacle/api';
import { addressAt, addressText, ipRange } from '@binnacle/base';
import type { Client } from '@binnacle/client';
import { status } from '@binnacle/machinery';
import { ClusterError } from './errors.ts';

/** The address of names in a range of Services: the tenth, as upstream's installers choose it. Throws ClusterError. */
export function dnsAddressIn(range: string): string {
  return addressIn(range, 10n);
}

/** Where pods reach the API server in a range of Services: the first, the Service `kubernetes`. Throws ClusterError. */
export function serverAddressIn(range: string): string {
  return addressIn(range, 1n);
}

function addressIn(range: string, at: bigint): string {
  const parsed = ipRange(range);
  if (parsed === undefined) throw new ClusterError('bad-range', `${range} is no range of addresses`);
  return addressText(addressAt(parsed, at));
}

/** Out of what a cluster gives its Services addresses since it was made; the first is theirs by default. */
export async function serviceRangesIn(admin: Client): Promise<readonly string[]> {
  const { spec } = await admin.resource(SERVICE_CIDRS).get('kubernetes');
  return spec?.cidrs ?? [];
}

/** All that ClusterIPs are given out of now; undefined: the server does not tell, as none of before v1.33 does, nor some to proxies. */
export async function serviceRangesTold(client: Client): Promise<readonly string[] | undefined> {
  try {
    const { items } = await client.resource(SERVICE_CIDRS).list();
    return items.flatMap(({ spec }) => spec?.cidrs ?? []);
  } catch (error) {
    if (status.isNotFound(error) || status.isForbidden(error)) return undefined;
    throw error;
  }
}
