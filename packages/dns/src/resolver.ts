import type { Clock, Logger, Random } from '@binnacle/base';
import { AnswersAtHand } from './answers-at-hand.ts';
import type { ClusterZone } from './cluster-zone.ts';
import type { Forwarder } from './forwarder.ts';
import { readForeignAnswers, repeatReply } from './foreign-reply.ts';
import { isWireName, nameBytes } from './names.ts';
import { readQuery } from './query.ts';
import type { Query } from './query.ts';
import { CLASS_IN, RCODE, TYPE } from './records.ts';
import type { Finding, ForeignRecord } from './records.ts';
import { encodeError, encodeReply, RECORDS_MAX, SERVER_FAILURE, TCP_BYTES_MAX, udpLimit } from './reply.ts';

/** Who knows what. */
export interface ResolverOptions {
  readonly zone: ClusterZone;
  readonly forwarder: Forwarder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** How a message came. */
export type Transport = 'udp' | 'tcp';

/** So many aliases of one name are followed: ExternalName Services may point at each other. */
const CHASE_MAX = 4;

/** An answer, and when (milliseconds of the monotonic clock) the same question gets another one; absent: at once. */
interface Made {
  readonly bytes: Uint8Array;
  readonly until?: number;
}

const NONE: Finding = { rcode: RCODE.noError, answers: [], authorities: [], additionals: [] };

/** Answers messages, in this order: what cannot be read or is not served, the cluster's names, everybody else's. */
export class Resolver {
  readonly #options: ResolverOptions;
  /** A name that nobody else knows: when it comes in, our own questions come back to us. */
  #loopProbe: string;
  readonly #atHand = new AnswersAtHand();
  /** What zone and forwarder had been told when those answers were made. */
  #changes = 0;
  #looping = false;

  constructor(options: ResolverOptions) {
    this.#options = options;
    this.#loopProbe = probeName(options.random);
  }

  /** The answer; undefined where none is due. `client`: its address, for what one may ask of others. Never throws. */
  answer(message: Uint8Array, transport: Transport, client: string): Uint8Array | undefined | Promise<Uint8Array> {
    if (transport === 'udp') {
      const known = this.#knownAnswer(message);
      if (known !== undefined) return known;
    }
    const made = this.#make(message, transport, client);
    if (made === undefined || made instanceof Promise) return made;
    if (transport === 'udp' && made.until !== undefined) this.#atHand.keep(message, made.bytes, made.until);
    return made.bytes;
  }

  #knownAnswer(message: Uint8Array): Uint8Array | undefined {
    const { zone, forwarder, clock } = this.#options;
    // Both only rise.
    const changes = zone.changes + forwarder.changes;
    if (changes !== this.#changes) this.#atHand.clear();
    this.#changes = changes;
    return this.#atHand.find(message, clock.monotonic());
  }

