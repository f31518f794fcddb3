import { costOf, FairQueue } from './fair-queue.ts';
import type { Ticket } from './fair-queue.ts';
import { TicketList } from './ticket-list.ts';

/** What happens to requests beyond the limit of a level. */
export type QueueShape =
  | { readonly kind: 'exempt' }
  | { readonly kind: 'reject' }
  | { readonly kind: 'queue'; readonly queues: number; readonly handSize: number; readonly lengthLimit: number };

export type Refusal = 'queue-full' | 'concurrency-limit';

/** Whose turn it is. */
interface Turn<Tag> {
  readonly ticket: Ticket<Tag>;
  readonly queue: FairQueue<Tag>;
}

/** Who is told what happens in a queue set. */
export interface QueueSetObserver<Tag> {
  /** A request is in its queue, which has so many now; it may start within the same call. */
  queued(ticket: Ticket<Tag>, length: number): void;
  /** A request starts, at once or after it waited. */
  dispatched(ticket: Ticket<Tag>): void;
  /** The turn of a request has come, and there are not seats enough for it. */
  heldBack(ticket: Ticket<Tag>): void;
  /** What waits and what runs may have changed, at this time. */
  changed(now: number): void;
}

/**
 * Fair queuing over seats: each queue is given the same share of the seats as long as it has something to do, and among
 * the queues the one whose next request would end first in virtual time is served. It decides only: time is told to it
 * (in seconds), and it tells who starts. Upstream's technique (KEP 1040), for one priority level.
 */
export class QueueSet<Tag> {
  readonly #observer: QueueSetObserver<Tag>;
  #shape: QueueShape;
  #limit: number;
  readonly #queues: FairQueue<Tag>[] = [];
  /** Those in which somebody waits, in no order: few of the hundred, and asked for with every request that ends. */
  readonly #withWaiting: FairQueue<Tag>[] = [];
  readonly #queueless = new TicketList<Ticket<Tag>>();
  #virtual = 0;
  #lastTime: number;
  #activeQueues = 0;
  #robin = 0;
  #enqueued = 0;
  #waiting = 0;
  #waitingSeats = 0;
  #executing = 0;
  #seatsInUse = 0;
  readonly totals = { dispatched: 0, rejected: 0, timedOut: 0, cancelled: 0 };

  constructor(shape: QueueShape, at: { limit: number; now: number; observer: QueueSetObserver<Tag> }) {
    this.#shape = shape;
    this.#limit = at.limit;
    this.#lastTime = at.now;
    this.#observer = at.observer;
    this.#addQueues();
  }

  get queues(): readonly FairQueue<Tag>[] {
    return this.#queues;
  }

  /** Those that run without having been in a queue. */
  get queueless(): Pick<TicketList<Ticket<Tag>>, 'size' | typeof Symbol.iterator> {
    return this.#queueless;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get executing(): number {
    return this.#executing;
  }

  get seatsInUse(): number {
    return this.#seatsInUse;
  }

