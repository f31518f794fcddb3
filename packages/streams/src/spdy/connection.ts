import { SerialQueue, StreamCutError } from '@binnacle/base';
import type { Clock, Duplex, TurnBudget } from '@binnacle/base';
import { ByteReader } from '../byte-reader.ts';
import { StreamProtocolError, StreamResetError } from '../errors.ts';
import { isDone } from '../is-done.ts';
import * as frames from './frame.ts';
import { FrameReader } from './frame.ts';
import type { SpdyFrame } from './frame.ts';
import { decodeHeaderBlock, encodeHeaderBlock } from './header-block.ts';
import type { SpdyHeaders } from './header-block.ts';
import type { HeaderCodec } from './header-codec.ts';
import { CANCEL, Lane } from './lane.ts';
import type { SpdyStream } from './lane.ts';
import { Pings } from './pings.ts';

/** One side of a connection. */
export interface SpdyOptions {
  readonly role: 'client' | 'server';
  readonly codec: HeaderCodec;
  readonly clock: Clock;
  /**
   * Shared with connections of others, a piece of which may hold thousands of frames that say nothing. Absent: frames are
   * taken as they come.
   */
  readonly turns?: Pick<TurnBudget, 'take'>;
  /** Called for each stream that the other side opens, which is taken by that; refused where it is absent. */
  readonly onStream?: (stream: SpdyStream) => void;
}

/** What one connection may carry at a time. */
const STREAMS_MAX = 1000;
/** Small data goes in one piece with its head. */
const JOINED_BYTES_MAX = 4096;
/** How long the other side has to end its half after we ended ours. */
const CLOSE_MS_MAX = 10_000;

const PROTOCOL_ERROR = 1;
const REFUSED_STREAM = 3;
const INTERNAL_ERROR = 6;

/** Many streams over one: SPDY/3.1 without its flow control, as Kubernetes' clients speak it. */
export class SpdyConnection {
  readonly #carrier: Duplex;
  readonly #options: SpdyOptions;
  readonly #streams = new Map<number, Lane>();
  #nextId: number;
  #lastSeenId = 0;
  #goneAway = false;
  #closing = false;
  readonly #blocks = new SerialQueue();
  readonly #idle: (() => void)[] = [];
  #broken = false;
  readonly #pings: Pings;
  /** Goes on, where the connection stands still for a stream that nobody reads. */
  #goOn: (() => void) | undefined;
  /** Resolves when the connection is over: with what broke it. Never rejects. */
  readonly closed: Promise<Error | undefined>;

