import { BoundedQueue, formatTime, messageOf, randomBelow, silentTrace, sleep } from '@binnacle/base';
import type { CallContext, Cause, Scope, Trace } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { EVENTS, findKind } from '@binnacle/api';
import type { Event, ObjectReference } from '@binnacle/api/core/v1';
import { observedCause } from './cause.ts';
import { EventCorrelator } from './event-correlator.ts';
import type { EventFacts, EventPlan } from './event-correlator.ts';
import { isTransportError } from './errors.ts';
import { asReference } from './object-reference.ts';
import type { Client, ClientWorld, Draft, EventRecorder } from './ports.ts';

/** Who records, for how long (the scope) and through which client. */
export interface EventRecorderOptions {
  readonly client: Client;
  readonly world: ClientWorld;
  /** Who reports: `replication-controller`, `kubelet`. */
  readonly component: string;
  /** The node's name, for those that run on one. */
  readonly host?: string;
  readonly scope: Scope;
  /**
   * Milliseconds that the first Event waits after a rest; absent: none. In one process with the API server, writing it would
   * take its time from what it tells of.
   */
  readonly delayMs?: number;
  /** Beyond so many waiting Events further ones are dropped and counted in the log; default: 4,096. */
  readonly waitingMax?: number;
}

/**
 * How many Events wait where nobody says otherwise. Enough for 2,000 pods at once: one after the other
 * they are written behind what they tell of, which they would slow down if they were written with it. Upstream drops from 1,000 on: of
 * 6,000 pods scheduled at once 2,014 had their Event then, and 5,112 with this many, for 0 to 8 % more CPU (docs/performance.md).
 */
const WAITING_MAX = 4096;
/** So many further ones are dropped before the log says so again. */
const DROPS_TOLD = 1000;
const TRIES_MAX = 12;
const RETRY_MS = 10_000;

interface Waiting {
  readonly facts: EventFacts;
  readonly context: CallContext;
}

/**
 * A recorder that writes core/v1 Events one after the other in the background. A repeat raises `count` on the Event
 * that is there; more than ten different messages of one reason are combined; an object that reports without end is
 * cut to 25 at once and one in five minutes. Nobody ever waits for it.
 */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return createEventRecorders(options)(options.host ?? '');
}

/** Recorders of one component on many hosts, by the host's name: one queue and one writer for them all. */
export function createEventRecorders(options: Omit<EventRecorderOptions, 'host'>): (host: string) => EventRecorder {
  const writer = new EventWriter(options);
  const { component, world } = options;
  return (host) => ({
    event: (about, type, reason, message, context) => {
      const reference = asReference(about);
      const object = `${reference.namespace ?? ''}/${reference.name ?? ''}`;
      const { kind } = reference;
      world.log.info(3, 'Event occurred', { object, kind, type, reason, message, component });
      const cause = context?.cause ?? causeOf(reference, component, reason);
      const facts = { about: reference, type, reason, message, component, host };
      recordEvent(world.trace ?? silentTrace, facts, cause);
      writer.offer({ facts, context: { ...context, cause } });
    },
  });
}

/** What was reported, as it was: what becomes of it (combined, dropped) is the writer's affair. */
function recordEvent(trace: Trace, { about, type, reason, message, component, host }: EventFacts, cause: Cause): void {
  if (!trace.on) return;
  const { apiVersion = 'v1', kind = '', namespace, name = '', uid } = about;
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  const resource = findKind(group, apiVersion.slice(slash + 1), kind)?.resource;
  const place = { ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) };
  trace.record({
    kind: 'event',
    component: host === '' ? component : `${component} ${host}`,
    name: `${reason}: ${message}`.slice(0, 512),
    startedAt: trace.now(),
    durationMs: 0,
    ...(resource === undefined ? {} : { object: { group, resource, ...place, name } }),
    cause,
    detail: { type, reason, message: message.slice(0, 1024) },
  });
}

/** Without a better one: the version of the object that the reporter saw. */
function causeOf({ namespace, name, resourceVersion }: ObjectReference, component: string, reason: string): Cause {
  const metadata = { namespace: namespace ?? '', name: name ?? '', resourceVersion: resourceVersion ?? '' };
  return observedCause(component, { metadata }, `event ${reason}`);
}

