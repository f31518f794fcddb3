import { createDuplexPair } from '@binnacle/base';
import type { Message, Messages } from '../messages.ts';

/** Both ends of a WebSocket in memory. Closing either ends both. */
export function createMessagesPair(protocol: string): readonly [Messages, Messages] {
  const [near, far] = createDuplexPair();
  const there: Message[] = [];
  const back: Message[] = [];
  return [end(near, { out: there, in: back }, protocol), end(far, { out: back, in: there }, protocol)];
}

/** The messages wait in lists; the pair only tells that there is one, and holds writers back. */
function end(
  carrier: ReturnType<typeof createDuplexPair>[0],
  lists: { readonly out: Message[]; readonly in: Message[] },
  protocol: string,
): Messages {
  let ticks = 0;
  return {
    protocol,
    closed: carrier.closed,
    async read() {
      if (ticks === 0) ticks = (await carrier.read())?.length ?? 0;
      if (ticks === 0) {
        await carrier.end();
        return undefined;
      }
      ticks--;
      return lists.in.shift();
    },
    write(data, { text = false } = {}) {
      lists.out.push({ data, text });
      return carrier.write(new Uint8Array(1));
    },
    close: () => carrier.end(),
    abort: (error) => carrier.abort(error),
  };
}
