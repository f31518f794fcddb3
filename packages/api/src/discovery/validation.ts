import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import { PROTOCOLS } from '../core/pod/validation/ports.ts';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../generated/discovery-v1.ts';
import { addressFamily, validateNonSpecialIp } from '../validation/address.ts';
import { validateLabels } from '../validation/labels.ts';
import { fieldPath } from '../validation/path.ts';
import type { FieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const ADDRESSES_MAX = 100;
const ENDPOINTS_MAX = 1000;
const PORTS_MAX = 20_000;
const TOPOLOGY_MAX = 16;
const HINTS_MAX = 8;

export function validateEndpointSlice(slice: EndpointSlice): FieldError[] {
  const report = new Report();
  validateSlice(slice, report);
  return report.errors;
}

/** A slice holds one kind of addresses for good. */
export function validateEndpointSliceUpdate(slice: EndpointSlice, before: EndpointSlice): FieldError[] {
  const report = new Report();
  validateSlice(slice, report);
  const { addressType } = slice;
  report.immutable(fieldPath('addressType'), addressType, addressType === before.addressType);
  return report.errors;
}

function validateSlice(slice: EndpointSlice, report: Report): void {
  const type = slice.addressType;
  const typePath = fieldPath('addressType');
  if (!type) report.required(typePath);
  else if (!ADDRESS_TYPES.includes(type)) report.unsupported(typePath, type, ADDRESS_TYPES);
  const path = fieldPath('endpoints');
  const endpoints = slice.endpoints ?? [];
  if (endpoints.length > ENDPOINTS_MAX) report.tooMany(path, endpoints.length, ENDPOINTS_MAX);
  else {
    for (const [at, endpoint] of endpoints.entries()) validateEndpoint({ endpoint, type }, path.index(at), report);
  }
  validatePorts(slice.ports ?? [], fieldPath('ports'), report);
}

function validateEndpoint(
  { endpoint, type }: { readonly endpoint: Endpoint; readonly type: string },
  path: FieldPath,
  report: Report,
): void {
  const addresses = endpoint.addresses ?? [];
  const here = path.child('addresses');
  if (addresses.length === 0) report.required(here, 'must contain at least 1 address');
  else if (addresses.length > ADDRESSES_MAX) report.tooMany(here, addresses.length, ADDRESSES_MAX);
  for (const [at, address] of addresses.entries()) validateAddress({ address, type }, here.index(at), report);
  const { nodeName, hostname, hints, deprecatedTopology: topology = {} } = endpoint;
  if (nodeName !== undefined) report.invalidEach(path.child('nodeName'), nodeName, names.subdomainErrors(nodeName));
  const topologyPath = path.child('deprecatedTopology');
  const count = Object.keys(topology).length;
  if (count > TOPOLOGY_MAX) report.tooMany(topologyPath, count, TOPOLOGY_MAX);
  if (count > 0) validateLabels(topology, topologyPath, report);
  if (hostname !== undefined) report.invalidEach(path.child('hostname'), hostname, names.dnsLabelErrors(hostname));
  if (hints) validateHints(hints, path.child('hints'), report);
}

function validateAddress(
  { address, type }: { readonly address: string; readonly type: string },
  path: FieldPath,
  report: Report,
): void {
  if (type === 'FQDN') return validateDomain(address, path, report);
  if (type !== 'IPv4' && type !== 'IPv6') return undefined;
  if (addressFamily(address) !== type) report.invalid(path, address, `must be a valid ${type} address`);
  return validateNonSpecialIp(address, path, report);
}

/** Two labels at least; a dot may end it. */
function validateDomain(given: string, path: FieldPath, report: Report): void {
  if (given === '') return report.required(path);
  const name = given.endsWith('.') ? given.slice(0, -1) : given;
  const errors = names.subdomainErrors(name);
  if (errors.length > 0) return report.invalid(path, name, errors.join(','));
  const labels = name.split('.');
  if (labels.length < 2) {
    return report.invalid(path, name, 'should be a domain with at least two segments separated by dots');
  }
  const wrong = labels.find((label) => names.dnsLabelErrors(label).length > 0);
  if (wrong === undefined) return undefined;
  return report.invalid(path, wrong, names.dnsLabelErrors(wrong).join(','));
}

function validateHints({ forZones = [], forNodes = [] }: EndpointHints, path: FieldPath, report: Report): void {
  validateHintNames(forZones, { path: path.child('forZones'), errorsOf: names.labelValueErrors }, report);
  validateHintNames(forNodes, { path: path.child('forNodes'), errorsOf: names.subdomainErrors }, report);
}

function validateHintNames(
  hints: readonly { readonly name: string }[],
  { path, errorsOf }: { readonly path: FieldPath; readonly errorsOf: (name: string) => string[] },
  report: Report,
): void {
  if (hints.length > HINTS_MAX) return report.tooMany(path, hints.length, HINTS_MAX);
  const seen = new Set<string>();
  for (const [at, { name }] of hints.entries()) {
    const here = path.index(at).child('name');
    if (seen.has(name)) report.duplicate(here, name);
    seen.add(name);
    report.invalidEach(here, name, errorsOf(name));
  }
  return undefined;
}

function validatePorts(ports: readonly EndpointPort[], path: FieldPath, report: Report): void {
  if (ports.length > PORTS_MAX) return report.tooMany(path, ports.length, PORTS_MAX);
  const seen = new Set<string>();
  for (const [at, { name = '', protocol, appProtocol }] of ports.entries()) {
    const here = path.index(at);
    if (name !== '') report.invalidEach(here.child('name'), name, names.dnsLabelErrors(name));
    if (seen.has(name)) report.duplicate(here.child('name'), name);
    seen.add(name);
    if (!protocol) report.required(here.child('protocol'));
    else if (!PROTOCOLS.includes(protocol)) report.unsupported(here.child('protocol'), protocol, PROTOCOLS);
    if (appProtocol === undefined) continue;
    report.invalidEach(here.child('appProtocol'), appProtocol, names.qualifiedNameErrors(appProtocol));
  }
  return undefined;
}