  /** Seats in use or asked for. */
  get demand(): number {
    return this.#seatsInUse + this.#waitingSeats;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Virtual time: seat-seconds that a queue which was never idle has been given. */
  get virtual(): number {
    return this.#virtual;
  }

  get idle(): boolean {
    return this.#waiting === 0 && this.#executing === 0;
  }

  /** Queues beyond a smaller number are left to empty themselves. */
  configure(shape: QueueShape, now: number): void {
    this.#passTime(now);
    this.#shape = shape;
    this.#addQueues();
    this.#dropEmptyQueues();
    this.#dispatchAll(now);
  }

  setLimit(limit: number, now: number): void {
    this.#passTime(now);
    this.#limit = limit;
    this.#dispatchAll(now);
  }

  /** Takes a request in: it starts, waits (see its state), or is refused with the reason. `hand`: queues to choose of. */
  arrive(ticket: Ticket<Tag>, hand: readonly number[], now: number): Refusal | undefined {
    const shape = this.#shape;
    ticket.arrivedAt = now;
    if (shape.kind !== 'queue') return this.#arriveWithoutQueue(ticket, now);
    this.#passTime(now);
    const queue = this.#chooseQueue(hand);
    if (this.#seatsInUse >= this.#limit && queue.waiting.size >= shape.lengthLimit) {
      this.totals.rejected++;
      return 'queue-full';
    }
    this.#join(ticket, queue);
    // Nobody waits: it would be the next at once.
    if (this.#waiting === 0 && this.#seatsInUse < this.#limit && this.#accommodates(ticket.seats)) {
      this.#observer.queued(ticket, 1);
      this.#startFrom(queue, ticket, now);
      this.#observer.changed(now);
      return undefined;
    }
    this.#enqueue(ticket, queue);
    this.#dispatchAll(now);
    return undefined;
  }

  /** One that waits does so no more. False when it does not wait. */
  giveUp(ticket: Ticket<Tag>, why: 'timedOut' | 'cancelled', now: number): boolean {
    const { queue } = ticket;
    if (ticket.state !== 'waiting' || queue === undefined) return false;
    this.#passTime(now);
    this.#unqueue(ticket, queue);
    ticket.state = 'over';
    if (!queue.active) this.#activeQueues--;
    queue.bound();
    this.totals.rejected++;
    this.totals[why]++;
    this.#dispatchAll(now);
    return true;
  }

  /** One that ran has ended. Its seats are free at once, or after `lingerSeconds` of its work, by `release`. */
  finish(ticket: Ticket<Tag>, now: number): void {
    this.#passTime(now);
    ticket.state = 'over';
    this.#executing--;
    const { queue, work } = ticket;
    if (queue === undefined) this.#queueless.delete(ticket);
    else {
      queue.finish(ticket, now);
      if (!queue.active) this.#activeQueues--;
    }
    if (work.lingerSeconds <= 0) this.release(ticket, now);
    else this.#dispatchAll(now);
  }

  /** Frees the seats of one that has ended. */
  release(ticket: Ticket<Tag>, now: number): void {
    this.#passTime(now);
    this.#seatsInUse -= ticket.seats;
    if (ticket.queue !== undefined) ticket.queue.seatsInUse -= ticket.seats;
    if (this.#queues.length > this.#wantedQueues) this.#dropEmptyQueues();
    this.#dispatchAll(now);
  }

  #arriveWithoutQueue(ticket: Ticket<Tag>, now: number): Refusal | undefined {
    if (!this.#accommodates(ticket.seats)) {
      this.totals.rejected++;
      return 'concurrency-limit';
    }
    this.#queueless.add(ticket);
    this.#start(ticket, now);
    this.#observer.changed(now);
    return undefined;
  }

  get #wantedQueues(): number {
    return this.#shape.kind === 'queue' ? this.#shape.queues : 0;
  }

  #addQueues(): void {
    while (this.#queues.length < this.#wantedQueues) this.#queues.push(new FairQueue(this.#queues.length));
  }

