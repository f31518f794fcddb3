import { names } from '@binnacle/machinery';
import type { ObjectMeta } from '@binnacle/machinery';
import type { HostPathVolumeSource, KeyToPath, Volume } from '../../../generated/core-v1.ts';
import { isNegativeAmount } from '../../../validation/numbers.ts';
import type { FieldPath } from '../../../validation/path.ts';
import { Report } from '../../../validation/report.ts';
import { validateClaimSpec } from '../../persistent-volume/claim-validation.ts';
import { validatePullPolicy } from './containers.ts';
import { validateFileMode, validateNoBacksteps } from './paths.ts';
import { validateProjected } from './projected.ts';
import { validateVendorSource } from './vendor-volumes.ts';
import { validateDownwardFile, validateKeyToPath } from './volume-files.ts';

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** Where upstream's word for a source in a path is not the field's own name. */
const PATH_NAMES: { readonly [source: string]: string } = {
  gcePersistentDisk: 'persistentDisk',
};

export interface VolumeScope {
  readonly report: Report;
  readonly isPod: boolean;
  /** Of a real pod: its name is part of the names of the claims that it makes. */
  readonly metadata?: ObjectMeta;
}

/** Checks the volumes of a pod and returns those that are right, by name. */
export function validateVolumes(
  volumes: readonly Volume[],
  path: FieldPath,
  scope: VolumeScope,
): ReadonlyMap<string, Volume> {
  const right = new Map<string, Volume>();
  const pod = scope.metadata?.name ?? '';
  const made = new Set(pod === '' ? [] : volumes.filter((volume) => volume.ephemeral).map((v) => `${pod}-${v.name}`));
  for (const [at, volume] of volumes.entries()) {
    const here = path.index(at);
    // Of its own, because only a volume without mistakes can be mounted.
    const own = new Report();
    validateSources(volume, here, { ...scope, report: own });
    if (!volume.name) own.required(here.child('name'));
    else own.invalidEach(here.child('name'), volume.name, names.dnsLabelErrors(volume.name));
    if (right.has(volume.name)) own.duplicate(here.child('name'), volume.name);
    if (own.count === 0) right.set(volume.name, volume);
    else scope.report.addAll(own.errors);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && made.has(claim)) {
      const claimPath = here.child('persistentVolumeClaim').child('claimName');
      scope.report.invalid(claimPath, claim, 'must not reference a PVC that gets created for an ephemeral volume');
    }
  }
  return right;
}

/** Exactly one source. */
function validateSources(volume: Volume, path: FieldPath, scope: VolumeScope): void {
  let found = false;
  for (const field in volume) {
    const source = volume[field as keyof Volume];
    if (field === 'name' || source === undefined || source === null) continue;
    if (found) scope.report.forbidden(path.child(field), 'may not specify more than 1 volume type');
    else validateSource({ volume, field: field as keyof Volume }, path, scope);
    found = true;
  }
  if (!found) scope.report.required(path, 'must specify a volume type');
}

interface SourceOfVolume {
  readonly volume: Volume;
  readonly field: keyof Volume;
}

function validateSource(given: SourceOfVolume, volumePath: FieldPath, scope: VolumeScope): void {
  const { volume, field } = given;
  const { report } = scope;
  const path = volumePath.child(PATH_NAMES[field] ?? field);
  switch (field) {
    case 'emptyDir':
      return validateEmptyDir(volume, path, report);
    case 'hostPath':
      return validateHostPath(volume.hostPath ?? { path: '' }, path, report);
    case 'secret':
      return validateFiles(
        { ...volume.secret, nameField: 'secretName', source: volume.secret?.secretName },
        path,
        report,
      );
    case 'configMap':
      return validateFiles({ ...volume.configMap, nameField: 'name', source: volume.configMap?.name }, path, report);
    case 'downwardAPI':
      return validateDownwardApi(volume, path, report);
    case 'projected':
      return validateProjected(volume.projected ?? { sources: [] }, path, report);
    case 'persistentVolumeClaim':
      if (!volume.persistentVolumeClaim?.claimName) report.required(path.child('claimName'));
      return undefined;
    case 'ephemeral':
      return validateEphemeral(volume, volumePath, scope);
    case 'image':
      if (scope.isPod && !volume.image?.reference) report.required(path.child('reference'));
      return validatePullPolicy(volume.image?.pullPolicy, path.child('pullPolicy'), report);
    default:
      return validateVendorSource(volume, path, report);
  }
}

function validateEmptyDir(volume: Volume, path: FieldPath, report: Report): void {
  const limit = volume.emptyDir?.sizeLimit;
  if (limit && isNegativeAmount(limit)) {
    report.forbidden(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity');
  }
}

export function validateHostPath(source: HostPathVolumeSource, path: FieldPath, report: Report): void {
  if (!source.path) return report.required(path.child('path'));
  validateNoBacksteps(source.path, path.child('path'), report);
  const type = source.type ?? '';
  if (!HOST_PATH_TYPES.includes(type)) report.unsupported(path.child('type'), type, HOST_PATH_TYPES);
  return undefined;
}

interface FilesSource {
  /** The object that the files come from, and the field that names it. */
  readonly source: string | undefined;
  readonly nameField: string;
  readonly defaultMode?: number;
  readonly items?: readonly KeyToPath[];
}

function validateFiles(files: FilesSource, path: FieldPath, report: Report): void {
  if (!files.source) report.required(path.child(files.nameField));
  validateFileMode(files.defaultMode, path.child('defaultMode'), report);
  for (const [at, item] of (files.items ?? []).entries()) {
    validateKeyToPath(item, path.child('items').index(at), report);
  }
}

function validateDownwardApi(volume: Volume, path: FieldPath, report: Report): void {
  validateFileMode(volume.downwardAPI?.defaultMode, path.child('defaultMode'), report);
  for (const file of volume.downwardAPI?.items ?? []) validateDownwardFile(file, path, report);
}

function validateEphemeral(volume: Volume, path: FieldPath, scope: VolumeScope): void {
  const template = volume.ephemeral?.volumeClaimTemplate;
  const here = path.child('ephemeral').child('volumeClaimTemplate');
  if (!template) scope.report.required(here);
  else validateClaimSpec(template.spec, here.child('spec'), scope.report);
  const pod = scope.metadata?.name;
  if (!pod || !volume.name) return;
  const claim = `${pod}-${volume.name}`;
  for (const message of names.subdomainErrors(claim)) {
    scope.report.invalid(path.child('name'), volume.name, `PVC name ${JSON.stringify(claim)}: ${message}`);
  }
}
