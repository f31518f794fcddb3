import type { Service } from '../../generated/core-v1.ts';
import type { Ingress } from '../../generated/networking-v1.ts';
import { warnOfCidr, warnOfIp } from '../../validation/address-warnings.ts';
import { fieldPath } from '../../validation/path.ts';
import { Warnings } from '../../validation/warnings.ts';

const SPEC = fieldPath('spec');
const INGRESS = fieldPath('status', 'loadBalancer', 'ingress');
const OLD_HINTS = 'service.kubernetes.io/topology-aware-hints';
const HINTS = `annotation ${OLD_HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead`;

type Spec = NonNullable<Service['spec']>;

/** Of a Service, new or changed. */
export function serviceWarnings({ metadata, spec }: Service): readonly string[] {
  const warnings = new Warnings();
  if (metadata.annotations && Object.hasOwn(metadata.annotations, OLD_HINTS)) warnings.say(HINTS);
  if (!spec) return warnings.texts;
  const isHeadless = spec.type === 'ClusterIP' && spec.clusterIP === 'None';
  if (spec.clusterIP && spec.clusterIP !== 'None') {
    for (const [at, ip] of (spec.clusterIPs ?? []).entries()) {
      warnOfIp(ip, SPEC.child('clusterIPs').index(at), warnings);
    }
  }
  if (isHeadless) warnOfHeadless(spec, warnings);
  for (const [at, ip] of (spec.externalIPs ?? []).entries()) {
    warnOfIp(ip, SPEC.child('externalIPs').index(at), warnings);
  }
  warnOfFields(spec, isHeadless, warnings);
  return warnings.texts;
}

function warnOfHeadless(spec: Spec, warnings: Warnings): void {
  if (spec.loadBalancerIP) warnings.say('spec.loadBalancerIP is ignored for headless services');
  if (hasExternalIps(spec)) warnings.say('spec.externalIPs is ignored for headless services');
  if (spec.sessionAffinity !== 'None') warnings.say('spec.SessionAffinity is ignored for headless services');
}

function warnOfFields(spec: Spec, isHeadless: boolean, warnings: Warnings): void {
  const isExternalName = spec.type === 'ExternalName';
  if (hasExternalIps(spec) && !isHeadless && !isExternalName) {
    warnings.say('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  if (spec.loadBalancerIP) warnOfIp(spec.loadBalancerIP, SPEC.child('loadBalancerIP'), warnings);
  for (const [at, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    warnOfCidr(range, SPEC.child('loadBalancerSourceRanges').index(at), warnings);
  }
  if (isExternalName && hasExternalIps(spec)) {
    warnings.say('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (!isExternalName && spec.externalName) {
    warnings.say('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.add(SPEC.child('trafficDistribution'), '"PreferClose" is deprecated; use "PreferSameZone"');
  }
}

function hasExternalIps({ externalIPs }: Spec): boolean {
  return (externalIPs?.length ?? 0) > 0;
}

/** Of the addresses in the status of a Service or an Ingress. */
export function loadBalancerWarnings({ status }: Service | Ingress): readonly string[] {
  const warnings = new Warnings();
  for (const [at, { ip }] of (status?.loadBalancer?.ingress ?? []).entries()) {
    if (ip) warnOfIp(ip, INGRESS.index(at), warnings);
  }
  return warnings.texts;
}
