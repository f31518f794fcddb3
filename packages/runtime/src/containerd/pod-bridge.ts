import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Logger, messageOf } from '@binnacle/base';
import { PROGRAM_PATH } from './host.ts';

const run = promisify(execFile);

/** Removes the bridge of the pods' network; nothing where there is none. */
export async function removeBridge(bridge: string, log: Logger): Promise<void> {
  try {
    await run('ip', ['link', 'delete', bridge, 'type', 'bridge'], { env: { PATH: PROGRAM_PATH } });
  } catch (error) {
    log.info(3, 'no bridge to remove', { bridge, reason: messageOf(error) });
  }
}
