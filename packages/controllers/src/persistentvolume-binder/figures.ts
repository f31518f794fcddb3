import type { FigureMeasures, GaugeFigure } from '@binnacle/base';
import { storageClassNameOf } from '@binnacle/api';
import type { PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';

/** Counts volumes and claims whenever somebody asks (pkg/controller/volume/persistentvolume/metrics). Answers how to end that. */
export function showVolumes(
  figures: FigureMeasures,
  of: { readonly volumes: () => readonly PersistentVolume[]; readonly claims: () => readonly PersistentVolumeClaim[] },
): () => void {
  const gauge = (name: string, help: string, labels: readonly string[]): GaugeFigure =>
    figures.gauge({ name: `pv_collector_${name}`, help, labels });
  const total = gauge('total_pv_count', 'Volumes, by who provides them.', ['plugin_name', 'volume_mode']);
  const bound = gauge('bound_pv_count', 'Volumes that a claim has.', ['storage_class']);
  const unbound = gauge('unbound_pv_count', 'Volumes that no claim has.', ['storage_class']);
  const ofClaims = ['namespace', 'storage_class', 'volume_attributes_class'];
  const boundClaims = gauge('bound_pvc_count', 'Claims that have their volume.', ofClaims);
  const unboundClaims = gauge('unbound_pvc_count', 'Claims that have none.', ofClaims);
  return figures.beforeShown(() => {
    for (const one of [total, bound, unbound, boundClaims, unboundClaims]) one.clear();
    const volumes = of.volumes();
    const isBound = ({ status }: { readonly status?: { readonly phase?: string } }): boolean =>
      status?.phase === 'Bound';
    tell(total, volumes, (volume) => [providerOf(volume), volume.spec?.volumeMode ?? 'Filesystem']);
    const classOf = (volume: PersistentVolume): readonly string[] => [storageClassNameOf(volume)];
    tell(bound, volumes.filter(isBound), classOf);
    tell(
      unbound,
      volumes.filter((one) => !isBound(one)),
      classOf,
    );
    const claims = of.claims();
    tell(boundClaims, claims.filter(isBound), sortOf);
    tell(
      unboundClaims,
      claims.filter((one) => !isBound(one)),
      sortOf,
    );
  });
}

function sortOf(claim: PersistentVolumeClaim): readonly string[] {
  return [claim.metadata.namespace ?? '', storageClassNameOf(claim), claim.spec.volumeAttributesClassName ?? ''];
}

/** Who provides a volume, under the name of upstream's plugin. */
export function providerOf({ spec }: PersistentVolume): string {
  if (spec?.csi !== undefined) return `kubernetes.io/csi:${spec.csi.driver}`;
  if (spec?.hostPath !== undefined) return 'kubernetes.io/host-path';
  if (spec?.local !== undefined) return 'kubernetes.io/local-volume';
  return spec?.nfs !== undefined ? 'kubernetes.io/nfs' : 'N/A';
}

function tell<T>(gauge: GaugeFigure, objects: readonly T[], labelsOf: (object: T) => readonly string[]): void {
  const counts = new Map<string, { readonly values: readonly string[]; count: number }>();
  for (const one of objects) {
    const values = labelsOf(one);
    const known = counts.get(values.join(' '));
    if (known === undefined) counts.set(values.join(' '), { values, count: 1 });
    else known.count++;
  }
  for (const { values, count } of counts.values()) gauge.set(values, count);
}
