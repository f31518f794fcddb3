import { messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import type { TokenReview } from '@binnacle/api/authentication/v1';
import type { SubjectAccessReview, SubjectAccessReviewSpec } from '@binnacle/api/authorization/v1';
import type { UserInfo } from '@binnacle/machinery';
import { timedCause } from './cause.ts';
import type { Client } from './ports.ts';

const TOKEN_REVIEWS = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' };
const ACCESS_REVIEWS = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' };
const ENTRIES_MAX = 1_000;

/** What somebody wants to do: with an object, or below a path. */
export type AskedAccess = Pick<SubjectAccessReviewSpec, 'resourceAttributes' | 'nonResourceAttributes'>;

/** Who asks on behalf of a port, and how long answers hold. */
export interface AccessReviewsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** On whose behalf, as causes name it. */
  readonly component: string;
  /** Milliseconds: whose token it is, what somebody may, and what somebody may not. */
  readonly keptMs: { readonly token: number; readonly allowed: number; readonly denied: number };
}

interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** Who callers of a port are and what they may: both are asked of the API server, and kept for a while (bounded). */
export class AccessReviews {
  readonly #options: AccessReviewsOptions;
  readonly #users = new Map<string, Kept<UserInfo | undefined>>();
  readonly #decisions = new Map<string, Kept<boolean>>();

  constructor(options: AccessReviewsOptions) {
    this.#options = options;
  }

  /** The owner of a bearer token; undefined: nobody, or nobody can tell. */
  async authenticate(token: string): Promise<UserInfo | undefined> {
    const { clock, keptMs, log } = this.#options;
    const kept = this.#kept(this.#users, token);
    if (kept !== undefined) return kept.value;
    try {
      const user = await this.#review(token);
      this.#keep(this.#users, token, { value: user, until: clock.now() + keptMs.token });
      return user;
    } catch (error) {
      log.warn('Unable to authenticate a request', { reason: messageOf(error) });
      return undefined;
    }
  }

  /** Whether somebody may. Rejects where nobody can tell. */
  async allows(user: UserInfo, asked: AskedAccess): Promise<boolean> {
    const { clock, keptMs } = this.#options;
    const key = JSON.stringify([user.name, user.uid, user.groups, user.extra, asked]);
    const kept = this.#kept(this.#decisions, key);
    if (kept !== undefined) return kept.value;
    const isAllowed = await this.#ask(user, asked);
    const until = clock.now() + (isAllowed ? keptMs.allowed : keptMs.denied);
    this.#keep(this.#decisions, key, { value: isAllowed, until });
    return isAllowed;
  }

  async #review(token: string): Promise<UserInfo | undefined> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } };
    const cause = timedCause(this.#options.component, 'who asks');
    const reviews = this.#options.client.dynamic(TOKEN_REVIEWS);
    const answer = (await reviews.create(body as never, undefined, { cause })) as unknown as TokenReview;
    const { authenticated, user } = answer.status ?? {};
    if (authenticated !== true || user?.username === undefined) return undefined;
    const { username: name, groups = [], uid, extra } = user;
    return { name, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
  }

  async #ask({ name, groups, uid, extra }: UserInfo, asked: AskedAccess): Promise<boolean> {
    const more = { ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
    const spec = { user: name, groups: [...groups], ...more, ...asked };
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec };
    const cause = timedCause(this.#options.component, 'who may ask');
    const reviews = this.#options.client.dynamic(ACCESS_REVIEWS);
    const answer = (await reviews.create(body as never, undefined, { cause })) as unknown as SubjectAccessReview;
    return answer.status?.allowed === true;
  }

  #kept<T>(map: Map<string, Kept<T>>, key: string): Kept<T> | undefined {
    const kept = map.get(key);
    return kept !== undefined && kept.until > this.#options.clock.now() ? kept : undefined;
  }

  /** When full, the oldest goes. */
  #keep<T>(map: Map<string, Kept<T>>, key: string, kept: Kept<T>): void {
    map.delete(key);
    const oldest = map.size >= ENTRIES_MAX ? map.keys().next().value : undefined;
    if (oldest !== undefined) map.delete(oldest);
    map.set(key, kept);
  }
}
