import type { Reply, StreamReply, UpgradeReply, WholeReply } from '../catalogue/definition.ts';
import type { WatchOutput, WatchSource } from '../cache/watch-source.ts';

/** The same reply, whose end is told, once: by whichever side it ends. */
export function watchEnd(reply: Exclude<Reply, WholeReply>, onEnd: () => void): Exclude<Reply, WholeReply> {
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    onEnd();
  };
  if (reply.kind === 'watch') return { ...reply, source: endingSource(reply.source, end) };
  return reply.kind === 'stream' ? endingStream(reply, end) : endingUpgrade(reply, end);
}

function endingSource(source: WatchSource, end: () => void): WatchSource {
  return {
    open(output) {
      const opened = source.open(new EndingOutput(output, end));
      return {
        resume: () => opened.resume(),
        stop() {
          opened.stop();
          end();
        },
      };
    },
  };
}

/** What an output is asked for may change at any time, so that it is passed on and not copied. */
class EndingOutput implements WatchOutput {
  readonly #output: WatchOutput;
  readonly #end: () => void;

  constructor(output: WatchOutput, end: () => void) {
    this.#output = output;
    this.#end = end;
  }

  get ready(): boolean {
    return this.#output.ready;
  }

  get immediate(): boolean {
    return this.#output.immediate;
  }

  items(...args: Parameters<WatchOutput['items']>): void {
    this.#output.items(...args);
  }

  initialised(): void {
    this.#output.initialised?.();
  }

  end(...args: Parameters<WatchOutput['end']>): void {
    this.#output.end(...args);
    this.#end();
  }
}

function endingStream(reply: StreamReply, end: () => void): StreamReply {
  const { body } = reply;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } finally {
      end();
    }
  }
  return {
    ...reply,
    body: pieces(),
    cancel() {
      reply.cancel();
      end();
    },
  };
}

function endingUpgrade(reply: UpgradeReply, end: () => void): UpgradeReply {
  // Never rejects: the stream says itself how it ended.
  void reply.stream.closed.then(end);
  return reply;
}
