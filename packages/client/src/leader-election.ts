import { assert, formatMicroTime, jitter, messageOf, NO_FIGURES, sleep } from '@binnacle/base';
import type { CountFigure, Fence, FigureMeasures, GaugeFigure, Scope } from '@binnacle/base';
import { status } from '@binnacle/machinery';
import { LEASES } from '@binnacle/api';
import type { Lease } from '@binnacle/api/coordination/v1';
import type { Term } from './fenced-wire.ts';
import type { Client, ClientWorld, ResourceClient } from './ports.ts';

/** Which Lease, who stands for it, and the election's three times. */
export interface LeaderElectionOptions {
  readonly client: Client;
  readonly world: ClientWorld;
  readonly namespace: string;
  /** The Lease that all candidates share. */
  readonly name: string;
  /** Unique among the candidates. */
  readonly identity: string;
  /** How long others wait after the last renewal they saw. Default 15 s. */
  readonly leaseMs?: number;
  /** How long the leader tries to renew before it gives up. Default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Default 2 s. */
  readonly retryMs?: number;
  /** Who is told `leader_election_…`. Absent: nobody. */
  readonly figures?: FigureMeasures;
}

/** How an election goes for one who stands in it. */
export interface Election {
  readonly isLeader: boolean;
  /** Why its process should not be trusted any more; undefined: it may be, as leader or as one who waits. */
  trouble(): string | undefined;
}

/** A leader that does not renew should have ended long ago; so long after its Lease ran out it is said that it did not. */
const OVERDUE_MS = 20_000;

/**
 * One term of leadership: what happens in it belongs to `scope`, which closes when the Lease is lost. Writes that go
 * through `createFencedWire` with `term` do not outlive it either.
 */
export type Lead = (scope: Scope, term: Term) => void;

/**
 * Stands for election until the scope closes. Each term runs `lead`; when the Lease cannot be renewed in time the
 * term's scope is closed and, after that, the candidate stands again. A clean end releases the Lease.
 * Other candidates' clocks are not trusted: what counts is how long ago *we* saw the Lease change.
 */
export function runLeaderElection(options: LeaderElectionOptions, scope: Scope, lead: Lead): Election {
  const candidate = new Candidate(options);
  scope.run(`leader election ${options.name}`, async (signal) => {
    while (!signal.aborted) {
      await candidate.acquire(signal);
      candidate.tellStatus(1);
      const term = scope.child(`term of ${options.name}`);
      lead(term, candidate.term(term.signal));
      try {
        await candidate.hold(signal);
      } finally {
        candidate.tellStatus(0);
        await term.close();
        await candidate.release();
      }
    }
  });
  return candidate;
}

