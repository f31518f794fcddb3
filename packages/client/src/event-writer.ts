import { BoundedQueue, createTimeFormatter, formatTime, messageOf, randomBelow, sleep } from '@binnacle/base';
import type { CallContext, Scope } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import type { ApiCall } from '@binnacle/machinery';
import { EVENTS } from '@binnacle/api';
import type { Event } from '@binnacle/api/core/v1';
import { EventCorrelator } from './event-correlator.ts';
import type { CountedEvent, EventFacts, EventPlan } from './event-correlator.ts';
import { isTransportError } from './errors.ts';
import type { Client, ClientWorld } from './ports.ts';

/** How Events are written, for how long (the scope) and through which client. */
export interface EventWriterOptions {
  readonly client: Client;
  readonly world: ClientWorld;
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
 * How many Events wait where nobody says otherwise: they are written behind what they tell of, which they would slow down if
 * they were written with it. Upstream drops from 1,000 on; with this many all those of 4,500 pods are kept that come at once,
 * on disk, and some four fifths of 6,000 pods' (decision 0172).
 */
const WAITING_MAX = 4096;
/** So many at most are written in one call; what they tell of goes on between two. */
const BATCH_MAX = 32;
/** So many further ones are dropped before the log says so again. */
const DROPS_TOLD = 1000;
const TRIES_MAX = 12;
const RETRY_MS = 10_000;
const RESOURCE = { group: EVENTS.group, version: EVENTS.version, resource: EVENTS.resource };

/** An Event that waits to be written. */
export interface WaitingEvent {
  readonly facts: EventFacts;
  readonly context: CallContext;
}

interface PlannedEvent extends WaitingEvent {
  readonly plan: EventPlan;
}

/** Writes Events in the order in which they come, as many in one call as wait. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #correlator: EventCorrelator;
  readonly #waiting: BoundedQueue<WaitingEvent>;
  readonly #timeText = createTimeFormatter();
  /** Repeats one of the call before. */
  #held: PlannedEvent | undefined;
  #writing = false;
  #dropped = 0;
  #droppedTold = 0;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#waiting = new BoundedQueue('events', options.waitingMax ?? WAITING_MAX);
    this.#correlator = new EventCorrelator(options.world.clock);
  }

  /** Never waits: what finds no room is dropped. */
  offer(item: WaitingEvent): void {
    const { scope } = this.#options;
    if (scope.closing) return;
    if (!this.#waiting.offer(item)) {
      this.#drop(1);
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
      for (let batch = this.#next(); batch.length > 0 && !signal.aborted; batch = this.#next()) {
        await this.#write(batch, signal);
      }
    } finally {
      this.#writing = false;
      this.#tellDropped();
    }
  }

  #drop(count: number): void {
    this.#dropped += count;
    if (this.#droppedTold === 0 || this.#dropped - this.#droppedTold >= DROPS_TOLD) this.#tellDropped();
  }

  #tellDropped(): void {
    if (this.#dropped === this.#droppedTold) return;
    this.#droppedTold = this.#dropped;
    this.#options.world.log.warn('events dropped', { dropped: this.#dropped });
  }

  /** What goes in one call: nothing twice, as a repeat counts on what is written by then. */
  #next(): PlannedEvent[] {
    const batch: PlannedEvent[] = [];
    const counted = new Set<CountedEvent>();
    let next = this.#held ?? this.#plan();
    this.#held = undefined;
    for (; next !== undefined; next = batch.length < BATCH_MAX ? this.#plan() : undefined) {
      if (counted.has(next.plan.counted)) {
        this.#held = next;
        break;
      }
      counted.add(next.plan.counted);
      batch.push(next);
    }
    return batch;
  }

  #plan(): PlannedEvent | undefined {
    for (let item = this.#waiting.shift(); item !== undefined; item = this.#waiting.shift()) {
      const plan = this.#correlator.plan(item.facts);
      if (plan !== undefined) return { facts: item.facts, context: item.context, plan };
    }
    return undefined;
  }

  async #write(batch: readonly PlannedEvent[], signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options.world;
    for (let tries = 1, left = batch; ; tries++) {
      left = await this.#send(left, signal);
      if (left.length === 0 || signal.aborted) return;
      if (tries >= TRIES_MAX) {
        this.#drop(left.length);
        return;
      }
      // Whoever did not get through hears from nobody when he would.
      await sleep(clock, RETRY_MS * (tries === 1 ? randomBelow(random, 1000) / 1000 : 1), signal);
    }
  }

  /** Answers with those of which nobody knows what became. */
  async #send(batch: readonly PlannedEvent[], signal: AbortSignal): Promise<readonly PlannedEvent[]> {
    const { client, world } = this.#options;
    const lost: PlannedEvent[] = [];
    const expired: PlannedEvent[] = [];
    const calls = batch.map((event) => this.#callFor(event, signal));
    await client.wire.batch(calls, (at, outcome) => {
      const event = batch[at];
      const call = calls[at];
      if (event === undefined || call === undefined) return;
      const { counted } = event.plan;
      if (outcome.status === 'fulfilled') {
        if (call.verb === 'create') counted.written = nameOf(call);
      } else if (call.verb === 'patch' && status.isNotFound(outcome.reason)) {
        // It expired on the server in the meantime: it is written anew, with its count.
        counted.written = undefined;
        expired.push(event);
      } else if (isTransportError(outcome.reason)) lost.push(event);
      else if (!signal.aborted) {
        world.log.info(2, 'event rejected', { reason: event.facts.reason, error: messageOf(outcome.reason) });
      }
    });
    return expired.length === 0 ? lost : [...lost, ...(await this.#send(expired, signal))];
  }

  #callFor({ facts, context, plan }: PlannedEvent, signal: AbortSignal): ApiCall {
    const namespace = namespaceOf(facts);
    const place = { resource: RESOURCE, namespace, ...context, signal };
    const lastTimestamp = this.#timeText(plan.lastMs);
    const name = plan.counted.written;
    if (name !== undefined) {
      const body = { count: plan.count, lastTimestamp, message: plan.message };
      return { verb: 'patch', name, patch: 'strategic', body, ...place };
    }
    const body = newEvent(facts, plan, { name: this.#nameFor(facts, plan.lastMs), lastTimestamp });
    return { verb: 'create', body, ...place };
  }

  /** `<object>.<nanoseconds in hex>`, as upstream; what a millisecond clock lacks is filled by chance. */
  #nameFor(facts: EventFacts, atMs: number): string {
    const nanos = BigInt(Math.floor(atMs)) * 1_000_000n + BigInt(randomBelow(this.#options.world.random, 1_000_000));
    return `${facts.about.name ?? ''}.${nanos.toString(16)}`;
  }
}

function nameOf({ body }: ApiCall): string | undefined {
  return (body as Event).metadata.name;
}

function namespaceOf(facts: EventFacts): string {
  const { namespace } = facts.about;
  return namespace === undefined || namespace === '' ? 'default' : namespace;
}

function newEvent(
  facts: EventFacts,
  plan: EventPlan,
  { name, lastTimestamp }: { readonly name: string; readonly lastTimestamp: string },
): Event {
  return {
    kind: EVENTS.kind,
    apiVersion: EVENTS.version,
    metadata: { name, namespace: namespaceOf(facts) },
    involvedObject: facts.about,
    reason: facts.reason,
    message: plan.message,
    source: { component: facts.component, ...(facts.host === '' ? {} : { host: facts.host }) },
    firstTimestamp: plan.firstMs === plan.lastMs ? lastTimestamp : formatTime(plan.firstMs),
    lastTimestamp,
    count: plan.count,
    type: facts.type,
    reportingComponent: facts.component,
    reportingInstance: facts.host,
  };
}
