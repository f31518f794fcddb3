import { wellknown } from '@binnacle/api';
import type { Strategy } from '../../../ports/strategy.ts';
import { asDraft } from '../../../storage/draft.ts';

const FINALIZER = 'kubernetes';

/** A namespace is born Active, and held by the finalizer that the namespace controller takes away when it is empty. */
export const NAMESPACE_STRATEGY: Strategy = {
  prepareForCreate(object) {
    const draft = asDraft(object);
    draft.status = { phase: 'Active' };
    const { name } = draft.metadata;
    // KEP 2161: every namespace can be selected by its name.
    draft.metadata.labels = { ...draft.metadata.labels, [wellknown.LABEL_METADATA_NAME]: name ?? '' };
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
    draft.metadata.labels = { ...draft.metadata.labels, [wellknown.LABEL_METADATA_NAME]: draft.metadata.name ?? '' };
  },
};
