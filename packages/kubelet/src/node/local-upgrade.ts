import type { IncomingMessage } from 'node:http';
import { createDuplexPair } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { nodeStreamOf } from '@binnacle/base/node';
import { readUpgradeHead } from '@binnacle/streams/node';
import type { UpgradeHead } from '@binnacle/streams/node';
import type { Kubelet } from '../kubelet.ts';
import { serveStreams } from './serve-upgrade.ts';

/** An upgrade that somebody in the process asks for, who is trusted. */
export interface LocalUpgrade {
  readonly method: string;
  /** Encoded, with its query. */
  readonly path: string;
  /** Names in lower case; `upgrade` and what belongs to it. */
  readonly headers: { readonly [name: string]: string };
}

/**
 * Exec, attach and port-forward of a kubelet in this process, without a socket: over a pair of streams in memory. What it
 * answers is another protocol on the stream, or a refusal to be read from it.
 */
export async function openLocalStream(kubelet: Kubelet, upgrade: LocalUpgrade, clock: Clock): Promise<UpgradeHead> {
  const [near, far] = createDuplexPair();
  const socket = nodeStreamOf(far);
  // Whoever reads or writes hears of it.
  socket.on('error', () => undefined);
  const url = new URL(upgrade.path, 'https://kubelet');
  const request = { method: upgrade.method, url: upgrade.path, headers: { connection: 'upgrade', ...upgrade.headers } };
  const at = { path: decodeURIComponent(url.pathname), query: url.searchParams };
  const asked = { request: request as unknown as IncomingMessage, socket, head: new Uint8Array(0), clock };
  serveStreams(kubelet, asked, at).catch((error: unknown) => near.abort(error as Error));
  return readUpgradeHead(near);
}
