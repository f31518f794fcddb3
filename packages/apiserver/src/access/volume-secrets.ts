import type { PersistentVolume } from '@binnacle/api/core/v1';

interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The Secrets with which a node mounts a volume. Those with which a controller attaches and expands it are not the
 * node's. Where older volumes name no namespace it is that of their claim.
 */
export function nodeSecretsOf({ spec }: PersistentVolume): readonly SecretName[] {
  if (spec === undefined) return [];
  const { azureFile, cephfs, cinder, csi, flexVolume, iscsi, rbd, scaleIO, storageos } = spec;
  const ofClaim = spec.claimRef?.namespace ?? '';
  const own = [csi?.nodePublishSecretRef, csi?.nodeStageSecretRef, csi?.nodeExpandSecretRef, cinder?.secretRef];
  const inherited = [cephfs, flexVolume, rbd, scaleIO, iscsi].map((source) => source?.secretRef);
  const found = [
    ...[...own, storageos?.secretRef].map((at) => ({ namespace: at?.namespace ?? '', name: at?.name ?? '' })),
    ...inherited.map((at) => ({ namespace: at?.namespace || ofClaim, name: at?.name ?? '' })),
    { namespace: azureFile?.secretNamespace || ofClaim, name: azureFile?.secretName ?? '' },
  ];
  return found.filter(({ name }) => name !== '');
}
