import { SERVICE_CIDRS } from '@binnacle/api';
import { addressAt, addressText, ipRange } from '@binnacle/base';
import type { Client } from '@binnacle/client';
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
