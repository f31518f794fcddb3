import type { KubeObject } from '@binnacle/machinery';
import type { Core } from '../../../core.ts';
import { readObject } from '../../../verbs/body.ts';
import type { Call } from '../../../catalogue/call.ts';
import { asDraft } from '../../../storage/draft.ts';
import { keepSystemFields } from '../../../verbs/metadata.ts';
import type { Reply } from '../../../catalogue/reply.ts';
import { changeObject } from '../../../verbs/update-loop.ts';
import { validateFinalizers } from '../../../verbs/validation.ts';

/** PUT on `…/finalize`: takes `spec.finalizers`; without any left a namespace that is being deleted goes away. */
export async function finalizeNamespace(core: Core, call: Call): Promise<Reply> {
  const wanted = await readObject(call, call.served.info);
  return changeObject(core, call, {
    produce: () => ({ ...wanted, metadata: { ...wanted.metadata } }),
    prepare: takeFinalizers,
    validate: (object) => validateFinalizers(call.served, object),
    retries: false,
    createsMissing: false,
  });
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
