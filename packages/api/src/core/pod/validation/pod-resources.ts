import { compareQuantities, formatQuantity } from '@binnacle/machinery';
import type { FieldPath } from '../../../validation/path.ts';
import { isPodLevelResource, resourceNameErrors } from '../../resource-names.ts';
import { containersTogether } from '../pod-resource-defaults.ts';
import { validateAmounts } from './resources.ts';
import type { PodScope } from './scope.ts';

/** Requests and limits of the pod as a whole: enough for what its containers ask for. */
export function validatePodResources(path: FieldPath, scope: PodScope): void {
  const { spec, report } = scope;
  const resources = spec.resources;
  if (!resources) return;
  if (resources.claims) report.forbidden(path.child('claims'), 'claims cannot be set for Resources at pod-level');
  validateAmounts(resources, path, { report, nameErrors: resourceNameErrors });
  for (const list of ['limits', 'requests'] as const) {
    for (const name in resources[list]) {
      if (isPodLevelResource(name)) continue;
      report.unsupported(path.child(list).key(name), name, ['cpu', 'hugepages-', 'memory']);
    }
  }
  validateConsistency(path, scope);
}

function validateConsistency(path: FieldPath, scope: PodScope): void {
  const { spec, report } = scope;
  const { requests = {}, limits = {} } = spec.resources ?? {};
  for (const [name, sum] of containersTogether(spec, 'requests')) {
    const given = Object.hasOwn(requests, name) ? (requests[name] ?? '0') : '0';
    if (compareQuantities(sum, given) <= 0) continue;
    const detail = `must be greater than or equal to aggregate container requests of ${formatQuantity(sum)}`;
    report.invalid(path.child('requests').key(name), given, detail);
  }
  for (const [at, container] of (spec.containers ?? []).entries()) {
    for (const [name, limit] of Object.entries(container.resources?.limits ?? {})) {
      const podLimit = Object.hasOwn(limits, name) ? limits[name] : undefined;
      if (podLimit === undefined || compareQuantities(limit, podLimit) <= 0) continue;
      const here = path.child('containers').index(at).key(name).child('limits');
      report.invalid(here, limit, `must be less than or equal to pod limits of ${podLimit}`);
    }
  }
}
