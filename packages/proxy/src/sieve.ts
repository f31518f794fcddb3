import { NetworkError } from '@binnacle/network';

/** What is sieved: things by their ids, made all together. */
export interface Sieved {
  /** Of all that are wanted. */
  ids(): Iterable<string>;
  /** Makes all of them, whatever the machine has, and these as if they gave nobody anything. Throws NetworkError where it is refused. */
  make(closed: ReadonlySet<string>): Promise<void>;
  /** Hears of each that is closed from now on, since the machine refuses it, with what it said. */
  refused(id: string, error: NetworkError): void;
}

/** So often a machine is asked in a row: others wait meanwhile, and what is left has its turn after them. */
const ATTEMPTS_MAX = 64;
const NOTHING: ReadonlySet<string> = new Set();

/** What is closed, and why; undefined: it was not looked at yet, and nobody heard of it. */
type Closed = Map<string, NetworkError | undefined>;

/**
 * Finds out what it is that a machine refuses, by halves, and closes that alone: one bad thing takes nothing from others.
 * It is tried again when it changes, and when all are made anew.
 */
export class Sieve {
  readonly #sieved: Sieved;
  readonly #closed: Closed = new Map();
  /** What came or changed since the machine took everything else. */
  readonly #suspects = new Set<string>();
  /** The machine took everything but what is closed, once. */
  #hasTaken = false;

  constructor(sieved: Sieved) {
    this.#sieved = sieved;
  }

  /** How many are closed. */
  get size(): number {
    return this.#closed.size;
  }

  /** Some are closed that were not looked at yet: `sift` goes on with them. */
  get isUnfinished(): boolean {
    for (const why of this.#closed.values()) if (why === undefined) return true;
    return false;
  }

  /** Makes all, also what was refused before. Throws what the machine says where it takes nothing, or not what it took. */
  async replace(): Promise<void> {
    try {
      await this.#sieved.make(NOTHING);
    } catch (error) {
      for (const id of this.#closed.keys()) this.#suspects.add(id);
      await this.#sift(error);
      return;
    }
    this.#taken(new Map());
  }

  /** These changed; `apply` makes their change alone. */
  async change(ids: Iterable<string>, apply: () => Promise<void>): Promise<void> {
    const changed = [...ids];
    for (const id of changed) this.#suspects.add(id);
    try {
      await apply();
    } catch (error) {
      await this.#sift(error);
      return;
    }
    for (const id of changed) this.#closed.delete(id);
    this.#taken(new Map(this.#closed));
  }

  /** Goes on with what is left. */
  async sift(): Promise<void> {
    for (const [id, why] of this.#closed) if (why === undefined) this.#suspects.add(id);
    await this.#sift(undefined);
  }

  /** `error`: why, where the machine was asked already. */
  async #sift(error: unknown): Promise<void> {
    if (error !== undefined && !(error instanceof NetworkError)) throw error;
    const sifting = this.#sifting(this.#hasTaken ? (id) => this.#suspects.has(id) : () => true);
    if (!this.#hasTaken || (await sifting.isProven())) this.#taken(await sifting.run());
    // What the machine took before is refused now, or it is out of order.
    else this.#taken(await this.#sifting(() => true).run());
  }

  #sifting(isSuspect: (id: string) => boolean): Sifting {
    const sifting = new Sifting(this.#sieved, this.#closed);
    for (const id of this.#sieved.ids()) {
      if (isSuspect(id)) sifting.hold(id);
      else if (this.#closed.has(id)) sifting.keep(id);
    }
    return sifting;
  }

  #taken(closed: Readonly<Closed>): void {
    const before = new Map(this.#closed);
    this.#closed.clear();
    for (const [id, why] of closed) {
      this.#closed.set(id, why);
      if (why !== undefined && before.get(id) === undefined) this.#sieved.refused(id, why);
    }
    this.#suspects.clear();
    this.#hasTaken = true;
  }
}

/** One search. What is held is closed until the machine has taken it. */
class Sifting {
  readonly #sieved: Sieved;
  readonly #before: Readonly<Closed>;
  readonly #held = new Set<string>();
  readonly #suspects: string[] = [];
  readonly #refused: Closed = new Map();
  #attempts = 0;
  /** The machine took what is not held, so that a refusal is one of what was offered. */
  #hasProof = false;
  /** The machine has what the last attempt made. */
  #isMade = false;

  constructor(sieved: Sieved, before: Readonly<Closed>) {
    this.#sieved = sieved;
    this.#before = before;
  }

  hold(id: string): void {
    this.#suspects.push(id);
    this.#held.add(id);
  }

  /** It stays closed as it was. */
  keep(id: string): void {
    this.#refused.set(id, this.#before.get(id));
    this.#held.add(id);
  }

  /** Whether the machine takes everything but what is held. */
  async isProven(): Promise<boolean> {
    try {
      await this.#prove();
      return true;
    } catch (error) {
      if (error instanceof NetworkError) return false;
      throw error;
    }
  }

  /** What is refused, or was not looked at; the machine has all else then. */
  async run(): Promise<Readonly<Closed>> {
    await this.#offer(this.#suspects);
    // Where the last attempt was refused, a driver may have made a part of it.
    await this.#prove();
    return this.#refused;
  }

  /** The machine has everything but what is held. Throws what it says where it does not take that. */
  async #prove(): Promise<void> {
    if (this.#hasProof && this.#isMade) return;
    await this.#sieved.make(new Set(this.#held));
    this.#hasProof = true;
    this.#isMade = true;
  }

  async #offer(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    if (this.#attempts >= ATTEMPTS_MAX) {
      for (const id of ids) this.#refused.set(id, this.#before.get(id));
      return;
    }
    this.#attempts++;
    for (const id of ids) this.#held.delete(id);
    try {
      await this.#sieved.make(new Set(this.#held));
      this.#hasProof = true;
      this.#isMade = true;
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      for (const id of ids) this.#held.add(id);
      this.#isMade = false;
      await this.#divide(ids, error);
    }
  }

  async #divide(ids: readonly string[], error: NetworkError): Promise<void> {
    const [only = ''] = ids;
    if (ids.length === 1) {
      // A machine that takes nothing at all refuses none of them.
      if (!this.#hasProof) await this.#prove();
      this.#refused.set(only, error);
      return;
    }
    const middle = ids.length >> 1;
    await this.#offer(ids.slice(0, middle));
    await this.#offer(ids.slice(middle));
  }
}