class EventWriter {
  readonly #options: Omit<EventRecorderOptions, 'host'>;
  readonly #correlator: EventCorrelator;
  readonly #waiting: BoundedQueue<Waiting>;
  #writing = false;
  #dropped = 0;
  #droppedTold = 0;

  constructor(options: Omit<EventRecorderOptions, 'host'>) {
    this.#options = options;
    this.#waiting = new BoundedQueue('events', options.waitingMax ?? WAITING_MAX);
    this.#correlator = new EventCorrelator(options.world.clock);
  }

  offer(item: Waiting): void {
    const { scope } = this.#options;
    if (scope.closing) return;
    if (!this.#waiting.offer(item)) {
      this.#dropped++;
      if (this.#dropped % DROPS_TOLD === 1) this.#tellDropped();
      return;
    }
    if (this.#writing) return;
    this.#writing = true;
    scope.run('event recorder', (signal) => this.#drain(signal));
  }

  async #drain(signal: AbortSignal): Promise<void> {
    const { delayMs = 0, world } = this.#options;
    try {
      if (delayMs > 0) await sleep(world.clock, delayMs, signal);
      for (let item = this.#waiting.shift(); item !== undefined && !signal.aborted; item = this.#waiting.shift()) {
        const plan = this.#correlator.plan(item.facts);
        if (plan !== undefined) await this.#write(item, plan, signal);
      }
    } finally {
      this.#writing = false;
      this.#tellDropped();
    }
  }

  #tellDropped(): void {
    if (this.#dropped === this.#droppedTold) return;
    this.#droppedTold = this.#dropped;
    this.#options.world.log.warn('events dropped', { dropped: this.#dropped });
  }

  async #write(item: Waiting, plan: EventPlan, signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#options.world;
    const context: CallContext = { ...item.context, signal };
    for (let tries = 1; ; tries++) {
      try {
        await this.#send(item.facts, plan, context);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!isTransportError(error) || tries >= TRIES_MAX) {
          log.info(2, 'event rejected', { reason: item.facts.reason, error: messageOf(error) });
          return;
        }
      }
      await sleep(clock, RETRY_MS * (tries === 1 ? randomBelow(random, 1000) / 1000 : 1), signal);
    }
  }

  async #send(facts: EventFacts, plan: EventPlan, context: CallContext): Promise<void> {
    const events = this.#options.client.resource(EVENTS, namespaceOf(facts));
    if (plan.written !== undefined) {
      try {
        const body = { count: plan.count, lastTimestamp: formatTime(plan.lastMs), message: plan.message };
        await events.patch(plan.written, 'strategic', body, undefined, context);
        return;
      } catch (error) {
        // It expired on the server in the meantime: write it anew, with its count.
        if (!status.isNotFound(error)) throw error;
      }
    }
    const name = this.#nameFor(facts, plan.lastMs);
    await events.create(newEvent(facts, plan, name), undefined, context);
    this.#correlator.recordWritten(plan.key, name);
  }

  /** `<object>.<nanoseconds in hex>`, as upstream; what a millisecond clock lacks is filled by chance. */
  #nameFor(facts: EventFacts, atMs: number): string {
    const nanos = BigInt(Math.floor(atMs)) * 1_000_000n + BigInt(randomBelow(this.#options.world.random, 1_000_000));
    return `${facts.about.name ?? ''}.${nanos.toString(16)}`;
  }
}

function namespaceOf(facts: EventFacts): string {
  const { namespace } = facts.about;
  return namespace === undefined || namespace === '' ? 'default' : namespace;
}

function newEvent(facts: EventFacts, plan: EventPlan, name: string): Draft<Event> {
  return {
    metadata: { name, namespace: namespaceOf(facts) },
    involvedObject: facts.about,
    reason: facts.reason,
    message: plan.message,
    source: { component: facts.component, ...(facts.host === '' ? {} : { host: facts.host }) },
    firstTimestamp: formatTime(plan.firstMs),
    lastTimestamp: formatTime(plan.lastMs),
    count: plan.count,
    type: facts.type,
    reportingComponent: facts.component,
    reportingInstance: facts.host,
  };
}
