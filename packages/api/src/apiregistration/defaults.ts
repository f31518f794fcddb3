import type { Draft } from '../draft.ts';
import type { APIService } from '../generated/apiregistration-v1.ts';

export function defaultApiService(service: Draft<APIService>): void {
  if (service.spec?.service) service.spec.service.port ??= 443;
}
