import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { Service, ServicePort } from '../../generated/core-v1.ts';
import { validateCidr, validateIp, validateNonSpecialIp } from '../../validation/address.ts';
import { validateLabels } from '../../validation/labels.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { PROTOCOLS } from '../pod/validation/ports.ts';
import { validatePort } from '../pod/validation/probes.ts';
import { validateClusterIps } from './cluster-ip-validation.ts';
import { validateServiceChange } from './change-validation.ts';
import { validateLoadBalancerStatus } from './load-balancer-validation.ts';
import { isHeadless } from './questions.ts';
import { validateTraffic } from './traffic-validation.ts';

const SPEC = fieldPath('spec');
const PORTS = SPEC.child('ports');
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const AFFINITY_SECONDS_MAX = 86_400;
const RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';

export function validateService(service: Service): FieldError[] {
  const report = new Report();
  validateServiceItself(service, report);
  return report.errors;
}

export function validateServiceUpdate(service: Service, before: Service): FieldError[] {
  const report = new Report();
  validateServiceChange(service, before, report);
  validateServiceItself(service, report);
  return report.errors;
}

export function validateServiceStatusUpdate(service: Service): FieldError[] {
  const report = new Report();
  validateLoadBalancerStatus(service.status?.loadBalancer?.ingress ?? [], report);
  return report.errors;
}

function validateServiceItself(service: Service, report: Report): void {
  const spec = service.spec ?? {};
  const ports = spec.ports ?? [];
  if (ports.length === 0 && !isHeadless(service) && spec.type !== 'ExternalName') report.required(PORTS);
  validateType(service, report);
  validatePorts(ports, report);
  validateLabels(spec.selector, SPEC.child('selector'), report);
  validateAffinity(service, report);
  validateClusterIps(service, report);
  for (const [at, ip] of (spec.externalIPs ?? []).entries()) {
    const path = SPEC.child('externalIPs').index(at);
    const before = report.count;
    validateIp(ip, path, report);
    if (report.count === before) validateNonSpecialIp(ip, path, report);
  }
  if (!spec.type) report.required(SPEC.child('type'));
  else if (!TYPES.includes(spec.type)) report.unsupported(SPEC.child('type'), spec.type, TYPES);
  validateUniquePorts(service, report);
  validateSourceRanges(service, report);
  validateTraffic(service, report);
}

/** What goes with one type of service and not with another. */
function validateType(service: Service, report: Report): void {
  const spec = service.spec ?? {};
  const first = SPEC.child('clusterIPs').index(0);
  if ((spec.type === 'LoadBalancer' || spec.type === 'NodePort') && isHeadless(service)) {
    report.invalid(first, 'None', `may not be set to 'None' for ${spec.type} services`);
  }
  if (spec.type !== 'ExternalName') return;
  const detail = 'may not be set for ExternalName services';
  if (spec.clusterIPs?.length) report.forbidden(SPEC.child('clusterIPs'), detail);
  if (spec.ipFamilies?.length) report.forbidden(SPEC.child('ipFamilies'), detail);
  if (spec.ipFamilyPolicy) report.forbidden(SPEC.child('ipFamilyPolicy'), detail);
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  if (name === '') report.required(SPEC.child('externalName'));
  else report.invalidEach(SPEC.child('externalName'), name, names.subdomainErrors(name));
}

function validatePorts(ports: readonly ServicePort[], report: Report): void {
  const seen = new Set<string>();
  for (const [at, port] of ports.entries()) {
    const path = PORTS.index(at);
    if (port.name) {
      report.invalidEach(path.child('name'), port.name, names.dnsLabelErrors(port.name));
      if (seen.has(port.name)) report.duplicate(path.child('name'), port.name);
      seen.add(port.name);
    } else if (ports.length > 1) report.required(path.child('name'));
    report.invalidEach(path.child('port'), port.port, names.portNumberErrors(port.port));
    if (!port.protocol) report.required(path.child('protocol'));
    else if (!PROTOCOLS.includes(port.protocol)) report.unsupported(path.child('protocol'), port.protocol, PROTOCOLS);
    validatePort(port.targetPort ?? 0, path.child('targetPort'), report);
    const appProtocol = port.appProtocol;
    if (appProtocol !== undefined && appProtocol !== null) {
      report.invalidEach(path.child('appProtocol'), appProtocol, names.qualifiedNameErrors(appProtocol));
    }
  }
}

function validateUniquePorts(service: Service, report: Report): void {
  const spec = service.spec ?? {};
  const ports = spec.ports ?? [];
  const nodePorts = new Set<string>();
  const taken = new Set<string>();
  for (const [at, port] of ports.entries()) {
    if (spec.type === 'ClusterIP' && port.nodePort) {
      report.forbidden(PORTS.index(at).child('nodePort'), "may not be used when `type` is 'ClusterIP'");
    }
  }
  for (const [at, port] of ports.entries()) {
    const key = `${port.protocol}/${port.nodePort}`;
    if (port.nodePort && nodePorts.has(key)) report.duplicate(PORTS.index(at).child('nodePort'), port.nodePort);
    nodePorts.add(key);
  }
  for (const [at, { protocol, port }] of ports.entries()) {
    const key = `${protocol}/${port}`;
    if (taken.has(key)) report.duplicate(PORTS.index(at), { protocol, port });
    taken.add(key);
  }
}

function validateAffinity(service: Service, report: Report): void {
  const { sessionAffinity, sessionAffinityConfig: config } = service.spec ?? {};
  const path = SPEC.child('sessionAffinityConfig');
  if (!sessionAffinity) report.required(SPEC.child('sessionAffinity'));
  else if (!AFFINITIES.includes(sessionAffinity)) {
    report.unsupported(SPEC.child('sessionAffinity'), sessionAffinity, AFFINITIES);
  }
  if (sessionAffinity === 'None') {
    if (config) report.forbidden(path, 'must not be set when session affinity is None');
    return;
  }
  if (sessionAffinity !== 'ClientIP') return;
  const seconds = config?.clientIP?.timeoutSeconds;
  const secondsPath = path.child('clientIP').child('timeoutSeconds');
  if (!config) report.required(path, 'when session affinity type is ClientIP');
  else if (!config.clientIP) report.required(path.child('clientIP'), 'when session affinity type is ClientIP');
  else if (seconds === undefined || seconds === null) {
    report.required(secondsPath, 'when session affinity type is ClientIP');
  } else if (seconds <= 0 || seconds > AFFINITY_SECONDS_MAX) {
    report.invalid(secondsPath, seconds, `must be greater than 0 and less than ${AFFINITY_SECONDS_MAX}`);
  }
}

/** Ranges that a load balancer lets in, as a field or as the annotation that came before it. */
function validateSourceRanges(service: Service, report: Report): void {
  const spec = service.spec ?? {};
  const annotation = service.metadata.annotations?.[RANGES_ANNOTATION];
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const isField = ranges.length > 0;
  if (!isField && annotation === undefined) return;
  const path = isField
    ? SPEC.child('LoadBalancerSourceRanges')
    : fieldPath('metadata', 'annotations').key(RANGES_ANNOTATION);
  if (spec.type !== 'LoadBalancer') report.forbidden(path, "may only be used when `type` is 'LoadBalancer'");
  const given = isField ? ranges : (annotation ?? '').trim() === '' ? [] : (annotation ?? '').split(',');
  for (const [at, range] of given.entries()) validateCidr(range.trim(), isField ? path.index(at) : path, report);
}
