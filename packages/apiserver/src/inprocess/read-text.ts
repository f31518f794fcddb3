import { status } from '@binnacle/machinery';
import type { StreamReply } from '../catalogue/definition.ts';

/** A caller in the process gets a stream as one text; a longer one has to be limited (`limitBytes`). */
export const TEXT_BYTES_MAX = 64 * 1024 * 1024;

/** Reads a stream to its end. Throws 413 for one that is longer than the bound. */
export async function readText(reply: StreamReply): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  try {
    for await (const piece of reply.body) {
      size += piece.length;
      if (size > TEXT_BYTES_MAX) throw status.requestEntityTooLarge(`limit is ${TEXT_BYTES_MAX}`);
      parts.push(decoder.decode(piece, { stream: true }));
    }
  } finally {
    reply.cancel();
  }
  parts.push(decoder.decode());
  return parts.join('');
}
