import { createDuplexPair } from '../duplex-pair.ts';
import { duplexSuite } from '../testing/duplex-suite.ts';
import { nodeStreamOf } from './duplex-stream.ts';
import { duplexOf } from './stream-duplex.ts';

// There and back again: what a Node stream makes of it has to hold as well.
duplexSuite('pair through Node streams', async () => {
  const [near, far] = createDuplexPair();
  const streams = [nodeStreamOf(near), nodeStreamOf(far)] as const;
  for (const stream of streams) stream.on('error', () => undefined);
  return {
    near: duplexOf(streams[0]),
    far: duplexOf(streams[1]),
    close: async () => {
      for (const stream of streams) stream.destroy();
    },
  };
});
