import { type Clock, type Logger, type Timer, linesOf, messageOf } from '@binnacle/base';
import { RuntimeUnavailableError } from '../errors.ts';
import type { RuntimeEvent } from '../ports.ts';
import type { DockerApi } from './api.ts';
import type { EventMessage, StringMap } from './messages.ts';
import { POD_UID_LABEL } from './record.ts';

export interface EventSink {
  event(event: RuntimeEvent): void;
  lost(error: Error): void;
}

export interface DockerEventsParts {
  readonly api: DockerApi;
  readonly clock: Clock;
  readonly log: Logger;
  /** Labels of what is ours. */
  readonly labels: StringMap;
  /** Resolves when the container's log is written; an end is told behind it. */
  logEnded(id: string): Promise<void>;
}

const BACKOFF_MS = 100;
const BACKOFF_MS_MAX = 5000;
const LINES = {
  bytesMax: 1 << 20,
  tooLong: () => new RuntimeUnavailableError('Docker: an event has no end'),
};
const TYPES: { readonly [action: string]: RuntimeEvent['type'] } = {
  create: 'created',
  start: 'started',
  die: 'stopped',
  oom: 'oom',
  destroy: 'deleted',
};

/**
 * The engine's events about what is ours, from the beginning of the connection to its end. When the stream breaks,
 * `lost` is told at the break and when events come again.
 */
export class DockerEvents {
  readonly #parts: DockerEventsParts;
  readonly #sinks = new Set<EventSink>();
  readonly #execs = new Map<string, () => void>();
  /** Events of one container keep their order while an end waits for its log. */
  readonly #waiting = new Map<string, Promise<void>>();
  readonly #abort = new AbortController();
  #timer: Timer | undefined;
  #failures = 0;
  #since = '';

  constructor(parts: DockerEventsParts) {
    this.#parts = parts;
  }

  /** Begins to listen, or listens again; what happened since is told too. */
  start(): void {
    // The engine remembers its last events, so that none is missed between this moment and its answer.
    if (this.#since === '') this.#since = (this.#parts.clock.now() / 1000).toFixed(3);
    // Never rejects: a failure is tried again.
    void this.#listen();
  }

  subscribe(sink: EventSink): { stop(): void } {
    this.#sinks.add(sink);
    return {
      stop: (): void => {
        this.#sinks.delete(sink);
      },
    };
  }

  /** Resolves when a command has ended, or events were lost: then it is to be looked at. */
  async execEnd(id: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#execs.set(id, resolve);
    await promise.finally(() => this.#execs.delete(id));
  }

  close(): void {
    this.#sinks.clear();
    this.#timer?.cancel();
    this.#abort.abort();
    this.#release();
  }

  async #listen(): Promise<void> {
    try {
      const wanted = Object.entries(this.#parts.labels).map(([key, value]) => `${key}=${value}`);
      const filters = { type: ['container'], label: [POD_UID_LABEL, ...wanted] };
      const query = `since=${this.#since}&filters=${encodeURIComponent(JSON.stringify(filters))}`;
      const call = { method: 'GET', path: `/events?${query}`, timeoutMs: 0, signal: this.#abort.signal } as const;
      const { body } = await this.#parts.api.open(call);
      if (this.#failures > 0) this.#lose(new RuntimeUnavailableError(this.#parts.api.endpoint));
      this.#failures = 0;
      for await (const line of linesOf(body, LINES)) this.#take(JSON.parse(line) as EventMessage);
      throw new RuntimeUnavailableError(this.#parts.api.endpoint);
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#retry(error as Error);
    }
  }

  #retry(error: Error): void {
    if (this.#failures === 0) this.#lose(error);
    this.#parts.log.info(2, 'events of Docker broke off', { reason: messageOf(error) });
    const delayMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** this.#failures++);
    this.#timer = this.#parts.clock.after(delayMs, () => this.start(), { background: true });
  }

  #lose(error: Error): void {
    this.#release();
    for (const sink of this.#sinks) sink.lost(error);
  }

  #release(): void {
    for (const resolve of this.#execs.values()) resolve();
  }

  #take({ Action: action, Actor: actor, timeNano }: EventMessage): void {
    this.#since = nextMoment(timeNano);
    const { Attributes: attributes, ID: id } = actor;
    if (action === 'exec_die') {
      this.#execs.get(attributes['execID'] ?? '')?.();
      return;
    }
    const type = Object.hasOwn(TYPES, action) ? TYPES[action] : undefined;
    if (type === undefined) return;
    const podUid = attributes[POD_UID_LABEL] ?? '';
    const exitCode = type === 'stopped' ? { exitCode: Number(attributes['exitCode'] ?? 0) } : {};
    this.#tell({ type, containerId: id, podUid, ...exitCode });
  }

  #tell(event: RuntimeEvent): void {
    const { containerId: id, type } = event;
    const before = this.#waiting.get(id);
    if (before === undefined && type !== 'stopped') {
      for (const sink of this.#sinks) sink.event(event);
      return;
    }
    const told = (before ?? Promise.resolve())
      .then(() => (type === 'stopped' ? this.#parts.logEnded(id) : undefined))
      .then(() => {
        for (const sink of this.#sinks) sink.event(event);
      })
      .catch((error: unknown) => this.#parts.log.error(error, 'a listener for runtime events failed'))
      .finally(() => {
        if (this.#waiting.get(id) === told) this.#waiting.delete(id);
      });
    this.#waiting.set(id, told);
  }
}

/** The moment behind an event. As a number it is off by some hundred nanoseconds; one told twice does no harm. */
function nextMoment(timeNano: number): string {
  return (Math.floor(timeNano / 1_000_000) / 1000).toFixed(3);
}
