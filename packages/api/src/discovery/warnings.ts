import type { EndpointSlice } from '../generated/discovery-v1.ts';
import { warnOfIp } from '../validation/address-warnings.ts';
import { fieldPath } from '../validation/path.ts';
import { Warnings } from '../validation/warnings.ts';

const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const OWN_CONTROLLERS = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

/** Of a slice that somebody wrote by hand. */
export function endpointSliceWarnings(slice: EndpointSlice, before?: EndpointSlice): readonly string[] {
  const warnings = new Warnings();
  const { metadata, addressType, endpoints } = slice;
  if (before === undefined && addressType === 'FQDN') warnings.say('spec.addressType: FQDN endpoints are deprecated');
  if (OWN_CONTROLLERS.includes(metadata.labels?.[MANAGED_BY] ?? '')) return warnings.texts;
  for (const [at, { addresses }] of (endpoints ?? []).entries()) {
    for (const [nth, address] of addresses.entries()) {
      warnOfIp(address, fieldPath('endpoints').index(at).child('addresses').index(nth), warnings);
    }
  }
  return warnings.texts;
}
