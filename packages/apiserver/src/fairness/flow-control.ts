import { SharedTurns } from '@binnacle/base';
import type { Clock, Timer } from '@binnacle/base';
import type { FlowSchema, PriorityLevelConfiguration } from '@binnacle/api/flowcontrol/v1';
import type { UserInfo } from '@binnacle/machinery';
import type { RequestFlow } from '../request/exchange.ts';
import type { RequestInfo } from '../request/info.ts';
import { DueList } from './due-list.ts';
import { NoSeatError } from './errors.ts';
import { LingeringSeats } from './lingering-seats.ts';
import { distinguisherOf } from './flow-rules.ts';
import type { FlowRules } from './flow-rules.ts';
import type { FlowTag, FlowTicket, PriorityLevel } from './priority-level.ts';
import { PriorityLevels } from './priority-levels.ts';
import type { SchemaFinding } from './priority-levels.ts';
import { Ticket } from './fair-queue.ts';
import type { Work } from './fair-queue.ts';
import type { Refusal } from './queue-set.ts';

/** Upstream's `--max-requests-inflight` and `--max-mutating-requests-inflight` together. */
export const DEFAULT_SEATS = 600;
/** How often seats are lent anew. */
const ADJUST_MS = 10_000;
/**
 * So much of a turn requests have together: a few of them. What they set going (reading of sockets, replies that go out)
 * takes twice as much again, and whoever comes meanwhile waits for the whole of it; a turn costs next to nothing itself.
 */
const TURN_MS = 1;
const READING: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head']);

/** What requests are of: found for each, and made once for all of a schema. */
export class Flow implements RequestFlow {
  readonly schema: FlowRules;
  readonly level: PriorityLevel;
  readonly schemaUid: string;
  readonly levelUid: string;

  constructor(schema: FlowRules, level: PriorityLevel) {
    this.schema = schema;
    this.level = level;
    this.schemaUid = schema.uid;
    this.levelUid = level.settings.uid;
  }
}

/** One request that wants seats. */
export interface SeatRequest {
  readonly flow: Flow;
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly work: Work;
  /** How many would hear of the change; undefined: it changes nothing. */
  readonly watchers: number | undefined;
  /** How long it may wait. */
  readonly waitMs: number;
  /** Calls back when the caller has gone away, unless it was called off before. */
  readonly whenGone: (run: () => void) => () => void;
}

/** One request that wants its turn. */
export type TurnRequest = Pick<SeatRequest, 'flow' | 'user' | 'info' | 'waitMs' | 'whenGone'>;

/** Gives the seats back; more than once does nothing. `nowMs`: by the clock that never goes back, for who has just looked. */
export type Release = (nowMs?: number) => void;

export interface FlowControlOptions {
  readonly clock: Clock;
  /** Of the whole server. */
  readonly seats?: number;
}

/** API priority and fairness: who is served now, who waits, and who is sent away. */
export class FlowControl {
  readonly #levels: PriorityLevels;
  readonly #clock: Clock;
  readonly #later: DueList;
  readonly #lingering: LingeringSeats;
  readonly #turns: SharedTurns;
  /** Requests in seats or exempt from them. */
  readonly executing = { reading: 0, mutating: 0 };
  /** Requests in queues. */
  readonly waiting = { reading: 0, mutating: 0 };
  #adjusting: Timer | undefined;
  #flows = new WeakMap<FlowRules, Flow>();

  constructor({ clock, seats = DEFAULT_SEATS }: FlowControlOptions) {
    this.#clock = clock;
    this.#later = new DueList(clock);
    this.#turns = new SharedTurns(clock, TURN_MS);
    this.#lingering = new LingeringSeats(clock, () => this.waiting.reading + this.waiting.mutating > 0);
    this.#levels = new PriorityLevels(seats, this.now());
    this.#adjustLater();
  }

  /** As they are now. */
  get levels(): PriorityLevels {
    this.#lingering.settle(this.#clock.monotonic());
    return this.#levels;
  }

  /** Seconds of the clock that never goes back. */
  now(): number {
    return this.#clock.monotonic() / 1000;
  }

  /** The objects have changed; answers which schemas refer to nothing. */
  configure(levels: readonly PriorityLevelConfiguration[], schemas: readonly FlowSchema[]): readonly SchemaFinding[] {
    this.#flows = new WeakMap();
    return this.levels.configure(levels, schemas, this.now());
  }

  classify(user: UserInfo, info: RequestInfo): Flow {
    const schema = this.#levels.classify(user, info);
    let flow = this.#flows.get(schema);
    if (flow === undefined) this.#flows.set(schema, (flow = new Flow(schema, this.#levels.levelOf(schema))));
    return flow;
  }

  /** Whether the flow's level is at work still. */
  has({ schema, level }: Flow): boolean {
    return this.#levels.all.get(schema.level) === level && !level.quiescing;
  }

