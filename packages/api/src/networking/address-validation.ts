import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { IPAddress, ServiceCIDR } from '../generated/networking-v1.ts';
import { addressFamily, cidrFamily, validateCidr } from '../validation/address.ts';
import { isSemanticallyEqual } from '../validation/equality.ts';
import { fieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';

const PARENT = fieldPath('spec', 'parentRef');
const CIDRS = fieldPath('spec', 'cidrs');

/** Addresses are objects whose names are the addresses. */
export function addressNameErrors(name: string): string[] {
  return addressFamily(name) === undefined ? ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'] : [];
}

export function validateIpAddress(address: IPAddress): FieldError[] {
  const report = new Report();
  const parent = address.spec?.parentRef;
  if (!parent) {
    report.required(PARENT);
    return report.errors;
  }
  const { group, namespace } = parent;
  if (group) report.invalidEach(PARENT.child('group'), group, names.subdomainErrors(group));
  for (const field of ['resource', 'name'] as const) {
    const value = parent[field];
    if (!value) report.required(PARENT.child(field));
    else report.invalidEach(PARENT.child(field), value, names.pathSegmentErrors(value));
  }
  if (namespace) report.invalidEach(PARENT.child('namespace'), namespace, names.pathSegmentErrors(namespace));
  return report.errors;
}

/** An address stays with whom it was given to. */
export function validateIpAddressUpdate(address: IPAddress, before: IPAddress): FieldError[] {
  const report = new Report();
  const parent = address.spec?.parentRef;
  report.immutable(
    PARENT,
    parent ?? null,
    isSemanticallyEqual('networking.v1.IPAddressSpec.parentRef', parent, before.spec?.parentRef),
  );
  return report.errors;
}

export function validateServiceCidr({ spec }: ServiceCIDR): FieldError[] {
  const report = new Report();
  const cidrs = spec?.cidrs ?? [];
  const families = new Set(cidrs.map(cidrFamily));
  if (cidrs.length === 0) report.required(CIDRS, 'at least one CIDR required');
  else if (cidrs.length > 2) report.invalid(CIDRS, spec, 'may only hold up to 2 values');
  else if (cidrs.length === 2 && (families.size !== 2 || families.has(undefined))) {
    const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
    report.invalid(CIDRS, spec, detail);
  } else {
    for (const [at, cidr] of cidrs.entries()) validateCidr(cidr, CIDRS.index(at), report);
  }
  return report.errors;
}

/** Services have addresses of the range: it stays. One of the other family may join it. */
export function validateServiceCidrUpdate(cidr: ServiceCIDR, before: ServiceCIDR): FieldError[] {
  const report = new Report();
  const [now, was] = [cidr.spec?.cidrs ?? [], before.spec?.cidrs ?? []];
  const joins = was.length === 1 && now.length === 2;
  if (now.length !== was.length && !joins) {
    report.immutable(CIDRS, now, false);
    return report.errors;
  }
  for (const [at, kept] of was.entries()) report.immutable(CIDRS.index(at), now[at] ?? null, now[at] === kept);
  return joins ? [...report.errors, ...validateServiceCidr(cidr)] : report.errors;
}