  #make(message: Uint8Array, transport: Transport, client: string): Made | undefined | Promise<Uint8Array> {
    const query = readQuery(message);
    if (query === undefined) return undefined;
    if (query.kind === 'bad') return { bytes: encodeError(query) };
    const limit = transport === 'tcp' ? TCP_BYTES_MAX : udpLimit(query);
    const refusal = refusalOf(query);
    if (refusal !== undefined)
      return { bytes: encodeReply(query, { ...NONE, rcode: refusal, authoritative: false }, limit) };
    if (query.name === this.#loopProbe) return { bytes: this.#loops(query, limit) };
    const found = this.#options.zone.find(query.name, query.type);
    if (found === undefined) return this.#forward(query, limit, client);
    const [first] = found.answers;
    if (first?.type === TYPE.CNAME && query.type !== TYPE.CNAME) return this.#chase(query, found, { limit, client });
    const bytes = encodeReply(query, { ...found, first: this.#anyOf(found), authoritative: true }, limit);
    // Several answers come in another order each time.
    return found.answers.length > 1 ? { bytes } : { bytes, until: Number.POSITIVE_INFINITY };
  }

  /**
   * Asks the other servers about a name that only we know. Whether it came back shows in `looping`. To be called again when
   * they are others.
   */
  async probeLoop(): Promise<void> {
    this.#looping = false;
    // What was asked of those before may come back late.
    this.#loopProbe = probeName(this.#options.random);
    if (this.#options.forwarder.upstreams.length === 0) return;
    try {
      await this.#options.forwarder.find(questionOf(this.#loopProbe, TYPE.TXT), '');
    } catch (error) {
      this.#options.log.info(2, 'other name servers do not answer', { reason: String(error) });
    }
  }

  get looping(): boolean {
    return this.#looping;
  }

  #loops(query: Query, limit: number): Uint8Array {
    if (!this.#looping)
      this.#options.log.warn('a name server we ask asks us in turn: names outside the cluster are not forwarded');
    this.#looping = true;
    this.#atHand.clear();
    return encodeReply(query, { ...SERVER_FAILURE, authoritative: false }, limit);
  }

  #forward(query: Query, limit: number, client: string): Made | Promise<Uint8Array> {
    const failed = (): Uint8Array => encodeReply(query, { ...SERVER_FAILURE, authoritative: false }, limit);
    if (this.#looping) return { bytes: failed() };
    const found = this.#options.forwarder.find(query, client);
    if (!(found instanceof Promise)) {
      const { until } = found;
      const bytes = repeatReply(found.reply, query, { ...found, limit });
      return until === undefined ? { bytes } : { bytes, until };
    }
    return found.then(
      (forwarded) => repeatReply(forwarded.reply, query, { ...forwarded, limit }),
      (error: unknown) => {
        this.#options.log.info(2, 'a name could not be asked for', { name: query.name, reason: String(error) });
        return failed();
      },
    );
  }

  /** An alias, with what it leads to where that can be found out; the alias alone where not. */
  async #chase(
    query: Query,
    found: Finding,
    { limit, client }: { readonly limit: number; readonly client: string },
  ): Promise<Uint8Array> {
    const answers: ForeignRecord[] = [...found.answers];
    for (let hops = 0; hops < CHASE_MAX; hops++) {
      const last = answers.at(-1);
      if (last?.type !== TYPE.CNAME || !isWireName(last.target)) break;
      const next = await this.#follow(last.target, query.type, client);
      if (next.length === 0) break;
      for (const one of next.slice(0, RECORDS_MAX)) answers.push(one);
    }
    return encodeReply(query, { ...NONE, answers, authoritative: true }, limit);
  }

  async #follow(target: string, type: number, client: string): Promise<readonly ForeignRecord[]> {
    const own = this.#options.zone.find(target, type);
    if (own !== undefined) {
      const first = this.#anyOf(own);
      return [...own.answers.slice(first), ...own.answers.slice(0, first)];
    }
    if (this.#looping) return [];
    try {
      const found = await this.#options.forwarder.find(questionOf(target, type), client);
      return readForeignAnswers(found.reply, found);
    } catch (error) {
      this.#options.log.info(2, 'an alias could not be followed', { target, reason: String(error) });
      return [];
    }
  }

  /** Addresses begin with another one each time, so that clients that take the first spread. */
  #anyOf({ answers }: Finding): number {
    return answers.length < 2 ? 0 : this.#options.random.uint32() % answers.length;
  }
}

/**
 * Of no zone that anybody has: servers that hand the cluster's names to us, and no others, are in no circle with us. Nor
 * of those that are reserved, to which many a server says no by itself.
 */
function probeName(random: Random): string {
  const part = (): string => random.uint32().toString(36);
  return `${part()}${part()}.loop-${part()}`;
}

function refusalOf({ class: asked, type, edns, name }: Query): number | undefined {
  if (edns !== undefined && edns.version !== 0) return RCODE.badVersion;
  if (asked !== CLASS_IN) return RCODE.refused;
  // Transfers and meta types are nothing that this server serves.
  if (type === TYPE.OPT || (type >= 249 && type <= 254)) return RCODE.notImplemented;
  return name === '' && type === TYPE.ANY ? RCODE.refused : undefined;
}

/** A question of our own. */
function questionOf(name: string, type: number): Query {
  const question = Uint8Array.from([...nameBytes(name), type >> 8, type & 0xff, 0, CLASS_IN]);
  return {
    kind: 'query',
    id: 0,
    recursionDesired: true,
    checkingDisabled: false,
    name,
    type,
    class: CLASS_IN,
    question,
    edns: undefined,
  };
}
