import { controllerOf } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';

/** Index: the pods (or replica sets) that a controller with this UID owns. */
export const BY_CONTROLLER = 'controller-uid';
/** Index: those of a namespace that have no controller. */
export const ORPHANS = 'orphans-of-namespace';

/** Index: all of a namespace. */
export const IN_NAMESPACE = 'namespace';

/** The indexes by which an owner finds what is, or could be, its own. */
export const OWNERSHIP_INDEXES: {
  readonly [name: string]: (object: KubeObject) => readonly string[];
} = {
  [BY_CONTROLLER]: (object) => {
    const controller = controllerOf(object);
    return controller === undefined ? [] : [controller.uid];
  },
  [IN_NAMESPACE]: (object) => [object.metadata.namespace ?? ''],
  [ORPHANS]: (object) => (controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : []),
};
