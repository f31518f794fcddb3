import type { Draft } from '../draft.ts';
import type {
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
} from '../generated/resource-v1.ts';

export function defaultResourceClaim(claim: Draft<ResourceClaim>): void {
  defaultClaimSpec(claim.spec);
}

export function defaultResourceClaimTemplate(template: Draft<ResourceClaimTemplate>): void {
  defaultClaimSpec(template.spec?.spec);
}

function defaultClaimSpec(spec: Draft<ResourceClaimSpec> | undefined): void {
  for (const request of spec?.devices?.requests ?? []) {
    if (request.exactly) defaultRequest(request.exactly);
    for (const alternative of request.firstAvailable ?? []) defaultRequest(alternative);
  }
}

/** One device where nothing is said. */
function defaultRequest(request: Draft<ExactDeviceRequest> | Draft<DeviceSubRequest>): void {
  if (!request.allocationMode) request.allocationMode = 'ExactCount';
  if (request.allocationMode === 'ExactCount' && !request.count) request.count = 1;
  for (const toleration of request.tolerations ?? []) if (!toleration.operator) toleration.operator = 'Equal';
}
