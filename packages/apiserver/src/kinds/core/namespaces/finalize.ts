import { validateNamespaceFinalize } from '@binnacle/api';
import type { Namespace } from '@binnacle/api/core/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { Call, Handler } from '../../../catalogue/definition.ts';
import { asDraft } from '../../../storage/draft.ts';
import { readObject } from '../../../verbs/body.ts';
import type { Changer } from '../../../verbs/change.ts';
import { keepSystemFields } from '../../../verbs/metadata.ts';
import { refuseInvalid } from '../../../verbs/validation.ts';

/** PUT on `…/finalize`: takes `spec.finalizers`; without any left a namespace that is being deleted goes away. */
export function createFinalize(changer: Changer): Handler<Call> {
  return async (call) => {
    const wanted = await readObject(call.served.schemas, call, call.served.info);
    return changer.change(call, {
      produce: () => ({ ...wanted, metadata: { ...wanted.metadata } }),
      prepare: takeFinalizers,
      validate: (object) => refuseInvalid(call.served, object, validateNamespaceFinalize(object as Namespace)),
      retries: false,
      createsMissing: false,
    });
  };
}

function takeFinalizers(object: KubeObject, before: KubeObject): void {
  const draft = asDraft(object);
  const { finalizers } = (draft.spec ?? {}) as { finalizers?: readonly string[] };
  const old = asDraft(before);
  const { resourceVersion } = draft.metadata;
  draft.metadata = { ...before.metadata, resourceVersion };
  keepSystemFields(draft, before);
  draft.spec = { ...(old.spec as object), finalizers };
  draft.status = old.status;
}
