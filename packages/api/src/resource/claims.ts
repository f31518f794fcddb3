import type { FieldError } from '@binnacle/machinery';
import type { ResourceClaim, ResourceClaimTemplate } from '../generated/resource-v1.ts';
import { isSemanticallyEqual } from '../validation/equality.ts';
import { validateAnnotations, validateLabels } from '../validation/labels.ts';
import { fieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';
import { validateDeviceClaim } from './requests.ts';

const SPEC = fieldPath('spec');

/** What is wrong with a new claim. */
export function validateResourceClaim({ spec }: ResourceClaim): FieldError[] {
  const report = new Report();
  validateDeviceClaim(spec.devices, SPEC.child('devices'), report);
  return report.errors;
}

/** A claim keeps what it asks for. */
export function validateResourceClaimUpdate(given: ResourceClaim, before: ResourceClaim): FieldError[] {
  const report = new Report();
  report.immutable(SPEC, given.spec, isSemanticallyEqual('resource.v1.ResourceClaimSpec', given.spec, before.spec));
  return report.errors;
}

/** What is wrong with a new template: its claim, and the labels that claims get. */
export function validateResourceClaimTemplate({ spec }: ResourceClaimTemplate): FieldError[] {
  const report = new Report();
  const metadata = SPEC.child('metadata');
  validateAnnotations(spec.metadata.annotations, metadata.child('annotations'), report);
  validateLabels(spec.metadata.labels, metadata.child('labels'), report);
  validateDeviceClaim(spec.spec.devices, SPEC.child('spec').child('devices'), report);
  return report.errors;
}

/** A template keeps what its claims ask for. */
export function validateResourceClaimTemplateUpdate(
  given: ResourceClaimTemplate,
  before: ResourceClaimTemplate,
): FieldError[] {
  const report = new Report();
  report.immutable(
    SPEC,
    given.spec,
    isSemanticallyEqual('resource.v1.ResourceClaimTemplateSpec', given.spec, before.spec),
  );
  return report.errors;
}
