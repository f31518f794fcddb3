import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import { isConditionTrue } from '@binnacle/api';
import type { CertificateRequest } from '@binnacle/certificates';
import { isIssued, kubeletClientFault, SIGNERS } from '../signing-requests.ts';

/** What somebody has to be allowed so that a request is approved for him, and what is said then. */
export interface Recognition {
  /** Of certificatesigningrequests, with the verb create. */
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  readonly message: string;
}

const SELF: Recognition = {
  subresource: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
};
const OTHER: Recognition = {
  subresource: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};

/** Whether nobody has judged the request, and it could be for us to. */
export function isOpen(request: CertificateSigningRequest): boolean {
  if (request.spec.signerName !== SIGNERS.kubeletClient || isIssued(request)) return false;
  return !['Approved', 'Denied'].some((type) => isConditionTrue(request.status?.conditions, type));
}

/** As what a request may be approved: a node's own certificate, then that of any node. Empty: it is none of a kubelet. */
export function recognize({ spec }: CertificateSigningRequest, request: CertificateRequest): readonly Recognition[] {
  if (kubeletClientFault(request, spec.usages ?? []) !== undefined) return [];
  return spec.username === request.commonName ? [SELF, OTHER] : [OTHER];
}
