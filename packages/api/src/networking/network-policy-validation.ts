import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../generated/networking-v1.ts';
import { cidrFamily, isStrictSubset, validateCidr } from '../validation/address.ts';
import { validateLabelSelector } from '../validation/labels.ts';
import { fieldPath } from '../validation/path.ts';
import type { FieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';

const SPEC = fieldPath('spec');
const PROTOCOLS: readonly string[] = ['TCP', 'UDP', 'SCTP'];
const TYPES: readonly string[] = ['Ingress', 'Egress'];

export function validateNetworkPolicy({ spec }: NetworkPolicy): FieldError[] {
  const report = new Report();
  validateLabelSelector(spec.podSelector, SPEC.child('podSelector'), report);
  for (const [at, { ports, from }] of (spec.ingress ?? []).entries()) {
    const path = SPEC.child('ingress').index(at);
    validatePorts(ports ?? [], path.child('ports'), report);
    validatePeers(from ?? [], path.child('from'), report);
  }
  for (const [at, { ports, to }] of (spec.egress ?? []).entries()) {
    const path = SPEC.child('egress').index(at);
    validatePorts(ports ?? [], path.child('ports'), report);
    validatePeers(to ?? [], path.child('to'), report);
  }
  validateTypes(spec.policyTypes ?? [], SPEC.child('policyTypes'), report);
  return report.errors;
}

function validateTypes(types: readonly string[], path: FieldPath, report: Report): void {
  if (types.length > TYPES.length) return report.invalid(path, types, 'may not specify more than two policyTypes');
  for (const [at, type] of types.entries()) {
    if (!TYPES.includes(type)) report.unsupported(path.index(at), type, TYPES);
  }
  return undefined;
}

function validatePorts(ports: readonly NetworkPolicyPort[], path: FieldPath, report: Report): void {
  for (const [at, port] of ports.entries()) validatePort(port, path.index(at), report);
}

function validatePort({ protocol, port, endPort }: NetworkPolicyPort, path: FieldPath, report: Report): void {
  const endPath = path.child('endPort');
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    report.unsupported(path.child('protocol'), protocol, PROTOCOLS);
  }
  if (port === undefined) {
    if (endPort !== undefined) report.invalid(endPath, endPort, 'may not be specified when `port` is not specified');
  } else if (typeof port === 'string') {
    if (endPort !== undefined) report.invalid(endPath, endPort, 'may not be specified when `port` is non-numeric');
    report.invalidEach(path.child('port'), port, names.portNameErrors(port));
  } else {
    report.invalidEach(path.child('port'), port, names.portNumberErrors(port));
    if (endPort === undefined) return;
    // Upstream shows the port here, not the end.
    if (endPort < port) report.invalid(endPath, port, 'must be greater than or equal to `port`');
    report.invalidEach(endPath, endPort, names.portNumberErrors(endPort));
  }
}

function validatePeers(peers: readonly NetworkPolicyPeer[], path: FieldPath, report: Report): void {
  for (const [at, peer] of peers.entries()) validatePeer(peer, path.index(at), report);
}

function validatePeer(peer: NetworkPolicyPeer, path: FieldPath, report: Report): void {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  validateLabelSelector(podSelector, path.child('podSelector'), report);
  validateLabelSelector(namespaceSelector, path.child('namespaceSelector'), report);
  if (ipBlock) validateBlock(ipBlock, path.child('ipBlock'), report);
  const bySelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!bySelector && !ipBlock) report.required(path, 'must specify a peer');
  if (bySelector && ipBlock) report.forbidden(path, 'may not specify both ipBlock and another peer');
}

function validateBlock({ cidr, except = [] }: IPBlock, path: FieldPath, report: Report): void {
  if (cidr === '') return report.required(path.child('cidr'));
  validateCidr(cidr, path.child('cidr'), report);
  if (cidrFamily(cidr) === undefined) return undefined;
  for (const [at, range] of except.entries()) {
    const here = path.child('except').index(at);
    validateCidr(range, here, report);
    if (cidrFamily(range) === undefined || isStrictSubset(range, cidr)) continue;
    report.invalid(here, range, 'must be a strict subset of `cidr`');
  }
  return undefined;
}
