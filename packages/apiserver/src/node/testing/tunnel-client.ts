import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { StreamCutError } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';
import { duplexOf } from '@binnacle/base/node';

/**
 * Bytes in the binary messages of a WebSocket, at the client's end, under a subprotocol of any name: the library's client
 * takes none with a `/`. Rejects with the status of a refusal (StreamCutError).
 */
export async function openTunnel(url: string, protocol: string, ca: string): Promise<Duplex> {
  const asked = request(url, {
    ca,
    agent: false,
    headers: {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': protocol,
    },
  });
  asked.end();
  const carrier = await new Promise<Duplex>((resolve, reject) => {
    asked.once('error', reject);
    asked.once('response', (reply: IncomingMessage) => {
      reply.destroy();
      reject(new StreamCutError(`refused: ${reply.statusCode}`));
    });
    asked.once('upgrade', (_reply: IncomingMessage, socket: Socket, head: Uint8Array) => {
      resolve(duplexOf(socket, head));
    });
  });
  const messages = payloads(carrier);
  return {
    read: async () => (await messages.next()).value ?? undefined,
    write: (chunk) => carrier.write(frame(BINARY, chunk)),
    async end() {
      await carrier.write(frame(CLOSE, new Uint8Array([1000 >> 8, 1000 & 0xff])));
      await carrier.end();
    },
    abort: (error) => carrier.abort(error),
    closed: carrier.closed,
  };
}

const BINARY = 2;
const CLOSE = 8;

/** Masked, as frames of clients are, with a key of zeros. */
function frame(opcode: number, data: Uint8Array): Uint8Array {
  const head = Buffer.alloc(14);
  head.writeUInt8(0x80 | opcode, 0);
  head.writeUInt8(0x80 | 127, 1);
  head.writeBigUInt64BE(BigInt(data.length), 2);
  return Buffer.concat([head, data]);
}

async function* payloads(carrier: Pick<Duplex, 'read'>): AsyncGenerator<Uint8Array, undefined> {
  let held = Buffer.alloc(0);
  for (let chunk = await carrier.read(); chunk !== undefined; chunk = await carrier.read()) {
    held = Buffer.concat([held, chunk]);
    for (let next = firstFrame(held); next !== undefined; next = firstFrame(held)) {
      held = held.subarray(next.end);
      if (next.opcode === CLOSE) return undefined;
      if (next.opcode === BINARY && next.data.length > 0) yield next.data;
    }
  }
  return undefined;
}

function firstFrame(
  bytes: Buffer,
): { readonly opcode: number; readonly data: Uint8Array; readonly end: number } | undefined {
  const [first = 0, short = 0] = bytes;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start) return undefined;
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < start + length) return undefined;
  return { opcode: first & 0x0f, data: bytes.subarray(start, start + length), end: start + length };
}
