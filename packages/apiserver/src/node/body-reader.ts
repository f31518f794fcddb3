import { status } from '@binnacle/machinery';
import type { Readable } from 'node:stream';

/** Upstream's bound on a request body. */
export const BODY_BYTES_MAX = 3 * 1024 * 1024;

/**
 * Reads a body whole. 413 above the bound, without reading on; 400 when the sender broke off or sent another number
 * of bytes than it said (Node ends a truncated HTTP/2 stream without an error). Errors of the stream are listened to
 * by whoever opened it; here it is enough that it closes after them.
 */
export function readBody(stream: Readable, contentLength: string | undefined): Promise<Uint8Array> {
  const announced = contentLength === undefined ? undefined : Number(contentLength);
  if (announced !== undefined && announced > BODY_BYTES_MAX) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let over = false;
    // Streams close after they ended too: the error is made only where the body is not whole.
    const fail = (): void => {
      if (!over) reject(brokenOff());
      over = true;
    };
    stream.on('data', (chunk: Buffer) => {
      if (over) return;
      size += chunk.length;
      chunks.push(chunk);
      if (size <= BODY_BYTES_MAX) return;
      over = true;
      chunks.length = 0;
      reject(tooLarge());
    });
    stream.on('end', () => {
      if (announced !== undefined && announced !== size) fail();
      if (over) return;
      over = true;
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
    });
    stream.on('close', fail);
  });
}

function tooLarge(): Error {
  return status.requestEntityTooLarge(`limit is ${BODY_BYTES_MAX}`);
}

function brokenOff(): Error {
  return status.badRequest('unexpected EOF');
}
