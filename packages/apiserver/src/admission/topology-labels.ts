import { NODES, wellknown } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Binding, Pod } from '@binnacle/api/core/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { AdmissionPlugin } from '../ports/admission.ts';
import type { CacheReader } from '../ports/reader.ts';

const LABELS = [wellknown.LABEL_ZONE, wellknown.LABEL_REGION];

/** A pod carries the zone and region of its node, so that its containers can learn them. (KEP-4742.) */
export function createTopologyLabels(cache: CacheReader): AdmissionPlugin {
  return {
    name: 'PodTopologyLabels',
    changes: ['metadata.labels'],
    handles: (operation, info, subresource) =>
      operation === 'CREATE' &&
      info.group === '' &&
      info.resource === 'pods' &&
      (subresource === '' || subresource === 'binding'),
    admit({ subresource, object }) {
      const nodeName = subresource === 'binding' ? nodeOfBinding(object as Binding) : (object as Pod).spec.nodeName;
      if (nodeName === undefined || nodeName === '') return;
      const labels = cache.get(NODES, '', nodeName)?.metadata.labels ?? {};
      const found: { [name: string]: string } = {};
      for (const name of LABELS) if (labels[name] !== undefined) found[name] = labels[name];
      if (Object.keys(found).length === 0) return;
      const { metadata } = object as Draft<KubeObject>;
      metadata.labels = { ...metadata.labels, ...found };
    },
  };
}

function nodeOfBinding({ target }: Binding): string | undefined {
  return target.kind === 'Node' ? target.name : undefined;
}
