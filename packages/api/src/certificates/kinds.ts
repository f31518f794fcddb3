import { names } from '@binnacle/machinery';
import type { CertificateSigningRequest } from '../generated/certificates-v1.ts';
import type { KindRules } from '../kind.ts';
import { validateSigningRequest, validateSigningRequestUpdate } from './certificate-signing-request/validation.ts';

/** The rules of certificates.k8s.io. */
export const CERTIFICATE_KINDS: { readonly [kind: string]: KindRules } = {
  CertificateSigningRequest: {
    nameCheck: names.pathSegmentErrors,
    validate: validateSigningRequest,
    validateUpdate: validateSigningRequestUpdate,
    validateStatusUpdate: validateSigningRequestUpdate,
    fields: { 'spec.signerName': (request: CertificateSigningRequest) => request.spec?.signerName ?? '' },
  },
};
