import type { UserInfo } from '@binnacle/machinery';
import type { RequestInfo } from '../request/info.ts';
import type { FlowRules } from './flow-rules.ts';
import { FlowStats, TimedRatio } from './flow-stats.ts';
import type { LevelLimits, LevelSettings } from './level-settings.ts';
import { QueueSet } from './queue-set.ts';
import type { Ticket } from './fair-queue.ts';
import type { QueueShape } from './queue-set.ts';
import { RetryAfter } from './retry-after.ts';
import { NO_DEMAND, SeatDemand, smooth } from './seat-demand.ts';
import type { SmoothedDemand } from './seat-demand.ts';
import { dealHand, hashFlow } from './shuffle-shard.ts';

const NO_HAND: readonly number[] = [];
const UTILIZATION = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const REQUESTS = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const DEMANDS = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];

/** What is known of a request at its level. */
export interface FlowTag {
  readonly schema: FlowRules;
  readonly distinguisher: string;
  readonly stats: FlowStats;
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly mutating: boolean;
  /** It starts; before it is known to wait, nobody listens. */
  onDispatch: (() => void) | undefined;
}

export type FlowTicket = Ticket<FlowTag>;

/** One priority level at work. */
export class PriorityLevel {
  settings: LevelSettings;
  limits: LevelLimits = { nominal: 0, lowest: 0, highest: 0, seatsMax: undefined };
  /** Its object is gone; what came before is still served. */
  quiescing = false;
  readonly queues: QueueSet<FlowTag>;
  readonly retryAfter = new RetryAfter();
  readonly stats = new Map<string, FlowStats>();
  readonly ratios: { readonly [what in 'seats' | 'executing' | 'waiting' | 'demand']: TimedRatio };
  /** Requests that have no seats yet, for they wait for a turn of the event loop. */
  waitingForTurns = 0;
  demand: SmoothedDemand = NO_DEMAND;
  target = 0;
  /** Virtual times of the last dispatch: of the set, and at which its queue started. */
  readonly lastDispatch = { r: 0, s: 0 };
  readonly #seatDemand: SeatDemand;

  /** `now`: seconds. */
  constructor(settings: LevelSettings, now: number) {
    this.settings = settings;
    this.#seatDemand = new SeatDemand(now);
    this.ratios = {
      seats: new TimedRatio(UTILIZATION, now),
      executing: new TimedRatio(REQUESTS, now),
      waiting: new TimedRatio(REQUESTS, now),
      demand: new TimedRatio(DEMANDS, now),
    };
    this.queues = new QueueSet<FlowTag>(settings.shape, {
      limit: 0,
      now,
      observer: {
        queued,
        dispatched: (ticket) => this.#dispatched(ticket),
        heldBack: ({ tag }) => void tag.stats.heldBack++,
        changed: (at) => this.#changed(at),
      },
    });
  }

  get exempt(): boolean {
    return this.settings.shape.kind === 'exempt';
  }

  get hasQueues(): boolean {
    return this.settings.shape.kind === 'queue';
  }

  /** Whether one more of a flow, of which so many do already, may wait for its turn: as many as find room in queues. */
  hasRoom(ofFlow: number): boolean {
    const { shape } = this.settings;
    // Where there are no queues, whoever waits for a turn has its seats.
    if (shape.kind !== 'queue') return true;
    const { queues, handSize, lengthLimit } = shape;
    return ofFlow < handSize * lengthLimit && this.waitingForTurns < queues * lengthLimit;
  }

  /** The object may have changed. */
  configure(settings: LevelSettings, now: number): void {
    if (!sameShape(this.settings.shape, settings.shape)) for (const stats of this.stats.values()) stats.forgetHands();
    this.settings = settings;
    this.quiescing = false;
    this.queues.configure(settings.shape, now);
  }

  /** The queues among which this flow of a schema may choose. */
  handOf({ schema, hands }: FlowStats, distinguisher: string): readonly number[] {
    const { shape } = this.settings;
    if (shape.kind !== 'queue') return NO_HAND;
    let hand = hands.get(distinguisher);
    if (hand === undefined) {
      hand = dealHand(hashFlow(schema, distinguisher), shape.queues, shape.handSize);
      hands.set(distinguisher, hand);
    }
    return hand;
  }

  statsOf(schema: string): FlowStats {
    let stats = this.stats.get(schema);
    if (stats === undefined) this.stats.set(schema, (stats = new FlowStats(schema)));
    return stats;
  }

  /** The period of its demand is over. */
  readDemand(now: number): void {
    this.demand = smooth(this.demand, this.#seatDemand.read(now));
  }

  /** Time that passed without a change counts too. */
  pass(now: number): void {
    for (const ratio of Object.values(this.ratios)) ratio.pass(now);
  }

  #dispatched({ tag, seats, wantedSeats, queue, startedAt, arrivedAt }: FlowTicket): void {
    const { stats } = tag;
    stats.dispatched++;
    stats.executing++;
    stats.executingSeats += seats;
    if (queue !== undefined) {
      this.lastDispatch.r = this.queues.virtual;
      this.lastDispatch.s = queue.nextDispatchR;
      stats.waiting--;
      stats.waitingSeats -= wantedSeats;
    }
    if (!this.exempt) stats.waited.true.observe(startedAt - arrivedAt);
    tag.onDispatch?.();
  }

  #changed(now: number): void {
    const { queues, ratios, settings } = this;
    this.#seatDemand.set(queues.demand, now);
    const { limit } = queues;
    ratios.seats.set(queues.seatsInUse, limit, now);
    ratios.executing.set(queues.executing, limit, now);
    ratios.demand.set(queues.demand, limit, now);
    if (settings.shape.kind !== 'queue') return;
    ratios.waiting.set(queues.waiting, settings.shape.queues * settings.shape.lengthLimit, now);
  }
}

function queued({ tag, wantedSeats }: FlowTicket, queueLength: number): void {
  tag.stats.waiting++;
  tag.stats.waitingSeats += wantedSeats;
  tag.stats.queueLength.observe(queueLength);
}

function sameShape(a: QueueShape, b: QueueShape): boolean {
  if (a.kind !== 'queue' || b.kind !== 'queue') return a.kind === b.kind;
  return a.queues === b.queues && a.handSize === b.handSize;
}
