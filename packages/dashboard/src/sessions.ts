import { Scope } from '@binnacle/base';
import type { Clock, Random } from '@binnacle/base';
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
  usedMs: number;
}

const SESSIONS_MAX = 64;
const IDLE_MS = 12 * 60 * 60 * 1000;
const CODES_MAX = 16;
const CODE_LIFE_MS = 60 * 60 * 1000;
/** Nobody guesses so many bits. */
const SECRET_BYTES = 32;

/**
 * Who looks at the dashboard. A session is found by a secret that only the viewer's page holds: no cookie, which the
 * browser would send to other ports of the same host too. Bounded: the session that was used longest ago makes room.
 */
export class Sessions {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: Pick<Random, 'bytes'>;
  readonly #held = new Map<string, Held>();
  readonly #codes = new Map<string, { readonly open: () => Promise<Wire>; readonly untilMs: number }>();

  constructor({ clock, random }: { readonly clock: Pick<Clock, 'now'>; readonly random: Pick<Random, 'bytes'> }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** A code that opens one session, once, within an hour: what a link carries. */
  issueCode(open: () => Promise<Wire>): string {
    const oldest = this.#codes.keys().next();
    if (this.#codes.size >= CODES_MAX && oldest.done !== true) this.#codes.delete(oldest.value);
    const code = this.#secret();
    this.#codes.set(code, { open, untilMs: this.#clock.now() + CODE_LIFE_MS });
    return code;
  }

  /** Answers with the secret of the new session; undefined for a code that is wrong, used or too old. */
  async redeem(code: string): Promise<string | undefined> {
    const issued = this.#codes.get(code);
    this.#codes.delete(code);
    if (issued === undefined || issued.untilMs < this.#clock.now()) return undefined;
    return this.start(await issued.open());
  }

  /** Answers with the secret of the new session. */
  async start(wire: Wire): Promise<string> {
    await this.#makeRoom();
    const secret = this.#secret();
    this.#held.set(secret, { wire, scope: new Scope('session'), usedMs: this.#clock.now() });
    return secret;
  }

  /** Counts as a use. */
  find(secret: string): Session | undefined {
    const held = this.#held.get(secret);
    if (held === undefined) return undefined;
    const now = this.#clock.now();
    if (held.usedMs + IDLE_MS < now) return undefined;
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
    await Promise.all([...this.#held.keys()].map((secret) => this.end(secret)));
  }

  /** The map is in the order of use. */
  async #makeRoom(): Promise<void> {
    for (const [secret, { usedMs }] of this.#held) {
      if (this.#held.size < SESSIONS_MAX && usedMs + IDLE_MS >= this.#clock.now()) return;
      await this.end(secret);
    }
  }

  #secret(): string {
    const bytes = this.#random.bytes(SECRET_BYTES);
    return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}
