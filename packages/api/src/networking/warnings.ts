import type { Ingress, NetworkPolicy } from '../generated/networking-v1.ts';
import { warnOfCidr } from '../validation/address-warnings.ts';
import { fieldPath } from '../validation/path.ts';
import type { FieldPath } from '../validation/path.ts';
import { Warnings } from '../validation/warnings.ts';
import * as wellknown from '../wellknown.ts';

const INGRESS_CLASS = wellknown.ANNOTATION_INGRESS_CLASS;

/** Of a new Ingress that names its class as it was once done. */
export function ingressWarnings({ metadata, spec }: Ingress, before?: Ingress): readonly string[] {
  const isAnnotated = Object.hasOwn(metadata.annotations ?? {}, INGRESS_CLASS);
  if (before !== undefined || !isAnnotated || typeof spec?.ingressClassName === 'string') return [];
  return [`annotation "${INGRESS_CLASS}" is deprecated, please use 'spec.ingressClassName' instead`];
}

interface Peer {
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] | null } | null;
}

/** Of the ranges of a NetworkPolicy. */
export function networkPolicyWarnings({ spec }: NetworkPolicy): readonly string[] {
  const warnings = new Warnings();
  const look = (peers: readonly Peer[] | null | undefined, path: FieldPath): void => {
    for (const [at, { ipBlock }] of (peers ?? []).entries()) {
      if (!ipBlock) continue;
      const here = path.index(at).child('ipBlock');
      warnOfCidr(ipBlock.cidr, here.child('cidr'), warnings);
      for (const [nth, range] of (ipBlock.except ?? []).entries()) {
        warnOfCidr(range, here.child('except').index(nth), warnings);
      }
    }
  };
  for (const [at, { from }] of (spec?.ingress ?? []).entries()) {
    look(from, fieldPath('spec', 'ingress').index(at).child('from'));
  }
  for (const [at, { to }] of (spec?.egress ?? []).entries()) {
    look(to, fieldPath('spec', 'egress').index(at).child('to'));
  }
  return warnings.texts;
}
