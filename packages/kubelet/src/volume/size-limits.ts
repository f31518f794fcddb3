import type { Pod } from '@binnacle/api/core/v1';
import { wholeValue } from '../container/amount.ts';
import type { HostFiles } from '../ports.ts';

/** A folder of a pod on disk and how large it may be; those in memory are held by their file system. */
export interface SizeLimit {
  readonly volume: string;
  readonly path: string;
  readonly bytes: number;
  /** As the pod's author wrote it. */
  readonly text: string;
}

/** The limits that a pod sets to its emptyDirs. */
export function sizeLimits(pod: Pod, rootDirectory: string): readonly SizeLimit[] {
  const folder = `${rootDirectory}/pods/${pod.metadata.uid ?? ''}/volumes/kubernetes.io~empty-dir`;
  return (pod.spec.volumes ?? []).flatMap(({ name, emptyDir }) => {
    const bytes = wholeValue(emptyDir?.sizeLimit);
    if (emptyDir?.sizeLimit === undefined || bytes === 0 || emptyDir.medium) return [];
    return [{ volume: name, path: `${folder}/${name}`, bytes, text: emptyDir.sizeLimit }];
  });
}

/** Why a pod has to go, in upstream's words; undefined: all its folders keep to their limits. */
export async function exceededLimit(files: HostFiles, limits: readonly SizeLimit[]): Promise<string | undefined> {
  for (const limit of limits) {
    if ((await files.usage(limit.path, limit.bytes)) > limit.bytes) {
      return `Usage of EmptyDir volume "${limit.volume}" exceeds the limit "${limit.text}". `;
    }
  }
  return undefined;
}