  constructor(carrier: Duplex, options: SpdyOptions) {
    this.#carrier = carrier;
    this.#options = options;
    this.#nextId = options.role === 'client' ? 1 : 2;
    // Servers hang up right behind the last byte: what came before still counts, but waits for no reader any more.
    // Never rejects: `closed` does not.
    void carrier.closed.then(() => {
      this.#broken = true;
      this.#pings.stop();
      this.#goOn?.();
    });
    this.#pings = new Pings({
      role: options.role,
      clock: options.clock,
      send: (id) => carrier.write(frames.ping(id)),
      failed: (error) => this.abort(error),
    });
    this.closed = this.#run();
  }

  /** Opens a stream. It can be written to at once; the other side's yes is in `accepted`. */
  async open(headers: SpdyHeaders): Promise<SpdyStream> {
    if (this.#goneAway || this.#closing) throw new StreamCutError('the connection takes no more streams');
    const id = this.#nextId;
    this.#nextId += 2;
    const lane = this.#addLane(id, headers);
    await this.#sendBlock(headers, (block) => frames.synStream(id, block));
    this.#follow(lane);
    return lane;
  }

  /** Orderly: what was written goes out, then both sides end. Drops what has not ended in its time. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.#pings.stop();
    const timer = this.#options.clock.after(CLOSE_MS_MAX, () => this.abort());
    try {
      // Go's library takes a GOAWAY for the end of what it has not read yet.
      await this.#allSent();
      await this.#carrier.write(frames.goaway(this.#lastSeenId, 0));
      for (const lane of this.#streams.values()) lane.drop();
      await this.#carrier.end();
    } catch (error) {
      this.abort(error as Error);
    }
    await this.closed;
    timer.cancel();
  }

  /** Drops the connection with all its streams. */
  abort(error?: Error): void {
    this.#carrier.abort(error);
    for (const lane of this.#streams.values()) lane.drop(error);
  }

  async #run(): Promise<Error | undefined> {
    const reader = new FrameReader(new ByteReader(this.#carrier));
    const { turns } = this.#options;
    let failure: Error | undefined;
    try {
      for (let frame = await reader.next(); frame !== undefined; frame = await reader.next()) {
        await this.#take(frame);
        await turns?.take();
      }
      if (!this.#closing) await this.#carrier.end();
    } catch (error) {
      failure = error as Error;
      if (failure instanceof StreamProtocolError) await this.#sayGoodbye();
      this.#carrier.abort(failure);
    }
    this.#pings.stop();
    for (const lane of this.#streams.values()) lane.cut(failure ?? new StreamCutError('the connection ended'));
    this.#streams.clear();
    this.#tellIdle();
    this.#options.codec.close();
    return failure;
  }

  async #sayGoodbye(): Promise<void> {
    try {
      await this.#carrier.write(frames.goaway(this.#lastSeenId, PROTOCOL_ERROR));
    } catch (error) {
      this.#carrier.abort(error as Error);
    }
  }

  async #take(frame: SpdyFrame): Promise<unknown> {
    switch (frame.type) {
      case 'data':
        return this.#takeData(frame);
      case 'syn-stream':
        return this.#takeSyn(frame);
      case 'syn-reply':
      case 'headers': {
        // Read in any case: the compression goes on over all blocks.
        decodeHeaderBlock(await this.#options.codec.decompress(frame.block));
        const lane = this.#streams.get(frame.id);
        if (frame.type === 'syn-reply') lane?.accept();
        if (frame.fin && lane !== undefined) await this.#takeFin(lane);
        return undefined;
      }
      case 'rst-stream': {
        const lane = this.#streams.get(frame.id);
        if (lane === undefined) return undefined;
        this.#forget(lane);
        // Go's servers end each of their streams so; of a client it means that it wants no more of it.
        if (frame.status === CANCEL && this.#options.role === 'client') return lane.finish();
        lane.cut(new StreamResetError(frame.status));
        return undefined;
      }
      case 'ping': {
        const asked = (frame.id % 2 === 1) === (this.#options.role === 'server');
        return asked ? this.#reply(frames.ping(frame.id)) : undefined;
      }
      case 'goaway':
        this.#goneAway = true;
        return undefined;
      case 'other':
        return undefined;
    }
  }

  async #takeData({ id, fin, data }: Extract<SpdyFrame, { type: 'data' }>): Promise<void> {
    const lane = this.#streams.get(id);
    // Data of a stream that is over here may still be on its way.
    if (lane === undefined || lane.dropped) return;
    if (lane.remoteEnded) throw new StreamProtocolError('data behind the end of a stream', { id });
    try {
      if (data.length > 0) await this.#handOn(lane, data);
    } catch {
      // Its reader left, and the stream was reset for that.
      lane.dropped = true;
      return;
    }
    if (fin) await this.#takeFin(lane);
  }

  /** Holds the connection back while the stream's reader is behind. */
  #handOn(lane: Lane, data: Uint8Array): Promise<void> {
    const taken = lane.far.write(data);
    return new Promise((resolve, reject) => {
      taken.then(resolve, reject);
      this.#goOn = resolve;
      if (this.#broken) resolve();
    });
  }

  /** One that the other side does not hear any more is no reason to stop listening. */
  #reply(frame: Uint8Array): Promise<boolean> {
    return isDone(this.#carrier.write(frame));
  }

  async #takeFin(lane: Lane): Promise<void> {
    lane.remoteEnded = true;
    if (!lane.dropped) await lane.far.end().catch(() => this.#forget(lane));
    if (lane.localEnded) this.#forget(lane);
  }

  async #takeSyn({ id, fin, block }: Extract<SpdyFrame, { type: 'syn-stream' }>): Promise<void> {
    const headers = decodeHeaderBlock(await this.#options.codec.decompress(block));
    const isTheirs = (id % 2 === 1) === (this.#options.role === 'server');
    if (!isTheirs || id <= this.#lastSeenId) throw new StreamProtocolError('a stream has a wrong number', { id });
    this.#lastSeenId = id;
    const { onStream } = this.#options;
    if (onStream === undefined || this.#closing || this.#streams.size >= STREAMS_MAX) {
      await this.#reply(frames.rstStream(id, REFUSED_STREAM));
      return;
    }
    const lane = this.#addLane(id, headers);
    lane.accept();
    await isDone(this.#sendBlock({}, (reply) => frames.synReply(id, reply)));
    this.#follow(lane);
    if (fin) await this.#takeFin(lane);
    onStream(lane);
  }

  #addLane(id: number, headers: SpdyHeaders): Lane {
    const lane = new Lane(id, headers);
    this.#streams.set(id, lane);
    return lane;
  }

  /** Blocks are compressed and sent in one order. */
  #sendBlock(headers: SpdyHeaders, frame: (block: Uint8Array) => Uint8Array): Promise<void> {
    return this.#blocks.run(async () => {
      const block = await this.#options.codec.compress(encodeHeaderBlock(headers));
      await this.#carrier.write(frame(block));
    });
  }

  /** Sends what the stream's owner writes, until it ends or leaves. */
  #follow(lane: Lane): void {
    this.#pump(lane).then(
      (isSent) => {
        // Where it is not, the connection is broken: what is still to be read of it says how the stream ends.
        if (!isSent) return;
        lane.localEnded = true;
        if (lane.remoteEnded) this.#forget(lane);
        this.#tellIdle();
      },
      (error: unknown) => this.#leave(lane, error as Error),
    );
  }

  async #pump(lane: Lane): Promise<boolean> {
    for (let chunk = await lane.far.read(); chunk !== undefined; chunk = await lane.far.read()) {
      // After a reset what is still written goes nowhere, as with a socket that the other side has closed.
      if (!lane.wasReset && !(await isDone(this.#sendData(lane.id, chunk)))) return false;
    }
    return lane.wasReset || isDone(this.#carrier.write(frames.dataHead(lane.id, 0, true)));
  }

  #sendData(id: number, chunk: Uint8Array): Promise<void> {
    const head = frames.dataHead(id, chunk.length, false);
    if (chunk.length > JOINED_BYTES_MAX) {
      // Both in one turn: nothing comes between them. The second one waits for the first.
      const first = this.#carrier.write(head);
      return Promise.all([first, this.#carrier.write(chunk)]).then(() => undefined);
    }
    const whole = new Uint8Array(head.length + chunk.length);
    whole.set(head);
    whole.set(chunk, head.length);
    return this.#carrier.write(whole);
  }

  /** Its owner dropped the stream, or the other side did, or all is over. */
  #leave(lane: Lane, error: Error): void {
    this.#forget(lane);
    lane.cut(error);
    if (lane.wasReset) return;
    this.#carrier
      .write(frames.rstStream(lane.id, INTERNAL_ERROR))
      .catch((reason: unknown) => this.abort(reason as Error));
  }

  #forget(lane: Lane): void {
    this.#streams.delete(lane.id);
    this.#tellIdle();
  }

  #tellIdle(): void {
    if ([...this.#streams.values()].some((lane) => !lane.localEnded)) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #allSent(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#tellIdle();
    });
  }
}
