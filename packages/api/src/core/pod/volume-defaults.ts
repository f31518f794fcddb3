import type { Draft } from '../../draft.ts';
import type { DownwardAPIVolumeFile, ProjectedVolumeSource, Volume } from '../../generated/core-v1.ts';
import { defaultClaimSpec } from '../persistent-volume/defaults.ts';
import { defaultAzureDisk, defaultIscsi, defaultRbd, defaultScaleIo } from '../persistent-volume/source-defaults.ts';
import { defaultPullPolicy } from './image.ts';

/** Bits of the files of configMap, secret, downwardAPI and projected volumes: 0644. */
const FILE_MODE = 0o644;

/** A volume of a pod or a template. One without a source is an emptyDir. */
export function defaultVolume(volume: Draft<Volume>): void {
  if (!hasSource(volume)) {
    volume.emptyDir = {};
    return;
  }
  if (volume.secret) volume.secret.defaultMode ??= FILE_MODE;
  if (volume.configMap) volume.configMap.defaultMode ??= FILE_MODE;
  if (volume.projected) defaultProjected(volume.projected);
  if (volume.hostPath) volume.hostPath.type ??= '';
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= FILE_MODE;
    defaultFieldRefs(volume.downwardAPI.items);
  }
  if (volume.image && !volume.image.pullPolicy) {
    volume.image.pullPolicy = defaultPullPolicy(volume.image.reference ?? '');
  }
  if (volume.ephemeral?.volumeClaimTemplate) defaultClaimSpec(volume.ephemeral.volumeClaimTemplate.spec);
  defaultLegacySources(volume);
}

function hasSource(volume: Draft<Volume>): boolean {
  for (const key in volume) {
    if (key !== 'name' && volume[key as keyof Volume] !== undefined && volume[key as keyof Volume] !== null)
      return true;
  }
  return false;
}

function defaultProjected(source: Draft<ProjectedVolumeSource>): void {
  source.defaultMode ??= FILE_MODE;
  for (const projection of source.sources ?? []) {
    if (projection.downwardAPI) defaultFieldRefs(projection.downwardAPI.items);
    if (projection.serviceAccountToken) projection.serviceAccountToken.expirationSeconds ??= 3600;
  }
}

function defaultFieldRefs(items: readonly Draft<DownwardAPIVolumeFile>[] | undefined): void {
  for (const item of items ?? []) if (item.fieldRef && !item.fieldRef.apiVersion) item.fieldRef.apiVersion = 'v1';
}

function defaultLegacySources(volume: Draft<Volume>): void {
  if (volume.iscsi) defaultIscsi(volume.iscsi);
  if (volume.rbd) defaultRbd(volume.rbd);
  if (volume.azureDisk) defaultAzureDisk(volume.azureDisk);
  if (volume.scaleIO) defaultScaleIo(volume.scaleIO);
}