  /** Takes seats, at once where there are any. Throws, or rejects with, NoSeatError. */
  enter(request: SeatRequest): Release | Promise<Release> {
    const { flow, user, info, work, watchers } = request;
    const { schema, level } = flow;
    const nowMs = this.#clock.monotonic();
    this.#lingering.settle(nowMs);
    const stats = level.statsOf(schema.name);
    stats.seats.observe(Math.max(work.initialSeats, work.finalSeats));
    if (watchers !== undefined) stats.watchers.observe(watchers);
    const distinguisher = distinguisherOf(schema, user, info);
    const mutating = !READING.has(info.verb);
    const tag: FlowTag = { schema, distinguisher, stats, user, info, mutating, onDispatch: undefined };
    const ticket: FlowTicket = new Ticket(tag, work);
    const refusal = level.queues.arrive(ticket, level.handOf(stats, distinguisher), nowMs / 1000);
    if (refusal !== undefined) throw this.#refused(flow, refusal);
    if (ticket.state === 'waiting') return this.#wait(ticket, request);
    return this.#started(ticket, level);
  }

  /**
   * When a request may run: now (undefined), or in a turn of the event loop of its own. Rejects with NoSeatError where
   * as many wait for theirs as would have room in its queues, and for who waited too long or has gone meanwhile.
   */
  turnOf(request: TurnRequest): Promise<void> | undefined {
    const { flow, user, info } = request;
    const { schema, level } = flow;
    if (level.exempt) return undefined;
    const since = this.now();
    const waiting = this.#turns.take(() => {
      const turnFlow = {
        name: `${schema.name}/${distinguisherOf(schema, user, info)}`,
        level: level.settings.name,
        share: Math.max(1, level.limits.nominal),
      };
      if (!level.hasRoom(this.#turns.waitingOf(turnFlow))) throw this.#refused(flow, 'queue-full');
      level.waitingForTurns++;
      return turnFlow;
    });
    return waiting === undefined ? undefined : this.#waitForTurn(request, waiting, since);
  }

  async #waitForTurn({ flow, waitMs, whenGone }: TurnRequest, turn: Promise<void>, since: number): Promise<void> {
    let isGone = false;
    const forget = whenGone(() => (isGone = true));
    try {
      await turn;
    } finally {
      forget();
    }
    flow.level.waitingForTurns--;
    if (isGone) throw this.#refused(flow, 'cancelled');
    if ((this.now() - since) * 1000 > waitMs) throw this.#refused(flow, 'time-out');
  }

  stop(): void {
    this.#adjusting?.cancel();
    this.#later.stop();
    this.#lingering.stop();
  }

  #wait(ticket: FlowTicket, { flow, waitMs, whenGone }: SeatRequest): Promise<Release> {
    const kind = ticket.tag.mutating ? 'mutating' : 'reading';
    this.waiting[kind]++;
    this.#lingering.hurry();
    return new Promise((resolve, reject) => {
      const leave = (why: 'timedOut' | 'cancelled') => (): void => {
        this.#lingering.settle(this.#clock.monotonic());
        // Its turn may have come with that.
        if (!flow.level.queues.giveUp(ticket, why, this.now())) return;
        over();
        const { stats } = ticket.tag;
        stats.waiting--;
        stats.waitingSeats -= ticket.wantedSeats;
        stats.waited.false.observe(this.now() - ticket.arrivedAt);
        reject(this.#refused(flow, why === 'timedOut' ? 'time-out' : 'cancelled'));
      };
      const forget = [this.#later.after(waitMs, leave('timedOut')), whenGone(leave('cancelled'))];
      const over = (): void => {
        this.waiting[kind]--;
        for (const one of forget) one();
      };
      const start = (): void => {
        over();
        resolve(this.#started(ticket, flow.level));
      };
      ticket.tag.onDispatch = start;
    });
  }

  #started(ticket: FlowTicket, level: PriorityLevel): Release {
    const kind = ticket.tag.mutating ? 'mutating' : 'reading';
    this.executing[kind]++;
    return (nowMs = this.#clock.monotonic()) => {
      if (ticket.state !== 'executing') return;
      this.executing[kind]--;
      this.#finish(ticket, level, nowMs);
    };
  }

  #finish(ticket: FlowTicket, level: PriorityLevel, nowMs: number): void {
    this.#lingering.settle(nowMs);
    const now = nowMs / 1000;
    const { stats, info } = ticket.tag;
    stats.executed[info.verb === 'watch' ? 'watch' : 'regular'].observe(now - ticket.startedAt);
    stats.executing--;
    const { lingerSeconds } = ticket.work;
    if (lingerSeconds <= 0) stats.executingSeats -= ticket.seats;
    level.queues.finish(ticket, now);
    if (lingerSeconds <= 0) return;
    this.#lingering.add({
      at: nowMs + lingerSeconds * 1000,
      release: (atMs) => {
        stats.executingSeats -= ticket.seats;
        level.queues.release(ticket, atMs / 1000);
      },
    });
  }

  #refused({ schema, level }: Flow, reason: Refusal | 'time-out' | 'cancelled'): NoSeatError {
    level.statsOf(schema.name).refuse(reason);
    return new NoSeatError(reason, level.retryAfter.refuse(Math.floor(this.#clock.now() / 1000)));
  }

  #adjustLater(): void {
    const adjust = (): void => {
      this.levels.adjust(this.now());
      this.#adjustLater();
    };
    this.#adjusting = this.#clock.after(ADJUST_MS, adjust, { background: true });
  }
}
