import type { Container } from '@binnacle/api/core/v1';
import { VolumeError } from '../../errors.ts';
import type { VolumeDriver } from '../driver.ts';

const MOUNTED = 'image';

/** The folder below `volumes` where image volumes of a pod are. */
export const IMAGE_PLUGIN = 'image';

/** The files of an image, to be read. It is pulled as a container's image is; what is mounted stays as it is. */
export const imageDriver: VolumeDriver = {
  source: 'image',
  plugin: IMAGE_PLUGIN,
  async setUp({ pod, volume, directory, files, images, memory, orInterrupted }) {
    const mounted = { hostPath: directory, readOnly: true };
    if (files === undefined || memory.has(MOUNTED)) return mounted;
    const { reference = '', pullPolicy } = volume.image ?? {};
    const { mounts, puller } = images;
    if (mounts === undefined) throw new VolumeError(volume.name, 'this runtime cannot mount images');
    const wanted: Container = { name: '', image: reference, ...(pullPolicy && { imagePullPolicy: pullPolicy }) };
    const { id } = await orInterrupted(puller.ensure(pod, wanted));
    await files.makeDirectory(directory, 0o755);
    // Found full: it was mounted before the kubelet started again.
    if ((await files.list(directory)).length === 0) await mounts.mount(id, directory);
    memory.set(MOUNTED, id);
    return mounted;
  },
};
