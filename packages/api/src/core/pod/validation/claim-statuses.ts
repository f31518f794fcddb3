import { names } from '@binnacle/machinery';
import type { Pod, PodExtendedResourceClaimStatus } from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';

const NO_RESOURCE =
  'must match the extended resource name of an entry in spec.initContainers.resources.requests or spec.containers.resources.requests';
const NO_CONTAINER = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';

/** Which claims for devices were made for a pod: each for one that it declares, and one for its extended resources. */
export function validateClaimStatuses({ spec, status }: Pod, path: FieldPath, report: Report): void {
  const declared = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const seen = new Set<string>();
  for (const [at, { name, resourceClaimName }] of (status?.resourceClaimStatuses ?? []).entries()) {
    const here = path.child('resourceClaimStatuses').index(at);
    const named = here.child('name');
    if (!declared.has(name)) report.invalid(named, name, 'must match the name of an entry in `spec.resourceClaims`');
    if (seen.has(name)) report.duplicate(named, name);
    seen.add(name);
    if (resourceClaimName !== undefined) {
      report.invalidEach(here.child('resourceClaimName'), resourceClaimName, names.subdomainErrors(resourceClaimName));
    }
  }
  const extended = status?.extendedResourceClaimStatus;
  if (extended !== undefined) validateExtended({ spec, extended }, path.child('extendedResourceClaimStatus'), report);
}

function validateExtended(
  { spec, extended }: { readonly spec: Pod['spec']; readonly extended: PodExtendedResourceClaimStatus },
  path: FieldPath,
  report: Report,
): void {
  const containers = new Map(
    [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map((one) => [one.name, one]),
  );
  const mappings = extended.requestMappings ?? [];
  const list = path.child('requestMappings');
  if (mappings.length === 0) report.required(list, 'at least one request mapping is required');
  const seen = new Set<string>();
  for (const [at, { containerName, resourceName, requestName }] of mappings.entries()) {
    const here = list.index(at);
    const requests = containers.get(containerName)?.resources?.requests ?? {};
    if (!containers.has(containerName)) report.invalid(here.child('containerName'), containerName, NO_CONTAINER);
    else if (!Object.hasOwn(requests, resourceName)) {
      report.invalid(here.child('resourceName'), resourceName, NO_RESOURCE);
    }
    report.invalidEach(path.child('requestName'), requestName, names.dnsLabelErrors(requestName));
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      report.duplicate(here.child('containerName'), containerName);
      report.duplicate(here.child('resourceName'), resourceName);
      report.duplicate(here.child('requestName'), requestName);
    }
    seen.add(key);
  }
  const { resourceClaimName } = extended;
  const named = path.child('resourceClaimName');
  if (resourceClaimName === '') report.required(named);
  else report.invalidEach(named, resourceClaimName, names.subdomainErrors(resourceClaimName));
}
