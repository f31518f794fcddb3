import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { RuntimeError } from '../../errors.ts';
import type { ImageMounts } from '../../image-port.ts';

const run = promisify(execFile);
const UNIX = 'unix://';
/** Nothing of an image is to be written, or run, where it is only to be read. */
const READ_ONLY = 'remount,bind,ro,noexec';

/**
 * The files of images as folders of this machine, by containerd's own `ctr`: for a containerd that cannot hand an image
 * into a container (before 2.1). Each throws RuntimeError.
 */
export function imageMounts(endpoint: string): ImageMounts {
  const address = endpoint.startsWith(UNIX) ? endpoint.slice(UNIX.length) : endpoint;
  const ctr = async (what: string, args: readonly string[]): Promise<void> => {
    const connection = ['--address', address, '--connect-timeout', '2s', '--namespace', 'k8s.io'];
    await told(what, run('ctr', [...connection, 'images', ...args]));
  };
  return {
    async mount(image, target) {
      await ctr(`mount image ${image}`, ['mount', image, target]);
      await told(`mount image ${image} read-only`, run('mount', ['-o', READ_ONLY, target]));
    },
    unmount: (target) => ctr(`unmount the image at ${target}`, ['unmount', '--rm', target]),
  };
}

async function told(what: string, done: Promise<unknown>): Promise<void> {
  try {
    await done;
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new RuntimeError(`cannot ${what}: ${stderr}`, { code: 'image-mount', cause: error });
  }
}
