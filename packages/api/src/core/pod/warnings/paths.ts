import type { Volume, VolumeProjection } from '../../../generated/core-v1.ts';
import type { Warnings } from '../../../validation/warnings.ts';
import { FileTree } from './file-tree.ts';
import type { VolumeFile } from './file-tree.ts';

interface Item {
  readonly path: string;
}

/** Of files of one volume that take each other's place, or need a folder where another one is. */
export function warnOfOverlaps(volume: Volume, warnings: Warnings): void {
  const { configMap, secret, downwardAPI, projected, name } = volume;
  const look = (what: string, items: readonly Item[] | null | undefined): void =>
    report(`volume ${quoted(name)} (${what}): overlapping paths: `, filesOf(items), warnings);
  if (configMap) look(`ConfigMap ${quoted(configMap.name ?? '')}`, configMap.items);
  if (secret) look(`Secret ${quoted(secret.secretName ?? '')}`, secret.items);
  if (downwardAPI) look('DownwardAPI', downwardAPI.items);
  if (!projected) return;
  const sources = projected.sources ?? [];
  for (const source of sources) {
    if (Object.values(source).every((part) => !part)) {
      warnings.say(`volume ${quoted(name)} (Projected) has no sources provided`);
    }
  }
  report(`volume ${quoted(name)} (Projected): overlapping paths: `, sources.flatMap(projectedFiles), warnings);
}

function projectedFiles(projection: VolumeProjection): readonly VolumeFile[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = projection;
  if (configMap?.items) return filesOf(configMap.items, `ConfigMap ${quoted(configMap.name ?? '')}`);
  if (secret?.items) return filesOf(secret.items, `Secret ${quoted(secret.name ?? '')}`);
  if (downwardAPI?.items) return filesOf(downwardAPI.items, 'DownwardAPI');
  if (serviceAccountToken) return filesOf([serviceAccountToken], 'ServiceAccountToken');
  if (clusterTrustBundle) {
    const name = clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? '';
    return filesOf([clusterTrustBundle], `ClusterTrustBundle ${quoted(name)}`);
  }
  if (!podCertificate) return [];
  const { certificateChainPath = '', keyPath = '', credentialBundlePath = '' } = podCertificate;
  return [
    ...filesOf([{ path: certificateChainPath }], 'PodCertificate chain'),
    ...filesOf([{ path: keyPath }], 'PodCertificate key'),
    ...filesOf([{ path: credentialBundlePath }], 'PodCertificate credential bundle'),
  ];
}

function filesOf(items: readonly Item[] | null | undefined, source = ''): readonly VolumeFile[] {
  return (items ?? []).map(({ path }) => ({ path: withoutEnd(path), source }));
}

/** Without slashes at the end, in one pass. */
function withoutEnd(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end--;
  return path.slice(0, end);
}

function report(start: string, files: readonly VolumeFile[], warnings: Warnings): void {
  if (files.length < 2) return;
  const tree = new FileTree();
  for (const file of files) {
    if (warnings.isFull) return;
    if (file.path === '') continue;
    for (const other of tree.add(file)) warnings.say(`${start}${shown(file)} with ${shown(other)}`);
  }
}

function shown({ path, source }: VolumeFile): string {
  return source === '' ? quoted(path) : `${quoted(path)} (${source})`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
