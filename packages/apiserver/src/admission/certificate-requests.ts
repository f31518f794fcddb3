import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import { CertificateError, readRequest } from '@binnacle/certificates';
import type { CertificateRequest } from '@binnacle/certificates';
import { FieldError, status } from '@binnacle/machinery';
import { MASTERS } from '../access/users.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import type { PolicyOptions } from '../ports/policy.ts';
import { refuse } from './refusal.ts';

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

type Handles = Required<AdmissionPlugin>['handles'];

const ofNewRequests: Handles = (operation, info, subresource) =>
  operation === 'CREATE' &&
  subresource === '' &&
  info.group === 'certificates.k8s.io' &&
  info.resource === 'certificatesigningrequests';

/** New requests for certificates can be read and are signed by their own key. No plugin of upstream's, where it is validation. */
export function createCertificateRequests(check: PolicyOptions['checkRequestSignature']): AdmissionPlugin {
  return {
    name: 'CertificateRequests',
    handles: ofNewRequests,
    validate(attributes) {
      const { spec } = attributes.object as CertificateSigningRequest;
      const why = check?.(read(attributes));
      if (why !== undefined) throw invalid(attributes, spec.request, why);
    },
  };
}

/** Nobody asks the API server's signer to be one of the masters. */
export function createSubjectRestriction(): AdmissionPlugin {
  return {
    name: 'CertificateSubjectRestriction',
    handles: ofNewRequests,
    validate(attributes) {
      const { spec } = attributes.object as CertificateSigningRequest;
      if (spec.signerName !== CLIENT_SIGNER || !read(attributes).organizations.includes(MASTERS)) return;
      throw refuse(attributes, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
    },
  };
}

function read(attributes: AdmissionAttributes): CertificateRequest {
  const { request: encoded } = (attributes.object as CertificateSigningRequest).spec;
  try {
    return readRequest(atob(encoded));
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    throw invalid(attributes, encoded, error.message);
  }
}

function invalid({ info, name }: AdmissionAttributes, encoded: string, why: string): Error {
  const { group, kind } = info;
  return status.invalid({ group, kind }, name, [new FieldError('FieldValueInvalid', 'spec.request', encoded, why)]);
}
