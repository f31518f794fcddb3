import type { Pod } from '@binnacle/api/core/v1';
import { wholeValue } from '../../container/amount.ts';
import type { VolumeDriver } from '../driver.ts';

/** A folder for the pod's life, on disk or in memory. */
export const emptyDirDriver: VolumeDriver = {
  source: 'emptyDir',
  plugin: 'empty-dir',
  async setUp({ pod, volume, directory, files, node, memory }) {
    const mounted = { hostPath: directory, readOnly: false };
    // Once: containers may have changed it since, and none of that is to be undone.
    if (files === undefined || memory.has('made')) return mounted;
    await files.makeDirectory(directory, 0o777);
    if (volume.emptyDir?.medium === 'Memory') {
      await files.mountTmpfs(directory, memoryBytes(pod, volume.emptyDir.sizeLimit, node.memoryBytes));
    }
    const gid = pod.spec.securityContext?.fsGroup;
    if (gid !== undefined) await files.changeGroup(directory, { gid, readOnly: false });
    memory.set('made', '');
    return mounted;
  },
};

/** Never more than the node has for pods, than the pod may have, or than was asked for. */
function memoryBytes(pod: Pod, sizeLimit: string | undefined, nodeBytes: number): number {
  return Math.min(...[nodeBytes, podLimit(pod), wholeValue(sizeLimit)].filter((bytes) => bytes > 0));
}

/** What all containers may have together; 0 where one of them has no limit. */
function podLimit(pod: Pod): number {
  const limits = pod.spec.containers.map((c) => wholeValue(c.resources?.limits?.['memory']));
  return limits.includes(0) ? 0 : limits.reduce((sum, bytes) => sum + bytes, 0);
}
