import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '@binnacle/base';
import { DecodeError, status, StatusError } from '@binnacle/machinery';
import type { Status } from '@binnacle/machinery';
import type { YamlAsJson, YamlConverter } from '../ports/yaml.ts';

/** What the thread is asked. */
export interface YamlTask {
  readonly to: 'json' | 'yaml';
  readonly text: Uint8Array;
}

/** What it answers. */
export type YamlAnswer =
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly problems: readonly string[] }
  | { readonly malformed: string }
  | { readonly refused: Status };

interface Job {
  readonly task: YamlTask;
  readonly done: (answer: YamlAnswer) => void;
  readonly failed: (error: Error) => void;
}

/** Texts of three megabytes each: more would fill the memory before their turn comes. */
const WAITING_MAX = 32;
const IDLE_MS = 10_000;
/** No body takes a tenth of it. */
const DEADLINE_MS = 30_000;
/** A body of three megabytes of the smallest values takes half of it. */
const HEAP_MB = 768;

/**
 * One thread for all YAML that is not small: begun with the first text, ended when nobody has sent one for a while, when
 * one takes too long or more memory than it may have.
 */
export class YamlThread implements YamlConverter {
  readonly #clock: Clock;
  readonly #waiting: Job[] = [];
  #worker: Worker | undefined;
  #current: Job | undefined;
  #timer: Timer | undefined;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async toJson(yaml: Uint8Array): Promise<YamlAsJson> {
    const { bytes, problems } = await this.#convert({ to: 'json', text: yaml });
    return { json: bytes, problems };
  }

  async fromJson(json: Uint8Array): Promise<Uint8Array> {
    return (await this.#convert({ to: 'yaml', text: json })).bytes;
  }

  /** Ends the thread; whoever waits is refused. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#waiting.splice(0)) job.failed(goingAway());
    await this.#end(goingAway());
  }

  async #convert(task: YamlTask): Promise<Exclude<YamlAnswer, { malformed: string } | { refused: Status }>> {
    if (this.#closed) throw goingAway();
    if (this.#waiting.length >= WAITING_MAX) throw status.tooManyRequests('too much YAML waits to be converted', 1);
    const answer = await new Promise<YamlAnswer>((done, failed) => {
      this.#waiting.push({ task, done, failed });
      this.#next();
    });
    if ('malformed' in answer) throw new DecodeError(answer.malformed);
    if ('refused' in answer) throw new StatusError(answer.refused);
    return answer;
  }

  #next(): void {
    if (this.#current !== undefined) return;
    this.#timer?.cancel();
    this.#current = this.#waiting.shift();
    if (this.#current === undefined) {
      // Never rejects: it only ends a thread.
      this.#timer = this.#clock.after(IDLE_MS, () => void this.#end(goingAway()), { background: true });
      return;
    }
    // Never rejects: as above.
    this.#timer = this.#clock.after(DEADLINE_MS, () => void this.#end(tooMuch()), { background: true });
    this.#worker ??= this.#start();
    // Copied, not given away: the body is asked for again where a request is recorded.
    this.#worker.postMessage(this.#current.task);
  }

  #start(): Worker {
    const worker = new Worker(workerFile(), {
      name: 'yaml',
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    // What waits for it keeps the process alive, if anything does.
    worker.unref();
    worker.on('message', (answer: YamlAnswer) => {
      if (this.#worker !== worker) return;
      const job = this.#current;
      this.#current = undefined;
      job?.done(answer);
      this.#next();
    });
    // Out of memory, or a fault: the text is to blame.
    worker.on('error', (error: Error) => {
      // Never rejects: as above.
      if (this.#worker === worker) void this.#end(tooMuch(error));
    });
    return worker;
  }

  /** Ends the thread and what it is at; the next text begins a new one. */
  async #end(why: Error): Promise<void> {
    this.#timer?.cancel();
    const [worker, job] = [this.#worker, this.#current];
    this.#worker = this.#current = undefined;
    job?.failed(why);
    if (this.#waiting.length > 0) this.#next();
    await worker?.terminate();
  }
}

/** Beside this file; the published bundle has it under its own name (tools/release/entries.ts). */
function workerFile(): URL {
  const source = new URL('./yaml-worker.ts', import.meta.url);
  return import.meta.url.endsWith('.ts') ? source : new URL('./yaml-worker.mjs', import.meta.url);
}

function tooMuch(cause?: Error): Error {
  const error = status.requestEntityTooLarge('the YAML takes more time or memory than it may');
  error.cause = cause;
  return error;
}

function goingAway(): Error {
  return status.serviceUnavailable('the server is going away');
}
