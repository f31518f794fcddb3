import { createDuplexPair, StreamEndedError } from '@binnacle/base';
import type { ByteSink, Duplex } from '@binnacle/base';
import { Channels, endedMessages } from '../messages.ts';
import type { Messages } from '../messages.ts';
import type { CommandProtocol } from './protocols.ts';
import { encodeOutcome, noSizes, readSizes } from './session.ts';
import type { CommandOutcome, CommandSession, CommandStreams } from './session.ts';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
/** Of v5: the next byte names a channel that its sender has ended. */
const CLOSE = 255;

/** Exec or attach over a WebSocket, at the server's end. */
export function commandOverWebSocket(
  messages: Messages,
  protocol: CommandProtocol,
  wanted: CommandStreams,
): CommandSession {
  const channels = new Channels(messages, protocol.base64);
  const [stdin, stdinFar] = createDuplexPair();
  const [sizes, sizesFar] = createDuplexPair();
  const hello = wanted.stdout ? STDOUT : wanted.stderr ? STDERR : ERROR;
  // Tells the client that the session stands; its failure shows in what follows.
  channels.write(hello, new Uint8Array(0)).catch((error: unknown) => messages.abort(error as Error));
  // Sizes of what is no terminal are read by nobody: they would hold up the input behind them.
  const far = { [STDIN]: wanted.stdin ? stdinFar : undefined, [RESIZE]: wanted.tty ? sizesFar : undefined };
  receive(channels, far, protocol).then(
    () => dropAll(far, endedMessages()),
    (error: unknown) => dropAll(far, error as Error),
  );
  return {
    ...(wanted.stdin ? { stdin } : {}),
    ...(wanted.stdout ? { stdout: sinkOf(channels, STDOUT, messages) } : {}),
    ...(wanted.stderr && !wanted.tty ? { stderr: sinkOf(channels, STDERR, messages) } : {}),
    sizes: wanted.tty ? readSizes(sizes) : noSizes(),
    closed: messages.closed,
    async finish(outcome: CommandOutcome) {
      // What the client still sends is for nobody.
      stdin.abort();
      const words = encodeOutcome(outcome, protocol.version);
      if (words.length > 0) await channels.write(ERROR, words);
      await messages.close();
    },
    abort: (error) => messages.abort(error),
  };
}

type Inward = { readonly [channel: number]: Duplex | undefined };

async function receive(channels: Channels, inward: Inward, { version }: CommandProtocol): Promise<void> {
  for (let next = await channels.read(); next !== undefined; next = await channels.read()) {
    const isClose = version >= 5 && next.channel === CLOSE;
    const stream = inward[isClose ? (next.data[0] ?? CLOSE) : next.channel];
    if (stream === undefined) continue;
    try {
      await (isClose ? stream.end() : stream.write(next.data));
    } catch {
      // A stream that its reader left takes no more; the others go on.
      continue;
    }
  }
}

function dropAll(inward: Inward, error: Error): void {
  for (const stream of Object.values(inward)) stream?.abort(error);
}

function sinkOf(channels: Channels, channel: number, messages: Messages): ByteSink {
  let ended = false;
  return {
    write: (chunk) => (ended ? Promise.reject(new StreamEndedError()) : channels.write(channel, chunk)),
    async end() {
      ended = true;
    },
    abort: (error) => messages.abort(error),
  };
}
