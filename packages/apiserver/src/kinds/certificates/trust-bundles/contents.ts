import { certificatePem, readPemBlocks } from '@binnacle/base';
import type { PemBlock } from '@binnacle/base';
import { CertificateError, readAuthority } from '@binnacle/certificates';
import type { ClusterTrustBundle } from '@binnacle/api/certificates/v1beta1';
import { FieldError } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { KindBehaviour } from '../../behaviour.ts';

const PATH = 'spec.trustBundle';
const BYTES_MAX = 1024 * 1024;
const HIDDEN = '<value omitted>';

/** What a bundle holds: certificates of authorities, each once, and at least one. A bundle that stays as it was is believed. */
export const TRUST_BUNDLE_CHECKS: NonNullable<KindBehaviour['checks']> = {
  validate: (object) => bundleErrors(textOf(object)),
  validateUpdate: (object, before) => (textOf(object) === textOf(before) ? [] : bundleErrors(textOf(object))),
};

function textOf(object: KubeObject): string {
  return (object as ClusterTrustBundle).spec?.trustBundle ?? '';
}

/** Everything that is wrong with the text of a bundle, by the places of its blocks, in upstream's words. */
export function bundleErrors(text: string): FieldError[] {
  if (text.length > BYTES_MAX || new TextEncoder().encode(text).length > BYTES_MAX) {
    return [new FieldError('FieldValueTooLong', PATH, HIDDEN, `may not be more than ${BYTES_MAX} bytes`)];
  }
  const blocks = readPemBlocks(text);
  const errors = blocks.flatMap((block, at) => {
    const why = blockProblem(block);
    return why === undefined ? [] : [invalid(`entry ${at} ${why}`)];
  });
  if (errors.length > 0) return errors;
  if (blocks.length === 0) return [invalid('at least one trust anchor must be provided')];
  const places = Map.groupBy(blocks.keys(), (at) => certificatePem(blocks[at]?.bytes ?? new Uint8Array()));
  return [...places.values()]
    .filter((same) => same.length > 1)
    .map((same) => invalid(`duplicate trust anchor (indices [${same.join(' ')}])`));
}

function blockProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  try {
    return readAuthority(bytes) ? undefined : 'does not have the CA bit set';
  } catch (error) {
    if (error instanceof CertificateError) return 'does not parse as X.509';
    throw error;
  }
}

function invalid(detail: string): FieldError {
  return new FieldError('FieldValueInvalid', PATH, HIDDEN, detail);
}
