import { Duplex as NodeDuplex } from 'node:stream';
import type { Duplex } from '../duplex.ts';

/** A Duplex as a Node stream, for libraries that want one. Whoever takes it has the whole of `duplex`. */
export function nodeStreamOf(duplex: Duplex): NodeDuplex {
  const stream: NodeDuplex = new NodeDuplex({
    allowHalfOpen: true,
    read() {
      duplex.read().then(
        (chunk) => stream.push(chunk ?? null),
        (error: unknown) => stream.destroy(error as Error),
      );
    },
    write(chunk: Uint8Array, _encoding, done) {
      // Never rejects: the callback takes what went wrong.
      void settle(duplex.write(chunk), done);
    },
    final(done) {
      // Never rejects: the callback takes what went wrong.
      void settle(duplex.end(), done);
    },
    destroy(error, done) {
      // Behind an orderly end this does nothing.
      duplex.abort(error ?? undefined);
      done(error);
    },
  });
  return stream;
}

async function settle(work: Promise<void>, done: (error?: Error) => void): Promise<void> {
  let failure: Error | undefined;
  try {
    await work;
  } catch (error) {
    failure = error as Error;
  }
  done(failure);
}
