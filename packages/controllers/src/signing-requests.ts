/** What the controllers of certificate signing requests ask of one. */
import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import { isConditionTrue } from '@binnacle/api';
import { readRequest } from '@binnacle/certificates';
import type { CertificateRequest } from '@binnacle/certificates';

/** The signers of Kubernetes' own. */
export const SIGNERS = {
  client: 'kubernetes.io/kube-apiserver-client',
  kubeletClient: 'kubernetes.io/kube-apiserver-client-kubelet',
  kubeletServing: 'kubernetes.io/kubelet-serving',
  legacy: 'kubernetes.io/legacy-unknown',
} as const;

const NODE_GROUP = 'system:nodes';
const NODE_PREFIX = 'system:node:';
const TAGS = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 };

/** Whether somebody said yes. */
export function isApproved({ status }: CertificateSigningRequest): boolean {
  return isConditionTrue(status?.conditions, 'Approved');
}

/** Whether it has its certificate. */
export function isIssued({ status }: CertificateSigningRequest): boolean {
  return (status?.certificate ?? '') !== '';
}

/** The PKCS #10 request in it. Throws CertificateError. */
export function requestIn({ spec }: CertificateSigningRequest): CertificateRequest {
  return readRequest(atob(spec.request));
}

/** Why a request is not what a kubelet shows to an API server, in upstream's words; undefined: it is. */
export function kubeletClientFault(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return 'subject organization is not system:nodes';
  for (const [tag, name] of [
    [TAGS.dns, 'DNS'],
    [TAGS.email, 'Email'],
    [TAGS.ip, 'IP'],
    [TAGS.uri, 'URI'],
  ] as const) {
    if (has(request, tag)) return `${name} subjectAltNames are not allowed`;
  }
  if (!request.commonName.startsWith(NODE_PREFIX)) return 'subject common name does not begin with system:node:';
  return usagesFault(usages, 'client auth');
}

/** Why a request is not what a kubelet shows to those who ask it; undefined: it is. */
export function kubeletServingFault(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return 'subject organization is not system:nodes';
  if (!has(request, TAGS.dns) && !has(request, TAGS.ip)) return 'DNS or IP subjectAltName is required';
  if (has(request, TAGS.email)) return 'Email subjectAltNames are not allowed';
  if (has(request, TAGS.uri)) return 'URI subjectAltNames are not allowed';
  const fault = usagesFault(usages, 'server auth');
  if (fault !== undefined) return fault;
  return request.commonName.startsWith(NODE_PREFIX)
    ? undefined
    : 'subject common name does not begin with system:node:';
}

function isOfNodes({ organizations }: CertificateRequest): boolean {
  return organizations.length === 1 && organizations[0] === NODE_GROUP;
}

function has({ alternativeNames }: CertificateRequest, tag: number): boolean {
  return alternativeNames.some((name) => name.tag === tag);
}

/** Session keys need not be carried: keys that are not of RSA cannot. */
function usagesFault(usages: readonly string[], purpose: string): string | undefined {
  const given = new Set(usages);
  given.delete('key encipherment');
  const fits = given.size === 2 && given.has('digital signature') && given.has(purpose);
  return fits ? undefined : `usages did not match [${purpose} digital signature key encipherment]`;
}
