import type { Namespace } from '../../generated/core-v1.ts';

/** Everything in it is being deleted and nothing new may be made. */
export function isNamespaceTerminating(namespace: Namespace): boolean {
  return Boolean(namespace.metadata.deletionTimestamp) || namespace.status?.phase === 'Terminating';
}

/** Its content is gone and nobody holds it: it may be removed. */
export function isNamespaceFinalized(namespace: Namespace): boolean {
  return (namespace.spec?.finalizers?.length ?? 0) === 0;
}
