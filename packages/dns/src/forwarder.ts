import { ClientCount, hostPort, messageOf } from '@binnacle/base';
import type { ClientBounds, Clock, Logger, Random } from '@binnacle/base';
import { UpstreamError } from './errors.ts';
import { answers, encodeForeignQuery, isTruncated, readForeignReply } from './foreign-reply.ts';
import type { ForeignReply } from './foreign-reply.ts';
import { isBelow } from './names.ts';
import type { Exchange, Upstream } from './ports.ts';
import type { Query } from './query.ts';
import { RCODE } from './records.ts';
import { ReplyCache } from './reply-cache.ts';

/** One server has so long; then the next is asked. A client waits no longer than all of them together. */
const ATTEMPT_MS = 2_000;
const ATTEMPTS_MAX = 3;
/** A server that did not answer is asked last for so long. */
const REST_MS = 5_000;
/** Questions that wait for other servers at once. */
const WAITING_MAX = 2_000;
/** Of these so many for servers that have just not answered: the other places are for those that may. */
const HOPELESS_MAX = 200;
/** Who waits for them: many may want to know the same, and one client takes no more than its part of either. */
const WAITERS: ClientBounds = { max: 5_000, perClientMax: 500 };
/** What stale answers say of their life (RFC 8767, 4). Seconds. */
export const STALE_TTL = 30;

/** Whom to ask about what. */
export interface ForwardingConfig {
  readonly upstreams: readonly Upstream[];
  /** By domain, for the names in it and below; the longest counts. */
  readonly stubs: ReadonlyMap<string, readonly Upstream[]>;
}

/** What a forwarder works with. */
export interface ForwarderOptions {
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Askers that wait at once, in all and of each client. Absent: some thousands. */
  readonly waiters?: ClientBounds;
}

/**
 * What came of asking others: an answer with its age in seconds, `ttl` where that replaces the lives in it; `until` when
 * (milliseconds of the monotonic clock) the same holds, where it was kept.
 */
export interface Forwarded {
  readonly reply: ForeignReply;
  readonly age: number;
  readonly ttl?: number;
  readonly until?: number;
}

