import { GrowingBytes, LineSplitter, messageOf } from '@binnacle/base';
import { replyFailure, StatusError } from '@binnacle/machinery';
import type { KubeObject, Status, WatchEvent, WatchEventType, WatchSink } from '@binnacle/machinery';
import { TransportError } from '../errors.ts';
import type { Exchange, RunningExchange, Transport } from './exchange.ts';

/** A line longer than this is no watch event. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
/** More than this of why a watch is refused is not waited for. */
const FAILURE_BYTES_MAX = 1 << 20;

interface Line {
  readonly type: WatchEventType | 'ERROR';
  readonly object: KubeObject | Status;
}

/** Reads one watch answer line by line into a sink; ends the sink exactly once. */
export class WatchReader<T extends KubeObject> {
  readonly #sink: WatchSink<T>;
  readonly #lines = new LineSplitter(LINE_BYTES_MAX);
  #running: RunningExchange | undefined;
  #failedWith = 0;
  readonly #failureText = new GrowingBytes();
  #over = false;

  constructor(sink: WatchSink<T>) {
    this.#sink = sink;
  }

  /** `answered` is told with which code the server answers. */
  start(transport: Transport, exchange: Exchange, answered: (status: number) => void): void {
    if (this.#over) return;
    this.#running = transport.send(exchange, {
      head: (status) => {
        answered(status);
        if (status !== 200) this.#failedWith = status;
      },
      data: (chunk) => this.#take(chunk, exchange.path),
      end: () => this.#complete(exchange.path),
      fail: (error) => this.fail(error),
    });
    // Stopped from within a callback of `send` itself.
    if (this.#over) this.#running.cancel();
  }

  stop(): void {
    this.#end(undefined);
  }

  fail(error: Error): void {
    this.#end(error);
  }

  #take(chunk: Uint8Array, path: string): void {
    if (this.#over) return;
    if (this.#failedWith !== 0) {
      this.#failureText.add(chunk.subarray(0, FAILURE_BYTES_MAX - this.#failureText.length));
      if (this.#failureText.length >= FAILURE_BYTES_MAX) this.#refuse(path);
      return;
    }
    const lines = this.#lines.push(chunk);
    if (lines === undefined) this.#end(new TransportError('protocol', 'a watch event is too long'));
    else this.#tell(lines);
  }

  #tell(lines: readonly string[]): void {
    const batch: WatchEvent<T>[] = [];
    let failure: Error | undefined;
    for (const line of lines) {
      if (line === '') continue;
      const event = parse(line);
      if (event instanceof Error) {
        failure = event;
        break;
      }
      batch.push(event as WatchEvent<T>);
    }
    if (batch.length > 0) this.#sink.events(batch);
    if (failure !== undefined) this.#end(failure);
  }

  #complete(path: string): void {
    if (this.#over) return;
    if (this.#failedWith !== 0) return this.#refuse(path);
    // A cut between chunks can look like a clean end: a line without its newline was not finished.
    if (this.#lines.flush() !== '') this.#end(new TransportError('cut', 'the stream ended within an event'));
    else this.#end(undefined);
  }

  #refuse(path: string): void {
    const text = new TextDecoder().decode(this.#failureText.take());
    this.#end(replyFailure({ status: this.#failedWith, text }, path));
  }

  #end(error: Error | undefined): void {
    if (this.#over) return;
    this.#over = true;
    this.#running?.cancel();
    this.#sink.end(error);
  }
}

function parse(line: string): WatchEvent | Error {
  let event: Line;
  try {
    event = JSON.parse(line) as Line;
  } catch (cause) {
    return new TransportError('protocol', `a watch event is no JSON: ${messageOf(cause)}`, { cause });
  }
  if (event.type === 'ERROR') return new StatusError(event.object as Status);
  return { type: event.type, object: event.object as KubeObject };
}
