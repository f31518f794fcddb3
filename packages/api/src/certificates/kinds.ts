import { names } from '@binnacle/machinery';
import type { CertificateSigningRequest } from '../generated/certificates-v1.ts';
import type { ClusterTrustBundle } from '../generated/certificates-v1beta1.ts';
import type { KindRules } from '../kind.ts';
import { validateSigningRequest, validateSigningRequestUpdate } from './certificate-signing-request/validation.ts';
import { validateTrustBundle, validateTrustBundleUpdate } from './cluster-trust-bundle/validation.ts';

/** The rules of certificates.k8s.io. */
export const CERTIFICATE_KINDS: { readonly [kind: string]: KindRules } = {
  CertificateSigningRequest: {
    nameCheck: names.pathSegmentErrors,
    validate: validateSigningRequest,
    validateUpdate: validateSigningRequestUpdate,
    validateStatusUpdate: validateSigningRequestUpdate,
    fields: { 'spec.signerName': (request: CertificateSigningRequest) => request.spec?.signerName ?? '' },
  },
  ClusterTrustBundle: {
    // What a name has to be depends on the signer.
    nameCheck: () => [],
    validate: validateTrustBundle,
    validateUpdate: validateTrustBundleUpdate,
    fields: { 'spec.signerName': (bundle: ClusterTrustBundle) => bundle.spec?.signerName ?? '' },
  },
};
