import { names } from '@binnacle/machinery';
import type {
  CSIPersistentVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
  Volume,
} from '../../generated/core-v1.ts';
import type { FieldPath } from '../../validation/path.ts';
import type { Report } from '../../validation/report.ts';
import { validateNoBacksteps } from '../pod/validation/paths.ts';
import { validateVendorSource } from '../pod/validation/vendor-volumes.ts';
import { validateHostPath } from '../pod/validation/volumes.ts';

const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const;

type Source = (typeof SOURCES)[number];

/** Upstream calls this one so in the paths of messages. */
const PATH_NAMES: { readonly [source: string]: string } = { gcePersistentDisk: 'persistentDisk' };
const DRIVER_MAX = 63;

/** The part of a spec that says where the data is. */
export function sourcesOf(spec: PersistentVolumeSpec): { readonly [source: string]: unknown } {
  return Object.fromEntries(SOURCES.map((source) => [source, spec[source]]));
}

/** A volume has one source; `path` is the spec's. */
export function validateSources(spec: PersistentVolumeSpec, path: FieldPath, report: Report): void {
  const given = SOURCES.filter((source) => spec[source]);
  if (given.length === 0) report.required(path, 'must specify a volume type');
  for (const [at, source] of given.entries()) {
    if (at > 0 && source !== 'flexVolume') {
      report.forbidden(path.child(source === 'cephfs' ? 'cephFS' : source), 'may not specify more than 1 volume type');
    } else validateSource({ spec, source }, path, report);
  }
}

function validateSource(
  { spec, source }: { readonly spec: PersistentVolumeSpec; readonly source: Source },
  path: FieldPath,
  report: Report,
): void {
  const here = path.child(PATH_NAMES[source] ?? source);
  if (source === 'hostPath') return validateHostPath(spec.hostPath ?? { path: '' }, here, report);
  if (source === 'local') return validateLocal(spec, path, report);
  if (source === 'csi') return spec.csi && validateCsi(spec.csi, here, report);
  // Sources of vendors have the same fields as those of pods' own volumes, but for who keeps the secret.
  const volume: { [field: string]: unknown } = { name: '', [source]: spec[source] };
  return validateVendorSource(volume as unknown as Volume, here, report);
}

function validateLocal(spec: PersistentVolumeSpec, path: FieldPath, report: Report): void {
  const here = path.child('local').child('path');
  const target = spec.local?.path ?? '';
  if (target === '') report.required(here);
  else validateNoBacksteps(target, here, report);
  if (!spec.nodeAffinity) report.required(path.child('nodeAffinity'), 'Local volume requires node affinity');
}

const SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function validateCsi(csi: CSIPersistentVolumeSource, path: FieldPath, report: Report): void {
  const { driver, volumeHandle } = csi;
  const here = path.child('driver');
  if (driver === '') report.required(here);
  if (driver.length > DRIVER_MAX) report.tooLong(here, DRIVER_MAX);
  report.invalidEach(here, driver, names.subdomainErrors(driver.toLowerCase()));
  if (volumeHandle === '') report.required(path.child('volumeHandle'));
  for (const field of SECRETS) {
    const secret = csi[field];
    if (secret) validateSecret(secret, path.child(field), report);
  }
}

function validateSecret({ name = '', namespace = '' }: SecretReference, path: FieldPath, report: Report): void {
  if (name === '') report.required(path.child('name'));
  else report.invalidEach(path.child('name'), name, names.subdomainErrors(name));
  if (namespace === '') report.required(path.child('namespace'));
  else report.invalidEach(path.child('namespace'), namespace, names.dnsLabelErrors(namespace));
}
