import type { IncomingMessage } from 'node:http';
import { createDuplexPair, StreamCutError } from '@binnacle/base';
import type { Clock, Duplex } from '@binnacle/base';
import { nodeStreamOf } from '@binnacle/base/node';
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

/** What a kubelet answers: another protocol on `stream`, or a refusal to be read from it. */
export interface LocalAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly stream: Duplex;
}

const HEAD_BYTES_MAX = 16 * 1024;

/** Exec, attach and port-forward of a kubelet in this process, without a socket: over a pair of streams in memory. */
export async function openLocalStream(kubelet: Kubelet, upgrade: LocalUpgrade, clock: Clock): Promise<LocalAnswer> {
  const [near, far] = createDuplexPair();
  const socket = nodeStreamOf(far);
  // Whoever reads or writes hears of it.
  socket.on('error', () => undefined);
  const url = new URL(upgrade.path, 'https://kubelet');
  const request = { method: upgrade.method, url: upgrade.path, headers: { connection: 'upgrade', ...upgrade.headers } };
  const at = { path: decodeURIComponent(url.pathname), query: url.searchParams };
  const asked = { request: request as unknown as IncomingMessage, socket, head: new Uint8Array(0), clock };
  serveStreams(kubelet, asked, at).catch((error: unknown) => near.abort(error as Error));
  return readHead(near);
}

/** The head of the answer; what comes behind it is read from the stream. */
async function readHead(stream: Duplex): Promise<LocalAnswer> {
  const decoder = new TextDecoder('latin1');
  let text = '';
  let rest: Uint8Array = new Uint8Array(0);
  while (!text.includes('\r\n\r\n')) {
    const chunk = await stream.read();
    if (chunk === undefined || text.length > HEAD_BYTES_MAX) {
      stream.abort();
      throw new StreamCutError('the kubelet gave no answer');
    }
    text += decoder.decode(chunk);
    rest = chunk;
  }
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...lines] = text.slice(0, end).split('\r\n');
  // Latin-1: as many letters as bytes.
  rest = rest.subarray(rest.length - (text.length - end - 4));
  const headers = lines.map((header) => {
    const colon = header.indexOf(':');
    return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
  });
  return {
    status: Number(line.split(' ')[1]),
    headers: Object.fromEntries(headers) as LocalAnswer['headers'],
    stream: startingWith(rest, stream),
  };
}

function startingWith(first: Uint8Array, stream: Duplex): Duplex {
  let left: Uint8Array | undefined = first.length === 0 ? undefined : first;
  return {
    read() {
      if (left === undefined) return stream.read();
      const chunk = left;
      left = undefined;
      return Promise.resolve(chunk);
    },
    write: (chunk) => stream.write(chunk),
    end: () => stream.end(),
    abort: (error) => stream.abort(error),
    closed: stream.closed,
  };
}