class Candidate implements Election {
  readonly #options: LeaderElectionOptions;
  readonly #leases: ResourceClient<Lease>;
  readonly #leaseMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryMs: number;
  #seen: Lease | undefined;
  #seenAt = 0;
  /** As we held the Lease last; another object for every other hold. */
  #fence: Fence | undefined;
  /** Nobody has written what we saw last since we did, as far as we know: a renewal need not read it. */
  #isOurs = false;
  #takingAnew: Promise<void> | undefined;
  readonly #status: GaugeFigure;
  readonly #slowPaths: CountFigure;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    const { figures = NO_FIGURES } = options;
    const labels = ['name'];
    this.#status = figures.gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process leads: 1 while it holds the Lease, 0 while another does.',
      labels,
    });
    this.#slowPaths = figures.counter({
      name: 'leader_election_slowpath_total',
      help: 'How often a leader had to read its Lease before it renewed it.',
      labels,
    });
    this.tellStatus(0);
    this.#leases = options.client.resource(LEASES, options.namespace);
    this.#leaseMs = options.leaseMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryMs = options.retryMs ?? 2_000;
  }

  get isLeader(): boolean {
    return this.#seen?.spec.holderIdentity === this.#options.identity;
  }

  trouble(): string | undefined {
    if (!this.isLeader) return undefined;
    const silentMs = this.#options.world.clock.monotonic() - this.#seenAt;
    if (silentMs <= this.#leaseMs + OVERDUE_MS) return undefined;
    return `failed election to renew leadership on lease ${this.#options.name}`;
  }

  tellStatus(status: 0 | 1): void {
    this.#status.set([this.#options.name], status);
  }

  async acquire(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options.world;
    // A leader that dies says nothing: that its Lease ran out is seen by looking. One that is still ours from a term
    // before is taken anew too, so that what was sent in that term does not arrive in this one.
    while (!(await this.#tryOnce(signal, true))) await sleep(clock, jitter(random, this.#retryMs, 1.2), signal);
  }

  /** Renews; returns when the Lease could not be renewed in time. */
  async hold(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.world;
    let renewed = clock.monotonic();
    while (clock.monotonic() - renewed < this.#renewDeadlineMs) {
      // A Lease is held by writing it again and again.
      await sleep(clock, this.#retryMs, signal);
      if (await this.#tryOnce(signal)) renewed = clock.monotonic();
    }
  }

  /** The hold that `acquire` brought, until the signal aborts. */
  term(signal: AbortSignal): Term {
    const fence = (): Fence => {
      assert(this.#fence !== undefined, 'nobody leads before the Lease is acquired');
      return this.#fence;
    };
    const outlive = async (old: Fence): Promise<void> => {
      while (fence() === old) {
        this.#takingAnew ??= this.#takeAnew(old, signal).finally(() => (this.#takingAnew = undefined));
        await this.#takingAnew;
      }
    };
    return { fence, outlive };
  }

  async #takeAnew(old: Fence, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options.world;
    while (this.#fence === old) {
      // Others hear of it as little as of a renewal; it fails where the write before it failed.
      if (!(await this.#tryOnce(signal, true))) await sleep(clock, jitter(random, this.#retryMs, 1.2), signal);
    }
  }

  /** Lets the next candidate take over at once. */
  async release(): Promise<void> {
    const lease = this.#seen;
    if (lease === undefined || lease.spec.holderIdentity !== this.#options.identity) return;
    this.#seen = undefined;
    this.#isOurs = false;
    const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
    try {
      await this.#leases.update({ ...lease, spec });
    } catch (error) {
      this.#options.world.log.info(2, 'lease not released', { lease: this.#options.name, reason: messageOf(error) });
    }
  }

  /** `anew`: what was sent before is to arrive for nothing from now on. */
  async #tryOnce(signal: AbortSignal, anew = false): Promise<boolean> {
    try {
      return await this.#acquireOrRenew(signal, anew);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // Whatever it is now: it is read before the next try.
      this.#isOurs = false;
      if (!status.isConflict(error)) {
        this.#options.world.log.warn('lease call failed', { lease: this.#options.name, reason: messageOf(error) });
      }
      return false;
    }
  }

  async #acquireOrRenew(signal: AbortSignal, anew: boolean): Promise<boolean> {
    const { name, identity, world } = this.#options;
    const now = formatMicroTime(world.clock.now());
    const wanted = { holderIdentity: identity, leaseDurationSeconds: Math.ceil(this.#leaseMs / 1000), renewTime: now };
    const current = this.#isOurs ? this.#seen : await this.#read(signal);
    if (current === undefined) {
      const spec = { ...wanted, acquireTime: now, leaseTransitions: 0 };
      this.#held(await this.#leases.create({ metadata: { name }, spec }, undefined, { signal }));
      return true;
    }
    const mine = current.spec.holderIdentity === identity;
    if (mine && !this.#isOurs) this.#slowPaths.add([name]);
    if (!mine && (current.spec.holderIdentity ?? '') !== '' && !this.#isStale()) return false;
    const transitions = (current.spec.leaseTransitions ?? 0) + (mine && !anew ? 0 : 1);
    const acquireTime = mine ? (current.spec.acquireTime ?? now) : now;
    const spec = { ...current.spec, ...wanted, acquireTime, leaseTransitions: transitions };
    this.#held(await this.#leases.update({ ...current, spec }, undefined, { signal }));
    return true;
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      const lease = await this.#leases.get(this.#options.name, { signal });
      this.#observe(lease);
      return lease;
    } catch (error) {
      if (status.isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** The Lease is ours. */
  #held(lease: Lease): void {
    this.#observe(lease);
    this.#isOurs = true;
    const { namespace, name, identity: holder } = this.#options;
    const transitions = lease.spec.leaseTransitions ?? 0;
    if (this.#fence?.transitions !== transitions) this.#fence = { namespace, lease: name, holder, transitions };
  }

  #observe(lease: Lease): void {
    if (this.#seen?.metadata.resourceVersion === lease.metadata.resourceVersion) return;
    this.#seen = lease;
    this.#seenAt = this.#options.world.clock.monotonic();
  }

  #isStale(): boolean {
    const duration = (this.#seen?.spec.leaseDurationSeconds ?? 0) * 1000;
    return this.#options.world.clock.monotonic() - this.#seenAt > duration;
  }
}
