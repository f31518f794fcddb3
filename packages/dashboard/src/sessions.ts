import { clientOfUser, messageOf, Scope } from '@binnacle/base';
import type { Clock, Logger, Random, Timer } from '@binnacle/base';
import type { Wire } from '@binnacle/machinery';

/** How a viewer shows who he is. */
export type Login =
  | { readonly kind: 'token'; readonly token: string }
  /** The text of a kubeconfig; its current context counts. */
  | { readonly kind: 'kubeconfig'; readonly kubeconfig: string };

/** Opens the API server with a viewer's own credentials. Throws for credentials that are none. */
export type OpenWire = (login: Login) => Promise<Wire>;

/** One viewer. */
export interface Session {
  readonly wire: Wire;
  /** Ends with the session. */
  readonly scope: Scope;
}

interface Held extends Session {
  readonly owner: string;
  usedMs: number;
}

/** Whom a link of this machine let in; no user is called so. */
export const LINK_OWNER = '';
const SESSIONS_MAX = 64;
const IDLE_MS = 12 * 60 * 60 * 1000;
const CODES_MAX = 16;
const CODE_LIFE_MS = 60 * 60 * 1000;
/** Nobody guesses so many bits. */
const SECRET_BYTES = 32;

/** What sessions need of the world. */
export interface SessionsWorld {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly random: Pick<Random, 'bytes'>;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Who looks at the dashboard. A session is found by a secret that only the viewer's page holds: no cookie, which the
 * browser would send to other ports of the same host too. Bounded: of the owner with the most sessions the one that was
 * used longest ago makes room, so that nobody pushes out all others. One that nobody used for half a day ends by itself,
 * with all that it opened.
 */
export class Sessions {
  readonly #clock: SessionsWorld['clock'];
  readonly #random: SessionsWorld['random'];
  readonly #log: SessionsWorld['log'];
  readonly #held = new Map<string, Held>();
  readonly #codes = new Map<string, { readonly open: () => Promise<Wire>; readonly untilMs: number }>();

  /** When sessions are looked at that nobody used: one timer for all of them. */
  #look: Timer | undefined;

  constructor({ clock, random, log }: SessionsWorld) {
    this.#clock = clock;
    this.#random = random;
    this.#log = log;
  }

  /** A code that opens one session, once, within an hour: what a link carries. */
  issueCode(open: () => Promise<Wire>): string {
    const oldest = this.#codes.keys().next();
    if (this.#codes.size >= CODES_MAX && oldest.done !== true) this.#codes.delete(oldest.value);
    const code = this.#secret();
    this.#codes.set(code, { open, untilMs: this.#clock.monotonic() + CODE_LIFE_MS });
    return code;
  }

  /** Answers with the secret of the new session; undefined for a code that is wrong, used or too old. */
  async redeem(code: string): Promise<string | undefined> {
    const issued = this.#codes.get(code);
    this.#codes.delete(code);
    if (issued === undefined || issued.untilMs < this.#clock.monotonic()) return undefined;
    return this.start(await issued.open(), LINK_OWNER);
  }

  /** Answers with the secret of the new session. `user`: the name by which the API server knows the viewer. */
  async start(wire: Wire, user: string): Promise<string> {
    const owner = clientOfUser(user);
    const secret = this.#secret();
    const scope = new Scope('session');
    this.#held.set(secret, { wire, scope, owner, usedMs: this.#clock.monotonic() });
    this.#lookLater();
    await this.#makeRoom();
    return secret;
  }

  /** Counts as a use. */
  find(secret: string): Session | undefined {
    const held = this.#held.get(secret);
    if (held === undefined) return undefined;
    const now = this.#clock.monotonic();
    if (isIdle(held, now)) return undefined;
    held.usedMs = now;
    this.#held.delete(secret);
    this.#held.set(secret, held);
    return held;
  }

  async end(secret: string): Promise<void> {
    const held = this.#held.get(secret);
    this.#held.delete(secret);
    await held?.scope.close();
    await held?.wire.close();
  }

  async close(): Promise<void> {
    this.#codes.clear();
    this.#look?.cancel();
    await Promise.all([...this.#held.keys()].map((secret) => this.end(secret)));
  }

  async #makeRoom(): Promise<void> {
    const now = this.#clock.monotonic();
    const leaving = this.#idleAt(now);
    if (this.#held.size - leaving.length > SESSIONS_MAX) leaving.push(this.#leastMissed());
    await Promise.all(leaving.map((secret) => this.end(secret)));
  }

  #idleAt(now: number): string[] {
    return [...this.#held].filter(([, held]) => isIdle(held, now)).map(([secret]) => secret);
  }

  /** When the one that was used longest ago (the map is in the order of use) would be over, unless it is used meanwhile. */
  #lookLater(): void {
    const [first] = this.#held.values();
    if (this.#look !== undefined || first === undefined) return;
    // A timer may ring a hair before its moment.
    const delayMs = Math.max(1, Math.ceil(first.usedMs + IDLE_MS - this.#clock.monotonic()));
    this.#look = this.#clock.after(
      delayMs,
      () => {
        this.#look = undefined;
        this.#endIdle().catch((error: unknown) =>
          this.#log.warn('a session could not be ended', { reason: messageOf(error) }),
        );
        this.#lookLater();
      },
      { background: true },
    );
  }

  async #endIdle(): Promise<void> {
    await Promise.all(this.#idleAt(this.#clock.monotonic()).map((secret) => this.end(secret)));
  }

  /** The map is in the order of use, so that the first of an owner is the one that was used longest ago. */
  #leastMissed(): string {
    const counts = new Map<string, number>();
    for (const { owner } of this.#held.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const most = Math.max(...counts.values());
    const found = [...this.#held].find(([, { owner }]) => counts.get(owner) === most);
    return found?.[0] ?? '';
  }

  #secret(): string {
    const bytes = this.#random.bytes(SECRET_BYTES);
    return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}

function isIdle({ usedMs }: Held, now: number): boolean {
  return usedMs + IDLE_MS <= now;
}
