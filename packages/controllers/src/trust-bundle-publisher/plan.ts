import { publishedBundleName } from '@binnacle/api';
import type { ClusterTrustBundle } from '@binnacle/api/certificates/v1beta1';
import { certificatePem, readPemBlocks } from '@binnacle/base';
import type { PemBlock } from '@binnacle/base';
import { CertificateError, readAuthority } from '@binnacle/certificates';

/** Whose bundle is published. */
export const SIGNER = 'kubernetes.io/kube-apiserver-serving';

/** What there is to do; nothing, when all is as it should be. */
export interface PublishingPlan {
  readonly create?: ClusterTrustBundle;
  readonly update?: ClusterTrustBundle;
  /** By their names. */
  readonly remove: readonly string[];
}

/**
 * The bundle of an authority's PEM, under the name that upstream gives it: of its content, so that another authority has another
 * one. What is no authority in it is left out, as the API takes no other; undefined where nothing is left.
 */
export function wantedBundle(rootCA: string): ClusterTrustBundle | undefined {
  const blocks = readPemBlocks(rootCA);
  const texts = blocks.filter(isAuthority).map(({ bytes }) => certificatePem(bytes));
  const once = [...new Set(texts)];
  if (once.length === 0) return undefined;
  // As it is written, where there is nothing to leave out.
  const trustBundle = once.length === blocks.length ? rootCA : once.join('');
  return {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'ClusterTrustBundle',
    metadata: { name: publishedBundleName(SIGNER, trustBundle) },
    spec: { signerName: SIGNER, trustBundle },
  };
}

function isAuthority({ type, hasHeaders, bytes }: PemBlock): boolean {
  if (type !== 'CERTIFICATE' || hasHeaders) return false;
  try {
    return readAuthority(bytes);
  } catch (error) {
    if (error instanceof CertificateError) return false;
    throw error;
  }
}

/** From the signer's bundles as they are seen to the one that there should be. */
export function planPublishing(wanted: ClusterTrustBundle, seen: readonly ClusterTrustBundle[]): PublishingPlan {
  const nameOf = ({ metadata }: ClusterTrustBundle): string => metadata.name ?? '';
  const name = nameOf(wanted);
  const own = seen.find((bundle) => nameOf(bundle) === name);
  const remove = seen.map(nameOf).filter((other) => other !== name);
  if (own === undefined) return { create: wanted, remove };
  const { trustBundle } = wanted.spec;
  return own.spec.trustBundle === trustBundle
    ? { remove }
    : { update: { ...own, spec: { ...own.spec, trustBundle } }, remove };
}
