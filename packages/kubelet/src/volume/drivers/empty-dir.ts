import type { Pod } from '@binnacle/api/core/v1';
import { wholeValue } from '../../container/amount.ts';
import { VolumeError } from '../../errors.ts';
import { isHugePages, pageSizeOf } from '../../huge-pages.ts';
import type { HostFiles } from '../../ports.ts';
import type { VolumeCall, VolumeDriver } from '../driver.ts';

const HUGE = 'HugePages';

/** A folder for the pod's life, on disk or in memory. */
export const emptyDirDriver: VolumeDriver = {
  source: 'emptyDir',
  plugin: 'empty-dir',
  async setUp({ pod, volume, directory, files, node, memory }) {
    const mounted = { hostPath: directory, readOnly: false };
    // Once: containers may have changed it since, and none of that is to be undone.
    if (files === undefined || memory.has('made')) return mounted;
    await files.makeDirectory(directory, 0o777);
    const isEmpty = await mount(files, { pod, volume, directory, node });
    const gid = pod.spec.securityContext?.fsGroup;
    if (gid !== undefined) await giveOnce(files, { directory, gid, isEmpty });
    memory.set('made', '');
    return mounted;
  },
};

/** Answers whether nobody can have anything in it yet. */
async function mount(
  files: HostFiles,
  { pod, volume, directory, node }: Pick<VolumeCall, 'pod' | 'volume' | 'directory' | 'node'>,
): Promise<boolean> {
  const { medium = '', sizeLimit } = volume.emptyDir ?? {};
  if (medium.startsWith(HUGE)) return files.mountHugePages(directory, pageBytes(pod, { name: volume.name, medium }));
  if (medium === 'Memory') return files.mountTmpfs(directory, memoryBytes(pod, sizeLimit, node.memoryBytes));
  return false;
}

/**
 * The next kubelet does not do it again: what containers keep from their group there, as databases and keys want it, stays so.
 * That it was done is told where upstream's kubelet tells it.
 */
async function giveOnce(
  files: HostFiles,
  { directory, gid, isEmpty }: { readonly directory: string; readonly gid: number; readonly isEmpty: boolean },
): Promise<void> {
  const [plugin = '', name = ''] = directory.split('/').slice(-2);
  const done = `${directory.split('/').slice(0, -3).join('/')}/plugins/${plugin}/${name}/ready`;
  if (!isEmpty && (await files.kind(done)) !== 'absent') return;
  await files.changeGroup(directory, { gid, readOnly: false });
  await files.writeFile(done, new Uint8Array());
}

/** Never more than the node has for pods, than the pod may have, or than was asked for. */
function memoryBytes(pod: Pod, sizeLimit: string | undefined, nodeBytes: number): number {
  return Math.min(...[nodeBytes, podLimit(pod), wholeValue(sizeLimit)].filter((bytes) => bytes > 0));
}

/** What all containers may have together; 0 where one of them has no limit. */
function podLimit(pod: Pod): number {
  const limits = pod.spec.containers.map((c) => wholeValue(c.resources?.limits?.['memory']));
  return limits.includes(0) ? 0 : limits.reduce((sum, bytes) => sum + bytes, 0);
}

/** The size of the pages that a volume is made of: as it says, or the only one that the pod asks for. Throws VolumeError, in upstream's words. */
export function pageBytes(pod: Pod, { name, medium }: { readonly name: string; readonly medium: string }): number {
  const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const asked = all.flatMap(({ resources }) => Object.keys({ ...resources?.limits, ...resources?.requests }));
  const sizes = new Set(asked.filter(isHugePages).map((resource) => wholeValue(pageSizeOf(resource))));
  const wanted =
    medium === HUGE ? sizes : [wholeValue(medium.slice(HUGE.length + 1))].filter((size) => sizes.has(size));
  const [size, another] = wanted;
  if (another !== undefined)
    throw new VolumeError(name, `medium: ${medium} can't be used if container requests multiple huge page sizes`);
  if (size === undefined)
    throw new VolumeError(name, 'hugePages storage requested, but there is no resource request for huge pages.');
  return size;
}
