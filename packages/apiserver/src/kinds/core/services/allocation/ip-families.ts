import type { Draft } from '@binnacle/api';
import type { Service, ServiceSpec } from '@binnacle/api/core/v1';
import { FieldError } from '@binnacle/machinery';
import { parseAddress } from './address.ts';

export type Family = 'IPv4' | 'IPv6';

const NOT_CONFIGURED = 'not configured on this cluster';

/**
 * Fills ipFamilyPolicy, ipFamilies and clusterIPs from each other and from the families of the cluster (first: the
 * default). Writes into `service`; answers with what is wrong.
 */
export function decideFamilies(
  service: Draft<Service>,
  before: Service | undefined,
  cluster: readonly Family[],
): FieldError[] {
  const { spec } = service;
  if (spec.type === 'ExternalName') return [];
  pairClusterIps(spec);
  const isFree = spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= before?.spec.ipFamilyPolicy ?? (isFree ? 'RequireDualStack' : 'SingleStack');
  const errors = [...checkReduction(spec, before?.spec), ...checkPolicy(spec), ...inferFamilies(spec, cluster)];
  if (errors.length > 0) return errors;
  const fallback = cluster[0] ?? 'IPv4';
  if (isFree) {
    // Endpoints are made by hand: any family may be meant.
    spec.ipFamilies = addSecond(spec.ipFamilies ?? [], fallback, spec.ipFamilyPolicy !== 'SingleStack');
    return [];
  }
  errors.push(...checkConfigured(spec, cluster));
  if (errors.length > 0) return errors;
  const wantsTwo = spec.ipFamilyPolicy !== 'SingleStack' && cluster.length === 2;
  spec.ipFamilies = addSecond(spec.ipFamilies ?? [], fallback, wantsTwo);
  return [];
}

/** `clusterIP` is the first of `clusterIPs`: old clients know only the one. */
function pairClusterIps(spec: Draft<ServiceSpec>): void {
  const { clusterIP = '', clusterIPs = [] } = spec;
  if (clusterIP !== '' && clusterIPs.length === 0) spec.clusterIPs = [clusterIP];
}

function checkReduction(spec: Draft<ServiceSpec>, before: ServiceSpec | undefined): FieldError[] {
  if (before === undefined) return [];
  const { clusterIPs = [], ipFamilies = [] } = spec;
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (same(clusterIPs, before.clusterIPs)) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (same(ipFamilies, before.ipFamilies)) spec.ipFamilies = ipFamilies.slice(0, 1);
    return [];
  }
  const errors: FieldError[] = [];
  if (isReduced(clusterIPs, before.clusterIPs)) {
    errors.push(policyError(spec, "must be 'SingleStack' to release the secondary cluster IP"));
  }
  if (isReduced(ipFamilies, before.ipFamilies)) {
    errors.push(policyError(spec, "must be 'SingleStack' to release the secondary IP family"));
  }
  return errors;
}

function isReduced(now: readonly string[], before: readonly string[] | undefined): boolean {
  return now.length === 1 && before?.length === 2 && now[0] === before[0];
}

function checkPolicy(spec: Draft<ServiceSpec>): FieldError[] {
  if (spec.ipFamilyPolicy !== 'SingleStack') return [];
  const errors: FieldError[] = [];
  const two = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (spec.clusterIPs?.length === 2) errors.push(policyError(spec, `${two} cluster IPs are specified`));
  if (spec.ipFamilies?.length === 2) errors.push(policyError(spec, `${two} IP families are specified`));
  return errors;
}

function inferFamilies(spec: Draft<ServiceSpec>, cluster: readonly Family[]): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const errors: FieldError[] = [];
  for (const [i, ip] of clusterIPs.entries()) {
    if (ip === 'None' || i < ipFamilies.length) continue;
    const family: Family = parseAddress(ip)?.family === 6 ? 'IPv6' : 'IPv4';
    if (cluster.includes(family)) ipFamilies.push(family);
    else {
      const why = `${family} is ${NOT_CONFIGURED}`;
      errors.push(new FieldError('FieldValueInvalid', `spec.clusterIPs[${i}]`, clusterIPs, why));
    }
  }
  if (ipFamilies.length > 0) spec.ipFamilies = ipFamilies;
  return errors;
}

function checkConfigured(spec: Draft<ServiceSpec>, cluster: readonly Family[]): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === 'RequireDualStack' && cluster.length < 2) {
    errors.push(policyError(spec, 'this cluster is not configured for dual-stack services'));
  }
  for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
    if (cluster.some((one) => one === family)) continue;
    errors.push(new FieldError('FieldValueInvalid', `spec.ipFamilies[${i}]`, family, NOT_CONFIGURED));
  }
  return errors;
}

function addSecond(given: readonly string[], fallback: Family, wantsTwo: boolean): Family[] {
  const [first = fallback, second] = given as readonly Family[];
  if (second !== undefined) return [first, second];
  return wantsTwo ? [first, first === 'IPv4' ? 'IPv6' : 'IPv4'] : [first];
}

function policyError(spec: Draft<ServiceSpec>, why: string): FieldError {
  return new FieldError('FieldValueInvalid', 'spec.ipFamilyPolicy', spec.ipFamilyPolicy, why);
}

function same(a: readonly string[], b: readonly string[] | undefined): boolean {
  return a.length === b?.length && a.every((item, i) => item === b[i]);
}
