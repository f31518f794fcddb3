import type { Draft } from '../../draft.ts';
import type { Namespace } from '../../generated/core-v1.ts';
import { LABEL_METADATA_NAME } from '../../wellknown.ts';

/** The label that carries the name is always right, whatever the client sent. */
export function defaultNamespace(namespace: Draft<Namespace>): void {
  const name = namespace.metadata.name;
  if (name) (namespace.metadata.labels ??= {})[LABEL_METADATA_NAME] = name;
  const status = (namespace.status ??= {});
  if (!status.phase) status.phase = 'Active';
}
