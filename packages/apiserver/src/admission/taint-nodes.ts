import { wellknown } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import type { AdmissionPlugin } from '../ports/admission.ts';

/** A new node takes no pods until its kubelet has said that it is ready. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  changes: ['spec.taints'],
  handles: (operation, info, subresource) =>
    operation === 'CREATE' && info.group === '' && info.resource === 'nodes' && subresource === '',
  admit({ object }) {
    const node = object as Draft<Node>;
    const taints = node.spec.taints ?? [];
    if (taints.some((taint) => taint.key === wellknown.TAINT_NOT_READY && taint.effect === 'NoSchedule')) return;
    node.spec.taints = [...taints, { key: wellknown.TAINT_NOT_READY, effect: 'NoSchedule' }];
  },
};
