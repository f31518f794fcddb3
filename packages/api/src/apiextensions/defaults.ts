import type { Draft } from '../draft.ts';
import type { CustomResourceDefinition } from '../generated/apiextensions-v1.ts';

export function defaultCustomResourceDefinition(definition: Draft<CustomResourceDefinition>): void {
  const spec = definition.spec;
  if (!spec) return;
  const names = spec.names;
  if (names && !names.singular) names.singular = names.kind.toLowerCase();
  if (names && !names.listKind && names.kind) names.listKind = `${names.kind}List`;
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service;
  if (service) service.port ??= 443;
  const status = definition.status;
  if (!status || status.storedVersions?.length) return;
  status.storedVersions = (spec.versions ?? []).filter((version) => version.storage).map((version) => version.name);
}
