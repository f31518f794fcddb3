import { names } from '@binnacle/machinery';
import type { LoadBalancerIngress } from '../../generated/core-v1.ts';
import { addressFamily, validateIp } from '../../validation/address.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';

const IP_MODES = ['Proxy', 'VIP'];

/** Where a load balancer says that it can be reached. */
export function validateLoadBalancerStatus(ingress: readonly LoadBalancerIngress[], report: Report): void {
  const path = fieldPath('status', 'loadBalancer', 'ingress');
  for (const [at, entry] of ingress.entries()) validateEntry(entry, path.index(at), report);
}

function validateEntry(entry: LoadBalancerIngress, path: FieldPath, report: Report): void {
  const { ip, ipMode, hostname } = entry;
  const hasMode = ipMode !== undefined && ipMode !== null;
  if (ip) validateIp(ip, path.child('ip'), report);
  if (!hasMode) {
    if (ip) report.required(path.child('ipMode'), 'must be specified when `ip` is set');
  } else if (!ip) report.forbidden(path.child('ipMode'), 'may not be specified when `ip` is not set');
  else if (!IP_MODES.includes(ipMode)) report.unsupported(path.child('ipMode'), ipMode, IP_MODES);
  if (!hostname) return;
  report.invalidEach(path.child('hostname'), hostname, names.subdomainErrors(hostname));
  if (addressFamily(hostname)) {
    report.invalid(path.child('hostname'), hostname, 'must be a DNS name, not an IP address');
  }
}
