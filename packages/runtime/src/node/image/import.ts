import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { RuntimeError } from '../../errors.ts';

const run = promisify(execFile);
const UNIX = 'unix://';

/**
 * Loads an OCI (or Docker) image archive into the containerd behind `endpoint` (`unix:///…`), where CRI finds it under
 * the names written in it. Uses containerd's own `ctr`. Throws RuntimeError when it refuses the file.
 */
export async function importImage(endpoint: string, file: string): Promise<void> {
  const address = endpoint.startsWith(UNIX) ? endpoint.slice(UNIX.length) : endpoint;
  try {
    await run('ctr', [
      '--address',
      address,
      '--connect-timeout',
      '2s',
      '--namespace',
      'k8s.io',
      'images',
      'import',
      file,
    ]);
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new RuntimeError(`cannot import ${file}: ${stderr}`, { code: 'image-import', facts: { file }, cause: error });
  }
}
