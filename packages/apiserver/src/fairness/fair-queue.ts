import { TicketList } from './ticket-list.ts';
import type { Listed } from './ticket-list.ts';

/** How long a request is taken to run before it is known, in seconds (upstream's estimate). */
const EXPECTED_SECONDS = 0.003;

/** How much of the server a request is expected to take. */
export interface Work {
  /** Seats while it runs. */
  readonly initialSeats: number;
  /** Seats that stay taken after its end, for what it set going, and for how many seconds. */
  readonly finalSeats: number;
  readonly lingerSeconds: number;
}

/** One request in a queue set, made by its caller. `Tag` is what the caller wants to know of it again. */
export class Ticket<Tag> implements Listed<Ticket<Tag>> {
  readonly tag: Tag;
  work: Work;
  /** Those of its work: they are asked for again and again. */
  seats: number;
  state: 'new' | 'waiting' | 'executing' | 'over' = 'new';
  /** Seconds by the caller's clock. */
  arrivedAt = 0;
  startedAt = 0;
  /** Virtual time of its arrival. */
  arrivalR = 0;
  queue: FairQueue<Tag> | undefined = undefined;
  before: Ticket<Tag> | undefined = undefined;
  behind: Ticket<Tag> | undefined = undefined;
  /** Seats that it wanted when it came; it may be given fewer, for longer. */
  readonly wantedSeats: number;

  constructor(tag: Tag, work: Work) {
    this.tag = tag;
    this.work = work;
    this.seats = Math.max(work.initialSeats, work.finalSeats);
    this.wantedSeats = this.seats;
  }

  /** What lingers on more seats than there are lingers on fewer for longer. */
  fitInto(limit: number): void {
    const { initialSeats, finalSeats, lingerSeconds } = this.work;
    if (finalSeats <= limit || limit <= 0) return;
    this.work = { initialSeats, finalSeats: limit, lingerSeconds: (finalSeats * lingerSeconds) / limit };
    this.seats = Math.max(initialSeats, limit);
  }
}

/** One queue of several flows: oldest first. */
export class FairQueue<Tag> {
  /** Its place among the queues of its level. */
  readonly number: number;
  readonly waiting = new TicketList<Ticket<Tag>>();
  readonly executing = new TicketList<Ticket<Tag>>();
  seatsInUse = 0;
  waitingSeats = 0;
  waitingInitialSeats = 0;
  /** Seat-seconds of what waits. */
  waitingWork = 0;
  /** Virtual time at which its next request starts. */
  nextDispatchR = 0;
  /** Its place among the queues in which somebody waits; -1: nobody does. */
  waitingAt = -1;

  constructor(number: number) {
    this.number = number;
  }

  get active(): boolean {
    return this.waiting.size > 0 || this.executing.size > 0;
  }

  oldest(): Ticket<Tag> | undefined {
    return this.waiting.first;
  }

  /** The ticket waits behind the others. */
  add(ticket: Ticket<Tag>): void {
    ticket.state = 'waiting';
    this.waiting.add(ticket);
    this.waitingSeats += ticket.seats;
    this.waitingInitialSeats += ticket.work.initialSeats;
    this.waitingWork += costOf(ticket.work);
    this.bound();
  }

  /** The ticket waits no more. */
  remove(ticket: Ticket<Tag>): void {
    this.waiting.delete(ticket);
    this.waitingSeats -= ticket.seats;
    this.waitingInitialSeats -= ticket.work.initialSeats;
    // Rounding does not add up over millions of requests.
    this.waitingWork = this.waiting.size === 0 ? 0 : this.waitingWork - costOf(ticket.work);
  }

  /** The ticket runs, charged with what it is expected to take. */
  start(ticket: Ticket<Tag>): void {
    this.executing.add(ticket);
    this.seatsInUse += ticket.seats;
    this.nextDispatchR += costOf(ticket.work);
    this.bound();
  }

  /** The ticket has run. What was charged at its start was a guess: put right by what it took. */
  finish(ticket: Ticket<Tag>, now: number): void {
    this.executing.delete(ticket);
    this.nextDispatchR += ticket.work.initialSeats * (now - ticket.startedAt - EXPECTED_SECONDS);
    this.bound();
  }

  /** No request may start in virtual time before it came: a queue does not save up what it did not use. */
  bound(): void {
    const oldest = this.oldest();
    if (oldest !== undefined && this.nextDispatchR < oldest.arrivalR) this.nextDispatchR = oldest.arrivalR;
  }
}

/** Seat-seconds that a request is charged with at its start. */
export function costOf({ initialSeats, finalSeats, lingerSeconds }: Work): number {
  return initialSeats * EXPECTED_SECONDS + finalSeats * lingerSeconds;
}
