import type { CertificateSigningRequest, CertificateSigningRequestStatus } from '@binnacle/api/certificates/v1';
import type { ClusterTrustBundle } from '@binnacle/api/certificates/v1beta1';
import type { KubeObject, UserInfo } from '@binnacle/machinery';
import { deepEqual } from '@binnacle/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../ports/admission.ts';
import type { Authorizer } from '../ports/authorization.ts';
import { refuse } from './refusal.ts';

const GROUP = 'certificates.k8s.io';

/** Whoever approves a request may `approve` for the signer that it names. */
export function createCertificateApproval(authorizer: Authorizer): AdmissionPlugin {
  return signerPlugin('CertificateApproval', {
    subresource: 'approval',
    verb: 'approve',
    authorizer,
    asks: () => true,
  });
}

/** Whoever signs a request may `sign` for the signer that it names. */
export function createCertificateSigning(authorizer: Authorizer): AdmissionPlugin {
  return signerPlugin('CertificateSigning', {
    subresource: 'status',
    verb: 'sign',
    authorizer,
    asks: saysSomethingNew,
  });
}

/**
 * Whoever makes or changes a bundle of a signer may `attest` for it. A change of nothing but owners and finalizers needs no
 * word: those are the garbage collector's.
 */
export function createTrustBundleAttest(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'ClusterTrustBundleAttest',
    handles: (operation, info, subresource) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      subresource === '' &&
      info.group === GROUP &&
      info.resource === 'clustertrustbundles',
    async validate(attributes) {
      const { object, before, operation, user } = attributes;
      // Of the bundle as it is to be: validation keeps it the same signer's.
      const signerName = (object as ClusterTrustBundle).spec?.signerName ?? '';
      if (signerName === '' || (operation === 'UPDATE' && saysTheSame(object, before))) return;
      if (await mayFor(authorizer, user, { verb: 'attest', signerName })) return;
      throw refuse(attributes, `user not permitted to attest for signerName ${JSON.stringify(signerName)}`);
    },
  };
}

/** But for whose it is, what holds it up, and who wrote which field. */
function saysTheSame(object: KubeObject | undefined, before: KubeObject | undefined): boolean {
  return deepEqual(withoutBookkeeping(object), withoutBookkeeping(before));
}

function withoutBookkeeping(object: KubeObject | undefined): object | undefined {
  if (object === undefined) return undefined;
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managed, ...metadata } = object.metadata;
  return { ...object, metadata };
}

interface SignerCheck {
  readonly subresource: string;
  readonly verb: 'approve' | 'sign';
  readonly authorizer: Authorizer;
  readonly asks: (attributes: AdmissionAttributes) => boolean;
}

function signerPlugin(name: string, { subresource, verb, authorizer, asks }: SignerCheck): AdmissionPlugin {
  return {
    name,
    handles: (operation, info, asked) =>
      operation === 'UPDATE' &&
      asked === subresource &&
      info.group === GROUP &&
      info.resource === 'certificatesigningrequests',
    async validate(attributes) {
      if (!asks(attributes)) return;
      // Of the request as it was: nobody chooses the signer while approving.
      const { signerName } = (attributes.before as CertificateSigningRequest).spec;
      if (await mayFor(authorizer, attributes.user, { verb, signerName })) return;
      throw refuse(attributes, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`);
    },
  };
}

function saysSomethingNew({ object, before }: AdmissionAttributes): boolean {
  const now: CertificateSigningRequestStatus = (object as CertificateSigningRequest).status ?? {};
  const old: CertificateSigningRequestStatus = (before as CertificateSigningRequest).status ?? {};
  return now.certificate !== old.certificate || !deepEqual(now.conditions ?? [], old.conditions ?? []);
}

/** For the signer itself, or for all of its domain. */
async function mayFor(
  authorizer: Authorizer,
  user: UserInfo,
  { verb, signerName }: { readonly verb: string; readonly signerName: string },
): Promise<boolean> {
  const domain = signerName.split('/')[0] ?? '';
  for (const name of [signerName, `${domain}/*`]) {
    const { decision } = await authorizer.authorize({
      user,
      verb,
      isResource: true,
      path: '',
      group: GROUP,
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
    });
    if (decision === 'allow') return true;
  }
  return false;
}
