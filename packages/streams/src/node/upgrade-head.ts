import { StreamCutError } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';

/** The answer to a handshake, read from the connection itself. */
export interface UpgradeHead {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string };
  /** What comes behind the head: another protocol, or the body of a refusal. */
  readonly stream: Duplex;
}

const HEAD_BYTES_MAX = 16 * 1024;

/** Reads the head of the answer. Throws StreamCutError where there is none, or no end of it; drops the stream then. */
export async function readUpgradeHead(stream: Duplex): Promise<UpgradeHead> {
  const decoder = new TextDecoder('latin1');
  let text = '';
  let rest: Uint8Array = new Uint8Array(0);
  while (!text.includes('\r\n\r\n')) {
    const chunk = await stream.read();
    if (chunk === undefined || text.length > HEAD_BYTES_MAX) {
      stream.abort();
      throw new StreamCutError('the other side gave no answer');
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
    headers: Object.fromEntries(headers) as UpgradeHead['headers'],
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
