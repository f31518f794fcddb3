import type { ClusterTrustBundleProjection } from '@binnacle/api/core/v1';
import type { ClusterTrustBundle } from '@binnacle/api/certificates/v1beta1';
import { certificatePem, readPemBlocks } from '@binnacle/base';
import { UnsupportedError, VolumeError } from '../errors.ts';
import type { ObjectReader, ReferenceHolder, TrustBundleWish } from '../ports.ts';

/** The certificates that a volume asks for, as one text. Throws VolumeError for what is missing. */
export async function trustAnchors(
  asked: ClusterTrustBundleProjection,
  objects: ObjectReader | undefined,
  holder: ReferenceHolder,
): Promise<string> {
  if (objects === undefined) {
    throw new UnsupportedError('ClusterTrustBundle projection is not supported in static kubelet mode');
  }
  const wish = wishOf(asked);
  const bundles = await objects.trustBundles(wish, holder);
  if (bundles.length > 0) return joinAnchors(bundles);
  if (asked.optional === true) return '';
  if ('name' in wish) {
    const why = `while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io "${wish.name}" not found`;
    throw new VolumeError(wish.name, why);
  }
  throw new VolumeError(
    wish.signerName,
    'combination of signerName and labelSelector matched zero ClusterTrustBundles',
  );
}

function wishOf({ name, signerName, labelSelector }: ClusterTrustBundleProjection): TrustBundleWish {
  if (name !== undefined) return { name };
  if (signerName !== undefined) return { signerName, ...(labelSelector === undefined ? {} : { labelSelector }) };
  throw new VolumeError('', 'ClusterTrustBundle projection requires either name or signerName to be set');
}

/**
 * Each certificate of these bundles once, without headers and what stands between blocks. In the order of their texts: whatever
 * order bundles come in, the same certificates are the same file.
 */
export function joinAnchors(bundles: readonly ClusterTrustBundle[]): string {
  const blocks = bundles.flatMap(({ spec }) => readPemBlocks(spec.trustBundle));
  return [...new Set(blocks.map(({ bytes }) => certificatePem(bytes)))].toSorted().join('');
}
