import { join } from 'node:path';

/** Where commands of this machine ask a kubelet, by its folder. */
export function localSocketPath(directory: string): string {
  return join(directory, 'kubelet.sock');
}
