import { wellknown } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { Ingress } from '@binnacle/api/networking/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { AdmissionPlugin } from '../ports/admission.ts';
import type { CacheReader, ResourceRefLike } from '../ports/reader.ts';

const STORAGE_CLASSES = { group: 'storage.k8s.io', resource: 'storageclasses' };
const INGRESS_CLASSES = { group: 'networking.k8s.io', resource: 'ingressclasses' };
const STORAGE_DEFAULT = wellknown.ANNOTATION_DEFAULT_CLASS;
const STORAGE_DEFAULT_BETA = 'storageclass.beta.kubernetes.io/is-default-class';
const INGRESS_DEFAULT = 'ingressclass.kubernetes.io/is-default-class';
const CLAIM_CLASS_BETA = 'volume.beta.kubernetes.io/storage-class';
const INGRESS_CLASS_OLD = wellknown.ANNOTATION_INGRESS_CLASS;

/** A claim that names no class gets the default one. */
export function createDefaultStorageClass(cache: CacheReader): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    changes: ['spec.storageClassName'],
    handles: (operation, info, subresource) =>
      operation === 'CREATE' && info.group === '' && info.resource === 'persistentvolumeclaims' && subresource === '',
    admit({ object }) {
      const { metadata, spec } = object as Draft<PersistentVolumeClaim>;
      // An empty name is an answer: no class.
      if (spec === undefined || typeof spec.storageClassName === 'string') return;
      if (metadata.annotations?.[CLAIM_CLASS_BETA] !== undefined) return;
      const found = findDefault(cache, STORAGE_CLASSES, [STORAGE_DEFAULT, STORAGE_DEFAULT_BETA]);
      if (found?.metadata.name !== undefined) spec.storageClassName = found.metadata.name;
    },
  };
}

/** An ingress that names no class gets the default one. */
export function createDefaultIngressClass(cache: CacheReader): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    changes: ['spec.ingressClassName'],
    handles: (operation, info, subresource) =>
      operation === 'CREATE' &&
      info.group === 'networking.k8s.io' &&
      info.resource === 'ingresses' &&
      subresource === '',
    admit({ object }) {
      const { metadata, spec } = object as Draft<Ingress>;
      if (spec === undefined || typeof spec.ingressClassName === 'string') return;
      if (metadata.annotations?.[INGRESS_CLASS_OLD] !== undefined) return;
      const found = findDefault(cache, INGRESS_CLASSES, [INGRESS_DEFAULT]);
      if (found?.metadata.name !== undefined) spec.ingressClassName = found.metadata.name;
    },
  };
}

/** Where several are marked, the newest; of those of one second the first by name. */
function findDefault(cache: CacheReader, ref: ResourceRefLike, annotations: readonly string[]): KubeObject | undefined {
  const age = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';
  return cache
    .list(ref)
    .filter(({ metadata }) => annotations.some((annotation) => metadata.annotations?.[annotation] === 'true'))
    .toSorted((a, b) =>
      age(a) === age(b) ? ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1) : age(a) > age(b) ? -1 : 1,
    )[0];
}