  /** From the end, so that nobody's queue changes its number. */
  #dropEmptyQueues(): void {
    while (this.#queues.length > this.#wantedQueues) {
      const last = this.#queues.at(-1);
      if (last === undefined || last.active || last.seatsInUse > 0) return;
      this.#queues.pop();
    }
  }

  #passTime(now: number): void {
    const passed = now - this.#lastTime;
    this.#lastTime = now;
    if (this.#activeQueues === 0 || passed <= 0) return;
    const pace = Math.min(this.#seatsInUse + this.#waitingSeats, this.#limit) / this.#activeQueues;
    this.#virtual += pace * passed;
  }

  /** Of the flow's hand the queue with the least work before it, from a place that goes round. */
  #chooseQueue(hand: readonly number[]): FairQueue<Tag> {
    const first = this.#enqueued++ % hand.length;
    let best: FairQueue<Tag> | undefined;
    for (let i = 0; i < hand.length; i++) {
      const queue = this.#queues[hand[(first + i) % hand.length] ?? 0];
      if (queue !== undefined && (best === undefined || queue.waitingWork < best.waitingWork)) best = queue;
    }
    return best ?? new FairQueue(0);
  }

  /** Its place in virtual time, whether it has to wait there or not. */
  #join(ticket: Ticket<Tag>, queue: FairQueue<Tag>): void {
    ticket.queue = queue;
    ticket.arrivalR = this.#virtual;
    if (queue.active) {
      if (queue.waiting.size === 0) queue.nextDispatchR = Math.max(queue.nextDispatchR, this.#virtual);
      return;
    }
    queue.nextDispatchR = this.#virtual;
    this.#activeQueues++;
  }

  #enqueue(ticket: Ticket<Tag>, queue: FairQueue<Tag>): void {
    queue.add(ticket);
    if (queue.waitingAt === -1) queue.waitingAt = this.#withWaiting.push(queue) - 1;
    this.#waiting++;
    this.#waitingSeats += ticket.seats;
    this.#observer.queued(ticket, queue.waiting.size);
  }

  #unqueue(ticket: Ticket<Tag>, queue: FairQueue<Tag>): void {
    queue.remove(ticket);
    if (queue.waiting.size === 0) this.#nobodyWaitsIn(queue);
    this.#waiting--;
    this.#waitingSeats -= ticket.seats;
  }

  /** The last one takes its place. */
  #nobodyWaitsIn(queue: FairQueue<Tag>): void {
    const last = this.#withWaiting.pop();
    if (last !== undefined && last !== queue) {
      this.#withWaiting[queue.waitingAt] = last;
      last.waitingAt = queue.waitingAt;
    }
    queue.waitingAt = -1;
  }

  #dispatchAll(now: number): void {
    let goesOn = true;
    while (goesOn && this.#waiting > 0 && this.#seatsInUse < this.#limit) goesOn = this.#dispatchOne(now);
    this.#observer.changed(now);
  }

  #dispatchOne(now: number): boolean {
    const next = this.#nextInTurn();
    return next !== undefined && this.#dispatch(next, now);
  }

  #dispatch(next: Turn<Tag>, now: number): boolean {
    if (!this.#accommodates(next.ticket.seats)) {
      this.#observer.heldBack(next.ticket);
      return false;
    }
    const { ticket, queue } = next;
    this.#unqueue(ticket, queue);
    this.#startFrom(queue, ticket, now);
    return true;
  }

  #startFrom(queue: FairQueue<Tag>, ticket: Ticket<Tag>, now: number): void {
    this.#robin = queue.number;
    ticket.fitInto(this.#limit);
    queue.start(ticket);
    this.#start(ticket, now);
  }

  /** The oldest request of the queue whose next would end first; of equals, of the one after who was served last. */
  #nextInTurn(): Turn<Tag> | undefined {
    let found: Turn<Tag> | undefined;
    let soonest = Number.POSITIVE_INFINITY;
    let nearest = Number.POSITIVE_INFINITY;
    for (const queue of this.#withWaiting) {
      const ticket = queue.oldest();
      if (ticket === undefined) continue;
      const end = queue.nextDispatchR + costOf(ticket.work);
      const distance = this.#distanceTo(queue);
      if (end > soonest || (end === soonest && distance > nearest)) continue;
      soonest = end;
      nearest = distance;
      found = { ticket, queue };
    }
    return found;
  }

  /** How many queues on from the one that was served last; that one itself is the last. */
  #distanceTo({ number }: FairQueue<Tag>): number {
    const count = this.#queues.length;
    // The one that was served last may be gone.
    return (((number - this.#robin - 1) % count) + count) % count;
  }

  #start(ticket: Ticket<Tag>, now: number): void {
    ticket.state = 'executing';
    ticket.startedAt = now;
    this.#executing++;
    this.#seatsInUse += ticket.seats;
    this.totals.dispatched++;
    this.#observer.dispatched(ticket);
  }

  /** One that is wider than the limit runs alone. */
  #accommodates(seats: number): boolean {
    if (this.#shape.kind === 'exempt') return true;
    if (seats > this.#limit) return this.#executing === 0;
    return this.#seatsInUse + seats <= this.#limit;
  }
}
