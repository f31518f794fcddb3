import type { Service } from '../../generated/core-v1.ts';
import { addressFamily, validateIp } from '../../validation/address.ts';
import { fieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';
import { isHeadless } from './questions.ts';

const SPEC = fieldPath('spec');
const IPS = SPEC.child('clusterIPs');
const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** Addresses and families of a service, which must go together. Names of services elsewhere have none. */
export function validateClusterIps(service: Service, report: Report): void {
  const spec = service.spec ?? {};
  if (spec.type === 'ExternalName') return;
  validateFirst(service, report);
  const seen = new Set<string>();
  for (const [at, family] of (spec.ipFamilies ?? []).entries()) {
    const path = SPEC.child('ipFamilies').index(at);
    if (!FAMILIES.includes(family)) report.unsupported(path, family, FAMILIES);
    if (seen.has(family)) report.duplicate(path, family);
    seen.add(family);
  }
  if (spec.ipFamilyPolicy && !POLICIES.includes(spec.ipFamilyPolicy)) {
    report.unsupported(SPEC.child('ipFamilyPolicy'), spec.ipFamilyPolicy, POLICIES);
  }
  if (!validateAddresses(spec.clusterIPs ?? [], report)) return;
  validateFamilies(service, report);
}

/** `clusterIP` is the first of `clusterIPs`. */
function validateFirst(service: Service, report: Report): void {
  const { clusterIP, clusterIPs = [] } = service.spec ?? {};
  if (!clusterIP) {
    if (clusterIPs.length > 0) report.invalid(IPS, clusterIPs, 'must be empty when `clusterIP` is not specified');
  } else if (clusterIPs.length === 0) report.required(IPS);
  else if (clusterIPs[0] !== clusterIP) report.invalid(IPS, clusterIPs, 'first value must match `clusterIP`');
}

/** False when an address is none: then it makes no sense to look at families. */
function validateAddresses(ips: readonly string[], report: Report): boolean {
  const before = report.count;
  for (const [at, ip] of ips.entries()) {
    if (at === 0 && ip === 'None') {
      if (ips.length > 1) report.invalid(IPS, ips, "'None' must be the first and only value");
    } else validateIp(ip, IPS.index(at), report);
  }
  const right = report.count === before;
  if (ips.length > 2) report.invalid(IPS, ips, 'may only hold up to 2 values');
  return right;
}

function validateFamilies(service: Service, report: Report): void {
  const { clusterIPs: ips = [], ipFamilies: families = [] } = service.spec ?? {};
  if (ips.length > 1 && new Set(ips.map(addressFamily)).size !== 2) {
    report.invalid(IPS, ips, 'may specify no more than one IP for each IP family');
  }
  if (isHeadless(service)) return;
  for (const [at, ip] of ips.entries()) {
    const family = families[at];
    if (family === undefined || family === '' || addressFamily(ip) === family) continue;
    report.invalid(IPS.index(at), ip, `expected an ${family} value as indicated by \`ipFamilies[${at}]\``);
  }
}
