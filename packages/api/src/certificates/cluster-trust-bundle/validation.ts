import { maskTrailingDash } from '@binnacle/machinery';
import type { FieldError } from '@binnacle/machinery';
import type { ClusterTrustBundle } from '../../generated/certificates-v1beta1.ts';
import { fieldPath } from '../../validation/path.ts';
import { Report } from '../../validation/report.ts';
import { validateSignerName } from '../signer-name.ts';
import { bundleNameErrors } from './bundle-name.ts';

const METADATA = fieldPath('metadata');
const SIGNER = fieldPath('spec', 'signerName');

/** A name as its signer wants it. What the bundle holds is looked at by whoever knows certificates. */
export function validateTrustBundle({ metadata, spec }: ClusterTrustBundle): FieldError[] {
  const report = new Report();
  const signer = spec?.signerName ?? '';
  const { name = '', generateName = '' } = metadata;
  if (generateName !== '') {
    const errors = bundleNameErrors(maskTrailingDash(generateName), signer);
    report.invalidEach(METADATA.child('generateName'), generateName, errors);
  }
  if (name !== '') report.invalidEach(METADATA.child('name'), name, bundleNameErrors(name, signer));
  if (signer !== '') validateSignerName(signer, SIGNER, report);
  return report.errors;
}

/** A bundle stays its signer's. */
export function validateTrustBundleUpdate(bundle: ClusterTrustBundle, before: ClusterTrustBundle): FieldError[] {
  const report = new Report();
  report.addAll(validateTrustBundle(bundle));
  const signer = bundle.spec?.signerName ?? '';
  report.immutable(SIGNER, signer, signer === (before.spec?.signerName ?? ''));
  return report.errors;
}
