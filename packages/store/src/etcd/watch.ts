import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { Clock, Logger, Timer } from '@binnacle/base';
import type { WatchHandle, WatchRequest, WatchSink } from '../ports.ts';
import { CompactedError, StoreClosedError, StoreUnavailableError } from '../errors.ts';
import type { Connection } from './connection.ts';
import type { Translation } from './translation.ts';
import type { Methods, WireWatch } from './wire.ts';
import { toNumber } from './wire.ts';

export interface WatchParts {
  readonly connection: Connection;
  readonly methods: Methods;
  readonly translation: Translation;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether the server answers a request for progress in order, behind the events. */
  readonly promptProgress: boolean;
  /** The newest revision, linearizable. */
  readonly revision: () => Promise<number>;
}

/** Who hears of the watch: its events, and that it is over. */
export interface WatchHearer {
  readonly sink: WatchSink;
  readonly onEnd: (watch: EtcdWatch) => void;
}

/** A synced watcher answers a request for progress at once, one that is catching up not at all: so ask again. */
const ASK_AGAIN_MS = 100;

/**
 * One watch on one stream of its own; when the stream breaks it goes on from the revision after the last one heard.
 * One stream each, because a server answers a request for progress only when all watchers of the stream are synced.
 */
export class EtcdWatch implements WatchHandle {
  readonly #parts: WatchParts;
  readonly #request: WatchRequest;
  readonly #sink: WatchSink;
  readonly #onEnd: (watch: EtcdWatch) => void;
  #stream: ClientDuplexStream<object, WireWatch> | undefined;
  /** The first revision not yet heard; 0 until the watch stands. */
  #next: number;
  /** All events up to this revision came. */
  #heard = 0;
  #created = false;
  #ended = false;
  #attempt = 0;
  /** Progress is wanted up to here; undefined when it is not. */
  #wanted: number | undefined;
  #askTimer: Timer | undefined;

  constructor(parts: WatchParts, request: WatchRequest, hearer: WatchHearer) {
    this.#parts = parts;
    this.#request = request;
    this.#sink = hearer.sink;
    this.#onEnd = hearer.onEnd;
    this.#next = request.startRevision ?? 0;
  }

  start(): void {
    if (this.#ended) return;
    const stream = this.#parts.connection.duplex(this.#parts.methods.watch);
    this.#stream = stream;
    stream.on('data', (response: WireWatch) => {
      if (this.#stream === stream && !this.#ended) this.#onResponse(response);
    });
    stream.on('error', (error: Error) => this.#onBroken(stream, error));
    stream.on('end', () => this.#onBroken(stream, undefined));
    stream.write({
      create_request: {
        ...this.#parts.translation.span(this.#request.key, this.#request.end),
        start_revision: this.#next,
        progress_notify: this.#request.progress ?? false,
        prev_kv: this.#request.prevKv ?? false,
      },
    });
  }

  cancel(): void {
    this.end(undefined);
  }

  requestProgress(): void {
    if (this.#ended) return;
    // The revision of the asking is the floor; what etcd tells later may only be newer.
    this.#parts.revision().then(
      (revision) => this.#want(revision),
      () => this.#parts.clock.after(ASK_AGAIN_MS * 10, () => this.requestProgress(), { background: true }),
    );
  }

  end(error: Error | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#askTimer?.cancel();
    this.#stream?.cancel();
    this.#onEnd(this);
    this.#sink.end(error);
  }

  #want(revision: number): void {
    if (this.#ended) return;
    this.#wanted = Math.max(this.#wanted ?? 0, revision);
    this.#ask();
  }

  #ask(): void {
    this.#askTimer?.cancel();
    if (this.#ended || this.#wanted === undefined) return;
    this.#tellProgress();
    if (this.#wanted === undefined || !this.#parts.promptProgress) return;
    if (this.#created) this.#stream?.write({ progress_request: {} });
    this.#askTimer = this.#parts.clock.after(ASK_AGAIN_MS, () => this.#ask(), { background: true });
  }

  #onResponse(response: WireWatch): void {
    const revision = toNumber(response.header?.revision);
    if (response.canceled === true) {
      this.#onCanceled(response);
      return;
    }
    this.#attempt = 0;
    if (response.created === true) this.#onCreated(revision);
    else if ((response.events?.length ?? 0) > 0) this.#onEvents(response);
    else this.#onProgress(revision);
  }

  #onCreated(revision: number): void {
    if (this.#next === 0) {
      this.#next = revision + 1;
      this.#heard = revision;
    }
    if (!this.#created) {
      this.#created = true;
      this.#sink.created?.(revision);
    }
    this.#ask();
  }

  #onEvents(response: WireWatch): void {
    const events = this.#parts.translation.events(response).filter((event) => event.kv.modRevision >= this.#next);
    const last = events.at(-1);
    if (last === undefined) return;
    this.#next = last.kv.modRevision + 1;
    this.#heard = last.kv.modRevision;
    this.#sink.events(events, last.kv.modRevision);
    this.#tellProgress();
  }

  #onProgress(revision: number): void {
    if (revision < this.#heard) return;
    this.#heard = revision;
    this.#next = Math.max(this.#next, revision + 1);
    if (this.#wanted !== undefined) this.#tellProgress();
    else this.#sink.progress?.(revision);
  }

  #tellProgress(): void {
    if (this.#wanted === undefined || this.#heard < this.#wanted) return;
    this.#wanted = undefined;
    this.#askTimer?.cancel();
    this.#sink.progress?.(this.#heard);
  }

  #onCanceled(response: WireWatch): void {
    const compactRevision = toNumber(response.compact_revision);
    if (compactRevision > 0) this.end(new CompactedError(compactRevision));
    else this.end(new StoreUnavailableError(`etcd ended the watch: ${response.cancel_reason ?? ''}`));
  }

  #onBroken(stream: ClientDuplexStream<object, WireWatch>, error: Error | undefined): void {
    if (this.#ended || this.#stream !== stream) return;
    this.#stream = undefined;
    const { connection, log } = this.#parts;
    log.info(3, 'etcd watch broke, it goes on from where it was', { next: this.#next, why: error?.message });
    connection.recover(this.#attempt++).then(
      () => this.start(),
      () => this.end(new StoreClosedError()),
    );
  }
}
