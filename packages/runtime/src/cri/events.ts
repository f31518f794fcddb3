import { BoundedQueue, type Clock, type Logger, type Timer } from '@binnacle/base';
import { RuntimeUnavailableError } from '../errors.ts';
import type { RuntimeEvent } from '../ports.ts';
import { STATUS } from '@binnacle/grpc';
import type { Channel, GrpcFailure, Method } from '@binnacle/grpc';
import type { Identities } from './identities.ts';
import type { ContainerEventMessage, EnvelopeMessage, TaskExitMessage } from './messages.ts';

const CRI_EVENTS: Method = {
  service: 'runtime.v1.RuntimeService',
  method: 'GetContainerEvents',
};

const CONTAINERD_EVENTS: Method = {
  service: 'containerd.services.events.v1.Events',
  method: 'Subscribe',
};

const FILTERS = ['namespace==k8s.io,topic~=^/tasks/', 'namespace==k8s.io,topic=="/containers/delete"'];

const CRI_TYPES: { readonly [type: string]: RuntimeEvent['type'] } = {
  CONTAINER_CREATED_EVENT: 'created',
  CONTAINER_STARTED_EVENT: 'started',
  CONTAINER_STOPPED_EVENT: 'stopped',
  CONTAINER_DELETED_EVENT: 'deleted',
};

const BACKOFF_MS = 100;
const BACKOFF_MS_MAX = 5000;
const PARKED_MAX = 1024;
const CONFIRM_MS = 2;
const CONFIRM_MS_MAX = 100;
const CONFIRM_TRIES = 30;

export interface EventSink {
  event(event: RuntimeEvent): void;
  lost(error: Error): void;
}

export interface EventSourceParts {
  readonly channel: Channel;
  readonly endpoint: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly identities: Identities;
  /** Lists everything of ours, so that identities are learnt. */
  learn(): Promise<void>;
  /** Whether CRI's own answer says by now that it has ended. */
  hasEnded(id: string): Promise<boolean>;
  /** Whether something is being created whose id we do not know yet. */
  creating(): boolean;
}

type Source = 'cri' | 'containerd';

/**
 * The runtime's events for as long as somebody listens. CRI's own stream where it is implemented, else containerd's
 * event service on the same socket. When the stream breaks, `lost` is told twice: at the break, and when events come
 * again (what happened between must be listed).
 */
export class EventSource {
  readonly #parts: EventSourceParts;
  readonly #sinks = new Set<EventSink>();
  /** Events of ids not known yet: they may be told before the call that makes them has answered. Full: the oldest goes. */
  #parked = new BoundedQueue<RuntimeEvent>('parked runtime events', PARKED_MAX);
  #source: Source = 'cri';
  #stream: { cancel(): void } | undefined;
  #listener: { stop(): void } | undefined;
  #timer: Timer | undefined;
  readonly #confirming = new Set<Timer>();
  #failures = 0;
  #learning = false;

  constructor(parts: EventSourceParts) {
    this.#parts = parts;
  }

  /** Whether events come in, deletions among them. */
  get listening(): boolean {
    return this.#sinks.size > 0;
  }

  subscribe(sink: EventSink): { stop(): void } {
    this.#sinks.add(sink);
    if (this.#sinks.size === 1) this.#begin();
    return {
      stop: (): void => {
        if (this.#sinks.delete(sink) && this.#sinks.size === 0) this.#end();
      },
    };
  }

  close(): void {
    this.#sinks.clear();
    this.#end();
  }

  /** Something of ours was made by this connection. */
  tell(event: RuntimeEvent): void {
    for (const sink of this.#sinks) sink.event(event);
  }

  /** A call that made something is over: what is still parked is a stranger's, or another connection's. */
  settle(): void {
    if (this.#parked.length > 0 && !this.#parts.creating()) this.#learn();
  }

  #begin(): void {
    this.#listener = this.#parts.identities.onLearn(() => this.#flush());
    this.#open();
    this.#learn();
  }

  #end(): void {
    this.#listener?.stop();
    this.#stream?.cancel();
    this.#timer?.cancel();
    for (const timer of this.#confirming) timer.cancel();
    this.#confirming.clear();
    this.#stream = undefined;
    this.#timer = undefined;
    this.#parked = new BoundedQueue<RuntimeEvent>('parked runtime events', PARKED_MAX);
  }

  #open(): void {
    const source = this.#source;
    const method = source === 'cri' ? CRI_EVENTS : CONTAINERD_EVENTS;
    this.#stream = this.#parts.channel.stream(method, source === 'cri' ? {} : { filters: FILTERS }, {
      message: (message) => this.#receive(source, message),
      end: (failure) => this.#closed(failure),
    });
  }

