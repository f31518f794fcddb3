/** Which objects of the API a pod names; what is reached through others (a claim's volume, its secrets) is not asked. */
import type { Container, EphemeralContainer, Pod, ProjectedVolumeSource, Volume } from '../../generated/core-v1.ts';

type AnyContainer = Container | EphemeralContainer;
type Names = readonly string[];

/** The Secrets that a pod needs by name, repeated where it repeats them. */
export function secretNamesOf({ spec }: Pod): Names {
  return named([
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...containersOf(spec).flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap(secretsOfVolume),
  ]);
}

/** The ConfigMaps that a pod needs by name, repeated where it repeats them. */
export function configMapNamesOf({ spec }: Pod): Names {
  return named([
    ...containersOf(spec).flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ configMapRef }) => configMapRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap(({ configMap, projected }) => [
      configMap?.name,
      ...(projected?.sources ?? []).map((source) => source.configMap?.name),
    ]),
  ]);
}

/**
 * What of the API a pod cannot run without, in upstream's words (`secrets`, `configmaps (via configmap volumes)`);
 * undefined: nothing, so that it may be static.
 */
export function apiReferenceOf(pod: Pod): string | undefined {
  const { spec } = pod;
  if ((spec.serviceAccountName ?? '') !== '') return 'serviceaccounts';
  if (secretNamesOf(pod).length > 0) return 'secrets';
  if (configMapNamesOf(pod).length > 0) return 'configmaps';
  if ((spec.resourceClaims?.length ?? 0) > 0) return 'resourceclaims';
  for (const volume of spec.volumes ?? []) {
    const found = referenceOfVolume(volume);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Lists that have to be there are null where they are not: who asks before a pod is judged is answered all the same. */
function containersOf({ initContainers = [], containers, ephemeralContainers = [] }: Pod['spec']): AnyContainer[] {
  return [...initContainers, ...(containers ?? []), ...ephemeralContainers];
}

function secretsOfVolume(volume: Volume): (string | undefined)[] {
  const { azureFile, cephfs, cinder, csi, flexVolume, iscsi, projected, rbd, scaleIO, secret, storageos } = volume;
  const references = [cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos].map(
    (source) => source?.secretRef?.name,
  );
  return [
    secret?.secretName,
    azureFile?.secretName,
    csi?.nodePublishSecretRef?.name,
    ...references,
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ];
}

function named(names: readonly (string | undefined)[]): Names {
  return names.flatMap((name) => (name === undefined || name === '' ? [] : [name]));
}

/** Volumes that a node makes by itself, or with what the pod says. */
const FREE: readonly (keyof Volume)[] = [
  'awsElasticBlockStore',
  'azureDisk',
  'cephfs',
  'cinder',
  'downwardAPI',
  'emptyDir',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
];

const BOUND: readonly (readonly [keyof Volume, reference: string])[] = [
  ['configMap', 'configmaps (via configmap volumes)'],
  ['secret', 'secrets (via secret volumes)'],
  ['csi', 'csidrivers (via CSI volumes)'],
  ['glusterfs', 'endpoints (via glusterFS volumes)'],
  ['persistentVolumeClaim', 'persistentvolumeclaims'],
  ['ephemeral', 'persistentvolumeclaims (via ephemeral volumes)'],
  ['azureFile', 'secrets (via azureFile volumes)'],
];

function referenceOfVolume(volume: Volume): string | undefined {
  if (FREE.some((type) => volume[type] !== undefined)) return undefined;
  const bound = BOUND.find(([type]) => volume[type] !== undefined);
  if (bound !== undefined) return bound[1];
  // A source that is younger than this table may need anything.
  if (volume.projected === undefined) return `an unknown type of volume (${JSON.stringify(volume.name)})`;
  return referenceOfSources(volume.name, volume.projected);
}

function referenceOfSources(name: string, { sources }: ProjectedVolumeSource): string | undefined {
  for (const source of sources ?? []) {
    if (source.configMap !== undefined) return 'configmaps (via projected volumes)';
    if (source.secret !== undefined) return 'secrets (via projected volumes)';
    if (source.serviceAccountToken !== undefined) return 'serviceaccounts (via projected volumes)';
    if (source.clusterTrustBundle !== undefined) return 'clustertrustbundles';
    if (source.podCertificate !== undefined) return 'podcertificates';
    if (source.downwardAPI === undefined) return `an unknown source of the projected volume ${JSON.stringify(name)}`;
  }
  return undefined;
}
