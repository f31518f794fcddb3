import { wellknown } from '@binnacle/api';
import type { PersistentVolume, PersistentVolumeClaim } from '@binnacle/api/core/v1';
import type { StorageClass } from '@binnacle/api/storage/v1';
import { AGE, NAME, boolean, createdAgo, nameOf, printer, text, wide } from '../../render/columns.ts';

const DEFAULT_CLASS = wellknown.ANNOTATION_DEFAULT_CLASS;
const MODES: { readonly [mode: string]: string } = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const CAPACITY = text('Capacity', 'How much it holds.');
const ACCESS = text('Access Modes', 'How it may be mounted.');
const CLASS = text('StorageClass', 'Class that it belongs to.');
const ATTRIBUTES = text('VolumeAttributesClass', 'Class of its changeable attributes.');
const VOLUME_MODE = wide(text('VolumeMode', 'Filesystem or block device.'));

export const persistentVolumePrinter = printer<PersistentVolume>(
  [
    NAME,
    CAPACITY,
    ACCESS,
    text('Reclaim Policy', 'What becomes of it after its claim.'),
    text('Status', 'Whether it is free, bound or failed.'),
    text('Claim', 'Claim that has it.'),
    CLASS,
    ATTRIBUTES,
    text('Reason', 'Why it is in its state.'),
    AGE,
    VOLUME_MODE,
  ],
  (volume, now) => {
    const { spec, status } = volume;
    const claim = spec?.claimRef;
    return [
      nameOf(volume),
      spec?.capacity?.['storage'] ?? '',
      modesText(spec?.accessModes),
      spec?.persistentVolumeReclaimPolicy ?? '',
      phaseText(volume),
      claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '',
      spec?.storageClassName ?? '',
      spec?.volumeAttributesClassName || '<unset>',
      status?.reason ?? '',
      createdAgo(volume, now),
      spec?.volumeMode ?? '<unset>',
    ];
  },
);

export const persistentVolumeClaimPrinter = printer<PersistentVolumeClaim>(
  [
    NAME,
    text('Status', 'Whether it has a volume.'),
    text('Volume', 'Volume that it has.'),
    CAPACITY,
    ACCESS,
    CLASS,
    ATTRIBUTES,
    AGE,
    VOLUME_MODE,
  ],
  (claim, now) => {
    const { spec, status } = claim;
    const isBound = (spec?.volumeName ?? '') !== '';
    return [
      nameOf(claim),
      phaseText(claim),
      spec?.volumeName ?? '',
      isBound ? (status?.capacity?.['storage'] ?? '') : '',
      isBound ? modesText(status?.accessModes) : '',
      spec?.storageClassName ?? '',
      spec?.volumeAttributesClassName || '<unset>',
      createdAgo(claim, now),
      spec?.volumeMode ?? '<unset>',
    ];
  },
);

export const storageClassPrinter = printer<StorageClass>(
  [
    NAME,
    text('Provisioner', 'Who makes its volumes.'),
    text('ReclaimPolicy', 'What becomes of a volume after its claim.'),
    text('VolumeBindingMode', 'When a volume is chosen.'),
    boolean('AllowVolumeExpansion', 'Whether volumes may grow.'),
    AGE,
  ],
  (one, now) => {
    const isDefault = one.metadata.annotations?.[DEFAULT_CLASS] === 'true';
    return [
      isDefault ? `${nameOf(one)} (default)` : nameOf(one),
      one.provisioner,
      one.reclaimPolicy ?? 'Delete',
      one.volumeBindingMode ?? '<unset>',
      one.allowVolumeExpansion ?? false,
      createdAgo(one, now),
    ];
  },
);

function phaseText({ metadata, status }: PersistentVolume | PersistentVolumeClaim): string {
  return (metadata.deletionTimestamp ?? '') === '' ? (status?.phase ?? '') : 'Terminating';
}

/** Each mode once, in a fixed order. */
function modesText(modes: readonly string[] | undefined): string {
  return Object.entries(MODES)
    .filter(([mode]) => modes?.includes(mode) === true)
    .map(([, short]) => short)
    .join(',');
}