/** Asks other servers, keeps what they said, and asks once for however many want to know the same. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #cache: ReplyCache;
  readonly #waiting = new Map<string, Promise<ForeignReply>>();
  readonly #restsUntil = new Map<string, number>();
  #config: ForwardingConfig = { upstreams: [], stubs: new Map() };
  #turn = 0;
  #changes = 0;
  readonly #waiters: ClientCount;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#cache = new ReplyCache(options.clock);
    this.#waiters = new ClientCount(options.waiters ?? WAITERS);
  }

  /** What is known of other servers' answers is forgotten: the new ones may see another world. */
  configure(config: ForwardingConfig): void {
    this.#config = config;
    this.#changes++;
    this.#cache.clear();
    this.#waiting.clear();
    this.#restsUntil.clear();
  }

  get upstreams(): readonly Upstream[] {
    return this.#config.upstreams;
  }

  /** Rises with each configuration. */
  get changes(): number {
    return this.#changes;
  }

  /** At once where the answer is kept. Rejects with UpstreamError, at once where the client has too many that wait. */
  find(query: Query, client: string): Forwarded | Promise<Forwarded> {
    const key = `${query.name} ${query.type} ${query.class} ${query.edns?.dnssecOk === true} ${query.checkingDisabled}`;
    const known = this.#cache.find(key);
    if (known !== undefined && !known.stale) return known;
    if (known === undefined) return this.#wait(key, query, client);
    const old: Forwarded = { reply: known.reply, age: known.age, ttl: STALE_TTL };
    const isHopeless = this.#isHopeless(query.name);
    if (isHopeless && this.#waiting.has(key)) return old;
    const asking = this.#wait(key, query, client).then(
      (asked) => (isUnknowing(asked.reply) ? old : asked),
      () => old,
    );
    // Nobody waits for servers that have just not answered; what they say after all is kept for the next one.
    return isHopeless ? old : asking;
  }

  /** Refuses who would be too many, so that nobody else is: what need not wait is none of them. */
  async #wait(key: string, query: Query, client: string): Promise<Forwarded> {
    if (!this.#waiters.enter(client)) throw new UpstreamError('too many questions are waiting');
    try {
      return { reply: await this.#askOnce(key, query), age: 0 };
    } finally {
      this.#waiters.leave(client);
    }
  }

  #askOnce(key: string, query: Query): Promise<ForeignReply> {
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting;
    const places = this.#waiting.size < HOPELESS_MAX || !this.#isHopeless(query.name) ? WAITING_MAX : HOPELESS_MAX;
    if (this.#waiting.size >= places) return Promise.reject(new UpstreamError('too many questions are waiting'));
    const changes = this.#changes;
    const asking = this.#ask(query).finally(() => {
      if (this.#waiting.get(key) === asking) this.#waiting.delete(key);
    });
    this.#waiting.set(key, asking);
    return asking.then((reply) => {
      // Of servers that are not asked any more: it is for those who waited for it alone.
      if (changes === this.#changes) this.#cache.keep(key, reply);
      return reply;
    });
  }

  async #ask(query: Query): Promise<ForeignReply> {
    const servers = this.#serversFor(query.name);
    let failure: unknown;
    let fallback: ForeignReply | undefined;
    for (const server of servers.slice(0, ATTEMPTS_MAX)) {
      try {
        const reply = await this.#askOne(server, query);
        this.#restsUntil.delete(keyOf(server));
        // One that could not find out, or would not, may have a neighbour that can: so the machine's own programs ask on.
        if (!isUnknowing(reply)) return reply;
        fallback = reply;
      } catch (error) {
        failure = error;
        this.#restsUntil.set(keyOf(server), this.#options.clock.monotonic() + REST_MS);
        this.#options.log.info(2, 'a name server did not answer', { server: keyOf(server), reason: messageOf(error) });
      }
    }
    if (fallback !== undefined) return fallback;
    throw new UpstreamError(servers.length === 0 ? 'no name server to ask' : 'no name server answered', failure);
  }

  async #askOne(server: Upstream, query: Query): Promise<ForeignReply> {
    const { exchange, random } = this.#options;
    const id = random.uint32() & 0xffff;
    const message = encodeForeignQuery(query, id);
    const accepts = (reply: Uint8Array): boolean => answers(reply, query, id);
    let bytes = await exchange.ask(server, message, { stream: false, timeoutMs: ATTEMPT_MS, accepts });
    if (isTruncated(bytes))
      bytes = await exchange.ask(server, message, { stream: true, timeoutMs: ATTEMPT_MS, accepts });
    const reply = readForeignReply(bytes, query);
    if (reply === undefined) throw new UpstreamError(`${keyOf(server)} sent a broken answer`);
    return reply;
  }

  /** In turn, those that rest last. */
  #serversFor(name: string): readonly Upstream[] {
    const servers = this.#upstreamsFor(name);
    const first = servers.length === 0 ? 0 : this.#turn++ % servers.length;
    const late = (server: Upstream): number => (this.#rests(server) ? 1 : 0);
    return [...servers.slice(first), ...servers.slice(0, first)].toSorted((a, b) => late(a) - late(b));
  }

  /** All who could be asked have just not answered. */
  #isHopeless(name: string): boolean {
    return this.#upstreamsFor(name).every((server) => this.#rests(server));
  }

  #rests(server: Upstream): boolean {
    return (this.#restsUntil.get(keyOf(server)) ?? 0) > this.#options.clock.monotonic();
  }

  #upstreamsFor(name: string): readonly Upstream[] {
    return this.#stubFor(name) ?? this.#config.upstreams;
  }

  #stubFor(name: string): readonly Upstream[] | undefined {
    let longest: string | undefined;
    for (const domain of this.#config.stubs.keys())
      if (isBelow(name, domain) && (longest === undefined || domain.length > longest.length)) longest = domain;
    return longest === undefined ? undefined : this.#config.stubs.get(longest);
  }
}

/** It says nothing of the name, but that this server does not tell: as one does whose own way to the others is down. */
function isUnknowing({ rcode }: ForeignReply): boolean {
  return rcode === RCODE.serverFailure || rcode === RCODE.refused || rcode === RCODE.notImplemented;
}

function keyOf({ host, port }: Upstream): string {
  return hostPort(host, port);
}
