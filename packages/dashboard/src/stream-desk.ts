import { messageOf } from '@binnacle/base';
import type { RawReply, Wire } from '@binnacle/machinery';
import type { Messages } from '@binnacle/streams';
import { readAsked } from './frames.ts';
import type { Asked, Told } from './frames.ts';
import { judgePath } from './paths.ts';

/** A page shows that many lists and logs at the most. */
const STREAMS_MAX = 200;
/** Longer texts are told in pieces. */
const PIECE_BYTES = 64 * 1024;

/**
 * Watches and logs of one page, all over one WebSocket: a browser keeps six connections to an origin, and each watch
 * would hold one. Who reads slowly holds back the API server, as every message waits for room.
 */
export class StreamDesk {
  readonly #messages: Messages;
  readonly #wire: Pick<Wire, 'raw'>;
  readonly #open = new Map<number, AbortController>();

  constructor(messages: Messages, wire: Pick<Wire, 'raw'>) {
    this.#messages = messages;
    this.#wire = wire;
  }

  /** Serves until the page goes away. Never rejects. */
  async serve(): Promise<void> {
    try {
      for (let message = await this.#messages.read(); message !== undefined; message = await this.#messages.read()) {
        await this.#take(new TextDecoder().decode(message.data));
      }
    } catch (error) {
      this.#messages.abort(error instanceof Error ? error : undefined);
    } finally {
      for (const controller of this.#open.values()) controller.abort();
      await this.#messages.close();
    }
  }

  async #take(text: string): Promise<void> {
    const asked = readAsked(text);
    if (asked === undefined) return this.#messages.close(UNSUPPORTED);
    const { id } = asked;
    if ('close' in asked) {
      this.#open.get(id)?.abort();
      return undefined;
    }
    const [path = ''] = asked.open.split('?');
    if (this.#open.has(id) || this.#open.size >= STREAMS_MAX || judgePath(path) !== 'passed') {
      return this.#tell({ id, end: true, error: 'refused' });
    }
    const controller = new AbortController();
    this.#open.set(id, controller);
    // Never rejects: what goes wrong is told to the page.
    void this.#run(asked, controller.signal);
    return undefined;
  }

  async #run({ id, open: path, accept }: Opening, signal: AbortSignal): Promise<void> {
    let end: Told = { id, end: true };
    try {
      await this.#pass(
        id,
        await this.#wire.raw({ path, signal, headers: { accept: accept ?? 'application/json' } }),
        signal,
      );
    } catch (error) {
      if (!signal.aborted) end = { id, end: true, error: messageOf(error) };
    }
    this.#open.delete(id);
    try {
      await this.#tell(end);
    } catch (error) {
      // The page is gone; whoever reads from it learns of that too.
      this.#messages.abort(error instanceof Error ? error : undefined);
    }
  }

  async #pass(id: number, reply: RawReply, signal: AbortSignal): Promise<void> {
    await this.#tell({ id, status: reply.status });
    const decoder = new TextDecoder();
    for await (const chunk of reply.body) {
      if (signal.aborted) return;
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        const data = decoder.decode(chunk.subarray(at, at + PIECE_BYTES), { stream: true });
        if (data !== '') await this.#tell({ id, data });
      }
    }
    const rest = decoder.decode();
    if (rest !== '') await this.#tell({ id, data: rest });
  }

  #tell(told: Told): Promise<void> {
    return this.#messages.write(new TextEncoder().encode(JSON.stringify(told)), { text: true });
  }
}

type Opening = Extract<Asked, { readonly open: string }>;

/** Close code of WebSockets for messages that cannot be understood. */
const UNSUPPORTED = 1003;
