import type { FieldError } from '@binnacle/machinery';
import { isExtendedResource } from '../core/resource-names.ts';
import type { DeviceClass } from '../generated/resource-v1.ts';
import { fieldPath } from '../validation/path.ts';
import { Report } from '../validation/report.ts';
import { validateList } from './bounded.ts';
import { ITEMS_MAX, validateConfiguration, validateSelectors } from './requests.ts';

const SPEC = fieldPath('spec');

/** What is wrong with a class of devices, new or changed. */
export function validateDeviceClass({ spec }: DeviceClass): FieldError[] {
  const report = new Report();
  const { selectors, config, extendedResourceName: name } = spec;
  validateSelectors(selectors, SPEC.child('selectors'), report);
  const listed = { items: config, most: ITEMS_MAX, path: SPEC.child('config') };
  validateList(listed, report, (one, at) => validateConfiguration(one, at, report));
  if (name !== undefined && !isExtendedResource(name)) {
    report.invalid(SPEC.child('extendedResourceName'), name, 'must be a valid extended resource name');
  }
  return report.errors;
}
