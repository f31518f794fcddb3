import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, type Logger, messageOf, sleep, within, SerialQueue } from '@binnacle/base';
import { RuntimeNotFoundError } from '../errors.ts';
import type { DockerApi } from './api.ts';
import { FrameReader } from './frames.ts';
import { type LogLine, LogLines } from './log-lines.ts';
import type { ContainerMessage } from './messages.ts';
import type { ContainerRecord } from './record.ts';

const TAIL_BYTES = 64 << 10;
/** An end is told without its log when that does not come in this time. */
const END_MS_MAX = 5000;
const RETRY_MS = 100;
const RETRY_MS_MAX = 5000;

/**
 * Writes what Docker keeps of containers' output into the files where the kubelet reads it, in CRI's format. A process
 * that comes later goes on behind the last line that was written.
 */
export class DockerLogs {
  readonly #api: DockerApi;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #followed = new Map<string, Follower>();
  /** Containers whose start the engine was asked for and has not answered. */
  readonly #starting = new Map<string, Promise<void>>();

  constructor({ api, clock, log }: { readonly api: DockerApi; readonly clock: Clock; readonly log: Logger }) {
    this.#api = api;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Starts a container by `start`, and follows it. The engine tells of its events on another connection: one that ends at once
   * may be told to have ended before it is known to have begun. Throws what `start` throws.
   */
  async begin(id: string, record: ContainerRecord, start: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#starting.set(id, promise);
    try {
      await start();
      this.follow(id, record);
    } finally {
      if (this.#starting.get(id) === promise) this.#starting.delete(id);
      resolve();
    }
  }

  /** Follows a container that runs, or has run, until its output ends. */
  follow(id: string, record: ContainerRecord): void {
    if (record.logPath === '' || this.#followed.has(id)) return;
    const follower = new Follower({ api: this.#api, clock: this.#clock, log: this.#log }, id, record);
    this.#followed.set(id, follower);
    void follower.ended
      .catch((error: unknown) => {
        this.#log.warn('the log of a container is not written further', { id, reason: messageOf(error) });
      })
      .finally(() => {
        if (this.#followed.get(id) === follower) this.#followed.delete(id);
      });
  }

  /** Resolves when the log of a container that has ended is written. */
  async ended(id: string): Promise<void> {
    const starting = this.#starting.get(id);
    const follower = this.#followed.get(id);
    if (starting === undefined && follower === undefined) return;
    // What went wrong was told where it is followed.
    const told = (starting ?? Promise.resolve()).then(() => this.#followed.get(id)?.ended.catch(() => undefined));
    await within(told, { clock: this.#clock, ms: END_MS_MAX, background: true });
  }

  /** The file was moved away: what comes next goes into a new one. */
  async reopen(id: string): Promise<void> {
    await this.#followed.get(id)?.reopen();
  }

  /** Lets go of a container that is removed. */
  async drop(id: string): Promise<void> {
    await this.#followed.get(id)?.stop();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#followed.values()].map((follower) => follower.stop()));
  }
}

interface FollowedFrom {
  readonly api: DockerApi;
  readonly clock: Clock;
  readonly log: Logger;
}

const RUNNING: ReadonlySet<string> = new Set(['running', 'paused', 'restarting']);

async function isRunning(api: DockerApi, id: string): Promise<boolean> {
  const about = { what: 'container', id } as const;
  const { State: state } = await api.call<ContainerMessage>({ method: 'GET', path: `/containers/${id}/json`, about });
  return RUNNING.has(state.Status);
}

class Follower {
  readonly ended: Promise<void>;
  readonly #path: string;
  readonly #abort = new AbortController();
  /** Writes and changes of the file, one behind the other. */
  readonly #turns = new SerialQueue();
  #file: FileHandle | undefined;
  /** Until when all is written, as it is asked for. */
  #last = '';
  /** The time of the last line that was written: a new file does not tell. */
  #written = '';
  #failures = 0;

  constructor(from: FollowedFrom, id: string, { logPath, tty }: ContainerRecord) {
    this.#path = logPath;
    this.ended = this.#follow(from, id, tty);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    // Told by the keeper.
    await this.ended.catch(() => undefined);
  }

  reopen(): Promise<void> {
    return this.#turns.run(async () => {
      await this.#file?.close();
      this.#file = await open(this.#path, 'a', 0o640);
    });
  }

  /** An engine that is started anew keeps its containers, and ends what it was asked for. Throws where they are gone. */
  async #follow({ api, clock, log }: FollowedFrom, id: string, tty: boolean): Promise<void> {
    for (;;) {
      try {
        await this.#run(api, id, tty);
        if (this.#abort.signal.aborted || !(await isRunning(api, id))) return;
      } catch (error) {
        if (error instanceof RuntimeNotFoundError) throw error;
        log.warn('the log of a container is not written for now', { id, reason: messageOf(error) });
      }
      try {
        const pauseMs = Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** Math.min(this.#failures++, 10));
        await sleep(clock, pauseMs, this.#abort.signal);
      } catch {
        // It was let go of.
        return;
      }
    }
  }

  async #run(api: DockerApi, id: string, tty: boolean): Promise<void> {
    try {
      await this.#turns.run(() => this.#begin());
      const since = this.#last === '' ? '' : `&since=${unixTime(this.#last)}`;
      const path = `/containers/${id}/logs?follow=1&stdout=1&stderr=1&timestamps=1${since}`;
      const { body } = await api.open({ method: 'GET', path, timeoutMs: 0, signal: this.#abort.signal });
      const lines = tty ? new TerminalLines() : new FramedLines();
      for await (const chunk of body) await this.#write(lines.take(chunk));
      await this.#write(lines.end());
    } catch (error) {
      if (!this.#abort.signal.aborted) throw error;
    } finally {
      await this.#turns.run(async () => {
        await this.#file?.close();
        this.#file = undefined;
      });
    }
  }

  /** Opens the file and finds where an earlier process came to. */
  async #begin(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    const file = await open(this.#path, 'a+', 0o640);
    this.#file = file;
    this.#last = this.#written;
    const { size } = await file.stat();
    if (size === 0) return;
    const length = Math.min(size, TAIL_BYTES);
    const tail = Buffer.alloc(length);
    await file.read(tail, 0, length, size - length);
    const end = tail.lastIndexOf('\n') + 1;
    // A line that was cut off is told again.
    if (end < length) await file.truncate(size - length + end);
    const start = end < 2 ? 0 : tail.lastIndexOf('\n', end - 2) + 1;
    const line = tail.subarray(start, end).toString('utf8');
    this.#last = line.slice(0, Math.max(0, line.indexOf(' ')));
  }

  async #write(lines: readonly LogLine[]): Promise<void> {
    // What an earlier process has written already is told again, from its last moment on.
    const fresh = this.#last === '' ? lines : lines.filter(({ time }) => time > this.#last);
    if (fresh.length === 0) return;
    const bytes = Buffer.concat(fresh.map((line) => line.bytes));
    await this.#turns.run(async () => {
      await this.#file?.appendFile(bytes);
    });
    this.#written = fresh.at(-1)?.time ?? this.#written;
    this.#failures = 0;
  }
}

/** Two streams, taken apart. */
class FramedLines {
  readonly #frames = new FrameReader();
  readonly #streams = { stdout: new LogLines('stdout'), stderr: new LogLines('stderr') };

  take(chunk: Uint8Array): LogLine[] {
    return this.#frames.take(chunk).flatMap(({ stream, data }) => this.#streams[stream].take(data));
  }

  end(): LogLine[] {
    return [...this.#streams.stdout.end(), ...this.#streams.stderr.end()];
  }
}

/** A terminal has one. */
class TerminalLines extends LogLines {
  constructor() {
    super('stdout');
  }
}

/** Seconds and nanoseconds, as Docker reads moments without losing digits. */
function unixTime(time: string): string {
  const [, nanos = '0'] = /\.(\d+)/.exec(time) ?? [];
  return `${Math.floor(Date.parse(time) / 1000)}.${nanos.padEnd(9, '0')}`;
}
