import { names } from '@binnacle/machinery';
import type {
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  ISCSIVolumeSource,
  QuobyteVolumeSource,
  Volume,
} from '../../../generated/core-v1.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { validateDescendingPath } from './paths.ts';

// Volumes of storage vendors. Most of their drivers are gone; their shapes are still checked.

/** Fields that must not be empty, by source. */
const REQUIRED: { readonly [source: string]: readonly string[] } = {
  gitRepo: ['repository'],
  gcePersistentDisk: ['pdName'],
  awsElasticBlockStore: ['volumeID'],
  nfs: ['server', 'path'],
  iscsi: ['targetPortal', 'iqn'],
  glusterfs: ['endpoints', 'path'],
  rbd: ['monitors', 'image'],
  cinder: ['volumeID'],
  cephfs: ['monitors'],
  quobyte: ['volume'],
  flexVolume: ['driver'],
  azureFile: ['secretName', 'shareName'],
  vsphereVolume: ['volumePath'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  azureDisk: ['diskName', 'diskURI'],
  storageos: ['volumeName'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  csi: ['driver'],
};

/** Checks whichever vendor's source the volume has; `path` is the source's. */
export function validateVendorSource(volume: Volume, path: FieldPath, report: Report): void {
  for (const kind in REQUIRED) {
    const source = volume[kind as keyof Volume] as { readonly [field: string]: unknown } | undefined;
    if (!source) continue;
    for (const field of REQUIRED[kind] ?? []) if (isEmpty(source[field])) report.required(path.child(field));
  }
  validateDetails(volume, path, report);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function validateDetails(volume: Volume, path: FieldPath, report: Report): void {
  if (volume.gitRepo) validateDescendingPath(volume.gitRepo.directory ?? '', path.child('directory'), report);
  const disk = volume.gcePersistentDisk ?? volume.awsElasticBlockStore;
  if (disk?.partition !== undefined && (disk.partition < 0 || disk.partition > 255)) {
    report.invalid(path.child('partition'), disk.partition, names.inclusiveRangeError(1, 255));
  }
  if (volume.nfs && !volume.nfs.path.startsWith('/')) {
    report.invalid(path.child('path'), volume.nfs.path, 'must be an absolute path');
  }
  if (volume.iscsi) validateIscsi(volume.iscsi, path, report);
  if (volume.fc) validateFibreChannel(volume.fc, path, report);
  if (volume.flocker) validateFlocker(volume.flocker, path, report);
  if (volume.quobyte) validateQuobyte(volume.quobyte, path, report);
  if (volume.azureDisk) validateAzureDisk(volume.azureDisk, path, report);
  if (volume.flexVolume?.options) validateFlexOptions(volume.flexVolume.options, path.child('options'), report);
  const secret = volume.cinder?.secretRef ?? volume.csi?.nodePublishSecretRef;
  const secretField = volume.csi ? 'nodePublishSecretRef' : 'secretRef';
  if (secret && !secret.name) report.required(path.child(secretField).child('name'));
}

const IQN = /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9\-.]+)(:[^,;*&$|\s]+)$/;
const EUI = /^eui.[a-zA-Z0-9]{16}$/;
const NAA = /^naa.[a-zA-Z0-9]{32}$/;

/** What is wrong with the name of an iSCSI target or initiator. */
function iscsiNameError(name: string): string | undefined {
  const shape = name.startsWith('iqn') ? IQN : name.startsWith('eui') ? EUI : name.startsWith('naa') ? NAA : undefined;
  if (shape === undefined) return 'must be valid format starting with iqn, eui, or naa';
  return shape.test(name) ? undefined : 'must be valid format';
}

function validateIscsi(source: ISCSIVolumeSource, path: FieldPath, report: Report): void {
  const { iqn, initiatorName, lun } = source;
  const iqnError = iqn ? iscsiNameError(iqn) : undefined;
  if (iqnError) report.invalid(path.child('iqn'), iqn, iqnError);
  if (lun < 0 || lun > 255) report.invalid(path.child('lun'), lun, names.inclusiveRangeError(0, 255));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef)
    report.required(path.child('secretRef'));
  const initiatorError = initiatorName === undefined ? undefined : iscsiNameError(initiatorName);
  if (initiatorError) report.invalid(path.child('initiatorname'), initiatorName, initiatorError);
}

function validateFibreChannel(source: FCVolumeSource, path: FieldPath, report: Report): void {
  const targets = source.targetWWNs ?? [];
  const ids = source.wwids ?? [];
  const here = path.child('targetWWNs');
  if (targets.length === 0 && ids.length === 0) {
    report.required(here, 'must specify either targetWWNs or wwids, but not both');
  }
  if (targets.length === 0) return;
  if (ids.length > 0) report.invalid(here, targets, 'targetWWNs and wwids can not be specified simultaneously');
  const lun = source.lun;
  if (lun === undefined || lun === null)
    report.required(path.child('lun'), 'lun is required if targetWWNs is specified');
  else if (lun < 0 || lun > 255) report.invalid(path.child('lun'), lun, names.inclusiveRangeError(0, 255));
}

function validateFlocker(source: FlockerVolumeSource, path: FieldPath, report: Report): void {
  const { datasetName, datasetUUID } = source;
  if (!datasetName && !datasetUUID) report.required(path, 'one of datasetName and datasetUUID is required');
  if (datasetName && datasetUUID) {
    report.invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously');
  }
  if (datasetName?.includes('/')) report.invalid(path.child('datasetName'), datasetName, "must not contain '/'");
}

const REGISTRY = 'must be a host:port pair or multiple pairs separated by commas';

function validateQuobyte(source: QuobyteVolumeSource, path: FieldPath, report: Report): void {
  if (!source.registry) return report.required(path.child('registry'), REGISTRY);
  if ((source.tenant?.length ?? 0) >= 65) {
    return report.required(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters');
  }
  for (const pair of source.registry.split(',')) {
    if (!/^[^:]*:[^:]*$|^\[[^\]]*\]:[^:]*$/.test(pair))
      report.invalid(path.child('registry'), source.registry, REGISTRY);
  }
  return undefined;
}

const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

function validateAzureDisk(source: AzureDiskVolumeSource, path: FieldPath, report: Report): void {
  const { cachingMode, kind, diskURI } = source;
  if (cachingMode && !CACHING_MODES.includes(cachingMode)) {
    report.unsupported(path.child('cachingMode'), cachingMode, CACHING_MODES);
  }
  if (!kind) return;
  if (!DISK_KINDS.includes(kind)) report.unsupported(path.child('kind'), kind, DISK_KINDS);
  const managed = kind === 'Managed';
  if (!diskURI.startsWith(managed ? '/subscriptions/' : 'https://')) {
    report.unsupported(path.child('diskURI'), diskURI, [managed ? MANAGED_URI : BLOB_URI]);
  }
}

function validateFlexOptions(options: { readonly [key: string]: string }, path: FieldPath, report: Report): void {
  for (const key in options) {
    const namespace = `.${(key.split('/', 1)[0] ?? '').toLowerCase()}`;
    if (!namespace.endsWith('.kubernetes.io') && !namespace.endsWith('.k8s.io')) continue;
    report.invalid(path.key(key), key, 'kubernetes.io and k8s.io namespaces are reserved');
  }
}
