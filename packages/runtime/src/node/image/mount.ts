import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { RuntimeError } from '../../errors.ts';
import type { ImageMounts } from '../../image-port.ts';

const run = promisify(execFile);
const UNIX = 'unix://';
/** Nothing of an image is to be written, or run, where it is only to be read. */
const READ_ONLY = 'remount,bind,ro,noexec';

/** Whose images they are. */
export interface ImageMountOptions {
  readonly endpoint: string;
  /**
   * The file that keeps the mount namespace which containerd lives in; absent: ours. From 2.2 on containerd mounts an image
   * itself, and `ctr` binds that: elsewhere it would bind the empty folder below. What containers are given is mounted there too.
   */
  readonly namespace?: string;
}

/**
 * The files of images as folders of this machine, by containerd's own `ctr`: for a containerd that cannot hand an image
 * into a container (before 2.1). Folders lie where mounts spread from containerd's namespace to ours. Each throws RuntimeError.
 */
export function imageMounts({ endpoint, namespace }: ImageMountOptions): ImageMounts {
  const address = endpoint.startsWith(UNIX) ? endpoint.slice(UNIX.length) : endpoint;
  const inNamespace = (program: string, args: readonly string[]): Promise<unknown> =>
    namespace === undefined ? run(program, args) : run('nsenter', [`--mount=${namespace}`, program, ...args]);
  const ctr = async (what: string, args: readonly string[]): Promise<void> => {
    const connection = ['--address', address, '--connect-timeout', '2s', '--namespace', 'k8s.io'];
    await told(what, inNamespace('ctr', [...connection, 'images', ...args]));
  };
  return {
    async mount(image, target) {
      await ctr(`mount image ${image}`, ['mount', image, target]);
      await told(`mount image ${image} read-only`, inNamespace('mount', ['-o', READ_ONLY, target]));
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
