import { join, resolve } from 'node:path';
import { nodeHttp } from '@binnacle/base/node';
import { localSocketPath } from '@binnacle/cluster/node/socket-path';
import type { Pod } from '@binnacle/api/core/v1';
import { CommandFailedError } from '../errors.ts';
import { podRow, renderTable } from '../host/pod-table.ts';

/** The flags of `binnacle kubelet pods`. */
export interface KubeletPodsFlags {
  readonly dataDir: string;
  readonly output?: 'json';
}

interface Refusals {
  readonly items: readonly { readonly file: string; readonly reason: string }[];
}

/** `binnacle kubelet pods`: what runs on this machine's node, asked of its kubelet and of no API server. */
export async function kubeletPods({ dataDir, output }: KubeletPodsFlags): Promise<void> {
  const socket = localSocketPath(join(resolve(dataDir), 'kubelet'));
  const [pods, refused] = await Promise.all([
    ask<{ readonly items: readonly Pod[] }>(socket, '/pods'),
    ask<Refusals>(socket, '/refusedmanifests'),
  ]);
  if (output === 'json') {
    process.stdout.write(`${JSON.stringify({ pods: pods.items, refusedManifests: refused.items })}\n`);
    return;
  }
  const now = Date.now();
  const rows = pods.items.map((pod) => podRow(pod, now));
  if (rows.length > 0)
    process.stdout.write(renderTable(['NAMESPACE', 'NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'], rows));
  else process.stdout.write('No pods run here.\n');
  if (refused.items.length === 0) return;
  const refusals = refused.items.map(({ file, reason }) => [file, reason]);
  process.stdout.write(`\n${renderTable(['REFUSED MANIFEST', 'REASON'], refusals)}`);
}

const ANSWER_BYTES_MAX = 64 << 20;

function ask<T>(socketPath: string, path: string): Promise<T> {
  return new Promise((settle, reject) => {
    const call = nodeHttp().request({ socketPath, path }, (response) => {
      const parts: Uint8Array[] = [];
      let length = 0;
      response.on('data', (part: Uint8Array) => {
        parts.push(part);
        length += part.length;
        if (length > ANSWER_BYTES_MAX) call.destroy(new CommandFailedError(`${socketPath} answers without end`));
      });
      response.on('end', () => settle(JSON.parse(Buffer.concat(parts).toString()) as T));
      response.on('error', reject);
    });
    call.on('error', (error: NodeJS.ErrnoException) => {
      const isAbsent = error.code === 'ENOENT' || error.code === 'ECONNREFUSED' || error.code === 'ENOTDIR';
      reject(
        isAbsent
          ? new CommandFailedError(`no kubelet of containers answers at ${socketPath}; name its --data-dir`)
          : error,
      );
    });
    call.end();
  });
}
