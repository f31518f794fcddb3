import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { EndpointAddress, EndpointPort, Endpoints, EndpointSubset } from '../../generated/core-v1.ts';
import { validateIp, validateNonSpecialIp } from '../../validation/address.ts';
import { fieldPath } from '../../validation/path.ts';
import type { FieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { PROTOCOLS } from '../pod/validation/ports.ts';

/** New or changed. */
export function validateEndpoints({ subsets = [] }: Endpoints): FieldError[] {
  const report = new Report();
  const path = fieldPath('subsets');
  for (const [at, subset] of subsets.entries()) validateSubset(subset, path.index(at), report);
  return report.errors;
}

function validateSubset(subset: EndpointSubset, path: FieldPath, report: Report): void {
  const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
  if (addresses.length === 0 && notReadyAddresses.length === 0) {
    report.required(path, 'must specify `addresses` or `notReadyAddresses`');
  }
  for (const [at, one] of addresses.entries()) validateAddress(one, path.child('addresses').index(at), report);
  for (const [at, one] of notReadyAddresses.entries()) {
    validateAddress(one, path.child('notReadyAddresses').index(at), report);
  }
  for (const [at, port] of ports.entries()) {
    const here = path.child('ports').index(at);
    if (!port.name && ports.length > 1) report.required(here.child('name'));
    validatePort(port, here, report);
  }
}

function validateAddress({ ip, hostname, nodeName }: EndpointAddress, path: FieldPath, report: Report): void {
  validateIp(ip, path.child('ip'), report);
  if (hostname) report.invalidEach(path.child('hostname'), hostname, names.dnsLabelErrors(hostname));
  if (nodeName !== undefined) report.invalidEach(path.child('nodeName'), nodeName, names.subdomainErrors(nodeName));
  validateNonSpecialIp(ip, path.child('ip'), report);
}

function validatePort({ name, port, protocol, appProtocol }: EndpointPort, path: FieldPath, report: Report): void {
  if (name) report.invalidEach(path.child('name'), name, names.dnsLabelErrors(name));
  report.invalidEach(path.child('port'), port, names.portNumberErrors(port));
  if (!protocol) report.required(path.child('protocol'));
  else if (!PROTOCOLS.includes(protocol)) report.unsupported(path.child('protocol'), protocol, PROTOCOLS);
  if (appProtocol === undefined) return;
  report.invalidEach(path.child('appProtocol'), appProtocol, names.qualifiedNameErrors(appProtocol));
}
