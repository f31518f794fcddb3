import { names } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressTLS,
} from '../generated/networking-v1.ts';
import { addressFamily, validateIp } from '../validation/address.ts';
import { fieldPath } from '../validation/path.ts';
import type { FieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';
import { validateTypedReference } from './reference-validation.ts';
import * as wellknown from '../wellknown.ts';

const SPEC = fieldPath('spec');
const CLASS_ANNOTATION = wellknown.ANNOTATION_INGRESS_CLASS;
const NO_ADDRESS = 'must be a DNS name, not an IP address';
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const WRONG_IN_PATH = ['//', '/./', '/../', '%2f', '%2F'];
const WRONG_AT_END = ['/..', '/.'];

export function validateIngress(ingress: Ingress): FieldError[] {
  const report = new Report();
  validateSpec(ingress.spec, report);
  const annotation = ingress.metadata.annotations?.[CLASS_ANNOTATION];
  const { ingressClassName } = ingress.spec;
  if (annotation !== undefined && ingressClassName !== undefined && annotation !== ingressClassName) {
    const detail = 'must match `ingressClassName` when both are specified';
    report.invalid(fieldPath('annotations', CLASS_ANNOTATION), annotation, detail);
  }
  return report.errors;
}

/** The annotation and the class may contradict each other later, as they once could. */
export function validateIngressUpdate(ingress: Ingress): FieldError[] {
  const report = new Report();
  validateSpec(ingress.spec, report);
  return report.errors;
}

export function validateIngressStatusUpdate(ingress: Ingress): FieldError[] {
  const report = new Report();
  const path = fieldPath('status', 'loadBalancer', 'ingress');
  for (const [at, { ip, hostname }] of (ingress.status?.loadBalancer?.ingress ?? []).entries()) {
    if (ip) validateIp(ip, path.index(at).child('ip'), report);
    if (!hostname) continue;
    const here = path.index(at).child('hostname');
    report.invalidEach(here, hostname, names.subdomainErrors(hostname));
    if (addressFamily(hostname) !== undefined) report.invalid(here, hostname, NO_ADDRESS);
  }
  return report.errors;
}

function validateSpec(spec: IngressSpec, report: Report): void {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  if (rules.length === 0 && !defaultBackend) {
    report.invalid(SPEC, spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified');
  }
  if (defaultBackend) validateBackend(defaultBackend, SPEC.child('defaultBackend'), report);
  for (const [at, rule] of rules.entries()) validateRule(rule, SPEC.child('rules').index(at), report);
  for (const [at, one] of tls.entries()) validateTls(one, SPEC.child('tls').index(at), report);
  if (ingressClassName === undefined) return;
  report.invalidEach(SPEC.child('ingressClassName'), ingressClassName, names.subdomainErrors(ingressClassName));
}

function hostErrors(host: string): string[] {
  return host.includes('*') ? names.wildcardSubdomainErrors(host) : names.subdomainErrors(host);
}

function validateTls({ hosts = [], secretName }: IngressTLS, path: FieldPath, report: Report): void {
  for (const [at, host] of hosts.entries()) report.invalidEach(path.child('hosts').index(at), host, hostErrors(host));
  if (secretName) report.invalidEach(path.child('secretName'), secretName, names.subdomainErrors(secretName));
}

function validateRule({ host, http }: IngressRule, path: FieldPath, report: Report): void {
  if (host) {
    if (addressFamily(host) !== undefined) report.invalid(path.child('host'), host, NO_ADDRESS);
    report.invalidEach(path.child('host'), host, hostErrors(host));
  }
  if (!http) return;
  const paths = path.child('http').child('paths');
  if (!http.paths?.length) report.required(paths);
  for (const [at, one] of (http.paths ?? []).entries()) validatePath(one, paths.index(at), report);
}

function validatePath(given: HTTPIngressPath, path: FieldPath, report: Report): void {
  const { path: text = '', backend } = given;
  // A pointer that Go writes always: absent is null.
  const pathType: string | undefined = given.pathType ?? undefined;
  if (pathType === undefined) return report.required(path.child('pathType'), 'pathType must be specified');
  const here = path.child('path');
  if (!PATH_TYPES.includes(pathType)) report.unsupported(path.child('pathType'), pathType, PATH_TYPES);
  else if (pathType !== 'ImplementationSpecific') validateExactPath(text, here, report);
  else if (text !== '' && !text.startsWith('/')) report.invalid(here, text, 'must be an absolute path');
  return validateBackend(backend, path.child('backend'), report);
}

function validateExactPath(text: string, path: FieldPath, report: Report): void {
  if (!text.startsWith('/')) report.invalid(path, text, 'must be an absolute path');
  for (const part of WRONG_IN_PATH) if (text.includes(part)) report.invalid(path, text, `must not contain '${part}'`);
  for (const end of WRONG_AT_END) if (text.endsWith(end)) report.invalid(path, text, `cannot end with '${end}'`);
}

function validateBackend({ resource, service }: IngressBackend, path: FieldPath, report: Report): void {
  if (resource && service) report.invalid(path, '', 'cannot set both resource and service backends');
  else if (resource) validateTypedReference(resource, path.child('resource'), report);
  else if (service) validateService(service, path, report);
  else report.invalid(path, '', 'resource or service backend is required');
}

function validateService({ name, port }: IngressServiceBackend, path: FieldPath, report: Report): void {
  const here = path.child('service');
  if (name === '') report.required(here.child('name'));
  else report.invalidEach(here.child('name'), name, names.dns1035LabelErrors(name));
  const portName = port?.name ?? '';
  const number = port?.number ?? 0;
  if (portName !== '' && number !== 0) report.invalid(path, '', 'cannot set both port name & port number');
  else if (portName !== '') {
    report.invalidEach(here.child('port').child('name'), portName, names.portNameErrors(portName));
  } else if (number !== 0) {
    report.invalidEach(here.child('port').child('number'), number, names.portNumberErrors(number));
  } else report.required(path, 'port name or number is required');
}
