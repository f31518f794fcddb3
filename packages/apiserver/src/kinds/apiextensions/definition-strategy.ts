import { setCondition } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import { formatTime } from '@binnacle/base';
import type { KubeObject } from '@binnacle/machinery';
import type { Strategy } from '../../ports/strategy.ts';

/** Keeps a definition until its instances are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** What the server does of itself to definitions of custom kinds. */
export const DEFINITION_STRATEGY: Strategy = {
  prepareForCreate(object) {
    const definition = draftOf(object);
    definition.status = { conditions: [], acceptedNames: { plural: '', kind: '' }, storedVersions: [] };
    rememberStored(definition);
  },
  prepareForUpdate: (object) => rememberStored(draftOf(object)),
  onDeletion: {
    finalizer: CLEANUP_FINALIZER,
    mark(object, now) {
      const definition = draftOf(object);
      const { status } = definition;
      const pending = {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionPending',
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      };
      // The status is the stored object's own: it is replaced, not written into.
      definition.status = {
        acceptedNames: { plural: '', kind: '' },
        storedVersions: [],
        ...status,
        conditions: [...setCondition(status?.conditions, pending, formatTime(now))],
      };
    },
  },
};

/** A version that was stored once may be in the store for ever after. */
function rememberStored(definition: Draft<CustomResourceDefinition>): void {
  const storage = definition.spec.versions?.find((version) => version.storage)?.name;
  const { status } = definition;
  if (storage === undefined || status === undefined || status.storedVersions.includes(storage)) return;
  definition.status = { ...status, storedVersions: [...status.storedVersions, storage] };
}

function draftOf(object: KubeObject): Draft<CustomResourceDefinition> {
  return object as unknown as Draft<CustomResourceDefinition>;
}
