import type { OwnerReference } from '@binnacle/machinery';
import type { Draft } from '@binnacle/client';
import type { Pod, PodTemplateSpec } from '@binnacle/api/core/v1';

/** A pod as its template says, under a given name, owned. */
export function podFromTemplate(
  template: PodTemplateSpec,
  as: { readonly name: string; readonly prefix: string; readonly namespace: string; readonly owner: OwnerReference },
): Draft<Pod> {
  const { labels, annotations, finalizers } = template.metadata;
  return {
    metadata: {
      name: as.name,
      generateName: as.prefix,
      namespace: as.namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [as.owner],
    },
    spec: template.spec,
  };
}
