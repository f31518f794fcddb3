import { wellknown } from '@binnacle/api';
import type { KubeObject } from '@binnacle/machinery';
import type { Strategy } from '../../../ports/strategy.ts';
import { asDraft } from '../../../storage/draft.ts';

const FINALIZER = 'kubernetes';

/** A namespace is born Active, and held by the finalizer that the namespace controller takes away when it is empty. */
export const NAMESPACE_STRATEGY: Strategy = {
  readNew: sayName,
  prepareForCreate(object) {
    asDraft(object).status = { phase: 'Active' };
    sayName(object);
  },
  completeNew(object) {
    const draft = asDraft(object);
    const spec = (draft.spec ?? {}) as { finalizers?: readonly string[] };
    const finalizers = (spec.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
    draft.spec = { ...spec, finalizers: [...finalizers, FINALIZER] };
  },
  prepareForUpdate(object, before) {
    const draft = asDraft(object);
    const old = asDraft(before);
    draft.spec = { ...(draft.spec as object), finalizers: (old.spec as { finalizers?: unknown }).finalizers };
    sayName(object);
  },
};

/** KEP 2161: every namespace can be selected by its name. One whose name is made up later has none yet. */
function sayName(object: KubeObject): void {
  const { metadata } = asDraft(object);
  const { name = '' } = metadata;
  if (name !== '') metadata.labels = { ...metadata.labels, [wellknown.LABEL_METADATA_NAME]: name };
}