  #closed(failure: GrpcFailure): void {
    this.#stream = undefined;
    this.#timer?.cancel();
    if (this.#sinks.size === 0) return;
    if (failure.status === STATUS.UNIMPLEMENTED && this.#source === 'cri') {
      this.#source = 'containerd';
      this.#open();
      return;
    }
    if (this.#failures++ === 0) this.#tellLost(failure.error);
    this.#parts.log.info(2, 'runtime events were cut off', { reason: failure.details });
    this.#retry(() => {
      this.#open();
      // Never rejects: a runtime that does not answer is asked again.
      void this.#proveBack();
    });
  }

  #retry(run: () => void): void {
    const delayMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** Math.min(this.#failures - 1, 10));
    this.#timer = this.#parts.clock.after(delayMs, run, { background: true });
  }

  /** An answered call on the same connection shows that the stream is on, and that listing again will succeed. */
  async #proveBack(): Promise<void> {
    const stream = this.#stream;
    try {
      await this.#parts.learn();
    } catch (error) {
      this.#parts.log.info(4, 'runtime is still away', { error });
      // The stream may live although CRI is not ready yet; when it does not, its end tries again.
      if (stream === undefined || stream !== this.#stream || this.#failures === 0) return;
      this.#failures++;
      // Never rejects: a runtime that does not answer is asked again.
      this.#retry(() => void this.#proveBack());
      return;
    }
    if (stream === undefined || stream !== this.#stream || this.#failures === 0) return;
    this.#failures = 0;
    this.#tellLost(new RuntimeUnavailableError(this.#parts.endpoint));
  }

  #tellLost(error: Error): void {
    for (const sink of this.#sinks) sink.lost(error);
  }

  #receive(source: Source, message: unknown): void {
    const event = source === 'cri' ? fromCri(message) : this.#fromContainerd(message);
    if (event === undefined) return;
    this.#deliver(event);
  }

  #deliver(event: RuntimeEvent): void {
    const identity = this.#parts.identities.of(event.containerId);
    if (identity === undefined) {
      if (!this.#parked.offer(event)) {
        this.#parked.shift();
        this.#parked.offer(event);
      }
      if (!this.#parts.creating()) this.#learn();
      return;
    }
    const known = { ...event, podUid: identity.podUid };
    if (event.type === 'stopped' && this.#source === 'containerd') this.#confirm(known, 0);
    else this.tell(known);
    if (event.type === 'deleted') this.#parts.identities.forget(event.containerId);
  }

  /**
   * containerd tells of an exit some milliseconds before its CRI side has noted it, and CRI tells nobody then. Who looks
   * at an event must see it, so an end is told when CRI knows it too.
   */
  #confirm(event: RuntimeEvent, tries: number): void {
    this.#parts
      .hasEnded(event.containerId)
      .catch((error: unknown) => {
        this.#parts.log.info(2, 'cannot confirm the end of a container', { error, id: event.containerId });
        return true;
      })
      .then((ended) => {
        if (ended || tries >= CONFIRM_TRIES) this.tell(event);
        else if (this.#sinks.size > 0) this.#confirmLater(event, tries + 1);
      })
      .catch((error: unknown) => this.#parts.log.error(error, 'a listener for runtime events failed'));
  }

  #confirmLater(event: RuntimeEvent, tries: number): void {
    const delayMs = Math.min(CONFIRM_MS_MAX, CONFIRM_MS * 2 ** (tries >> 1));
    const run = (): void => {
      this.#confirming.delete(timer);
      this.#confirm(event, tries);
    };
    const timer = this.#parts.clock.after(delayMs, run, { background: true });
    this.#confirming.add(timer);
  }

  /** Tells what has become known; keeps the order. */
  #flush(): void {
    for (let left = this.#parked.length; left > 0; left--) {
      const event = this.#parked.shift();
      if (event !== undefined) this.#deliverOrKeep(event);
    }
  }

  #deliverOrKeep(event: RuntimeEvent): void {
    if (this.#parts.identities.of(event.containerId) === undefined) this.#parked.offer(event);
    else this.#deliver(event);
  }

  /** Lists once; what stays unknown then is not ours. */
  #learn(): void {
    if (this.#learning) return;
    this.#learning = true;
    this.#parts
      .learn()
      .then(() => {
        if (!this.#parts.creating()) while (this.#parked.shift() !== undefined);
      })
      .catch((error: unknown) => this.#parts.log.info(2, 'listing after an event failed', { error }))
      .finally(() => {
        this.#learning = false;
      });
  }

  #fromContainerd(message: unknown): RuntimeEvent | undefined {
    const { topic, event } = message as EnvelopeMessage;
    if (event === null) return undefined;
    const read = <T>(type: string): T => this.#parts.channel.decode(`containerd.events.${type}`, event.value) as T;
    switch (topic) {
      case '/tasks/start':
        return { type: 'started', containerId: read<{ container_id: string }>('TaskStart').container_id };
      case '/tasks/oom':
        return { type: 'oom', containerId: read<{ container_id: string }>('TaskOOM').container_id };
      case '/containers/delete':
        return { type: 'deleted', containerId: read<{ id: string }>('ContainerDelete').id };
      case '/tasks/exit':
        return fromTaskExit(read<TaskExitMessage>('TaskExit'));
      default:
        return undefined;
    }
  }
}

/** The end of a command run in the container has an id of its own and is nobody's business. */
function fromTaskExit(exit: TaskExitMessage): RuntimeEvent | undefined {
  if (exit.id !== exit.container_id) return undefined;
  return { type: 'stopped', containerId: exit.container_id, exitCode: exit.exit_status };
}

function fromCri(message: unknown): RuntimeEvent | undefined {
  const event = message as ContainerEventMessage;
  const type = CRI_TYPES[event.container_event_type];
  if (type === undefined) return undefined;
  const status = event.containers_statuses.find((container) => container.id === event.container_id);
  const exitCode = type === 'stopped' && status !== undefined ? { exitCode: status.exit_code } : {};
  return { type, containerId: event.container_id, ...exitCode };
}
