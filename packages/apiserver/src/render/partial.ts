import type { KubeObject } from '@binnacle/machinery';

/** An object's metadata alone, as garbage collectors and metadata informers ask for it. */
export function partialObject(object: KubeObject, metaVersion: string): KubeObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata: object.metadata,
  };
}

/** The same of a list. */
export function partialList(items: readonly KubeObject[], metadata: object, metaVersion: string): object {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata,
    items: items.map((item) => partialObject(item, metaVersion)),
  };
}
