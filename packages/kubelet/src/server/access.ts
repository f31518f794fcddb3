import { messageOf } from '@binnacle/base';
import type { Clock, Logger } from '@binnacle/base';
import { timedCause } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import type { UserInfo } from '@binnacle/machinery';
import type { SubjectAccessReview } from '@binnacle/api/authorization/v1';
import type { TokenReview } from '@binnacle/api/authentication/v1';
import { isOpenPath, subresourcesOf } from './paths.ts';

const TOKEN_REVIEWS = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' };
const ACCESS_REVIEWS = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' };

const ALLOWED_MS = 300_000;
const DENIED_MS = 30_000;
const TOKEN_MS = 120_000;
const ENTRIES_MAX = 1_000;

export interface AccessOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** Who asks the kubelet, and whether they may. */
export interface Gatekeeper {
  /** Who comes with neither certificate nor token; absent: nobody may. */
  readonly anonymous?: UserInfo;
  /** The owner of a bearer token; undefined: nobody. */
  authenticate(token: string): Promise<UserInfo | undefined>;
  /** Undefined: they may; else what is answered. */
  authorize(user: UserInfo, method: string, path: string): Promise<AccessRefusal | undefined>;
}

/** Why somebody does not get what they ask for. */
export interface AccessRefusal {
  /** 403: they may not; 500: nobody can tell. */
  readonly status: number;
  readonly text: string;
}

const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/**
 * Of a kubelet without an API server: certificates of its authority may everything; where it has none and listens on
 * loopback only, anybody on the machine may read.
 */
export class LocalAccess implements Gatekeeper {
  readonly anonymous?: UserInfo;

  constructor(readsAreOpen: boolean) {
    if (readsAreOpen) this.anonymous = ANONYMOUS;
  }

  async authenticate(): Promise<undefined> {
    return undefined;
  }

  async authorize(user: UserInfo, method: string, path: string): Promise<AccessRefusal | undefined> {
    if (user !== ANONYMOUS || (method === 'GET' && isOpenPath(path))) return undefined;
    const text = `Forbidden (user=${user.name}, ${method} ${path}): start the kubelet with --client-ca-file for more than reading`;
    return { status: 403, text };
  }
}

/** Who asks the kubelet and whether they may: both are asked of the API server, and kept for a while (bounded). */
export class Access implements Gatekeeper {
  readonly #options: AccessOptions;
  readonly #users = new Map<string, Kept<UserInfo | undefined>>();
  readonly #decisions = new Map<string, Kept<boolean>>();

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** The owner of a bearer token; undefined: nobody. */
  async authenticate(token: string): Promise<UserInfo | undefined> {
    const kept = this.#kept(this.#users, token);
    if (kept !== undefined) return kept.value;
    try {
      const user = await this.#review(token);
      this.#keep(this.#users, token, { value: user, until: this.#options.clock.now() + TOKEN_MS });
      return user;
    } catch (error) {
      this.#options.log.warn('Unable to authenticate a request', { reason: messageOf(error) });
      return undefined;
    }
  }

  async authorize(user: UserInfo, method: string, path: string): Promise<AccessRefusal | undefined> {
    // As upstream: a method that is none of these stands for no verb, which only those have who have all of them.
    const verb = Object.hasOwn(VERBS, method) ? (VERBS[method] ?? '') : '';
    const subresources = subresourcesOf(path);
    const about = `user=${user.name}, verb=${verb}, resource=nodes`;
    for (const subresource of subresources) {
      try {
        if (await this.#allows(user, { verb, subresource })) return undefined;
      } catch (error) {
        this.#options.log.error(error, 'Authorization error', { user: user.name, verb, subresource });
        return { status: 500, text: `Authorization error (${about}, subresource=${subresource})` };
      }
    }
    return { status: 403, text: `Forbidden (${about}, subresource(s)=[${subresources.join(' ')}])` };
  }

  async #allows(user: UserInfo, of: { readonly verb: string; readonly subresource: string }): Promise<boolean> {
    const key = JSON.stringify([user.name, user.groups, of.verb, of.subresource]);
    const kept = this.#kept(this.#decisions, key);
    if (kept !== undefined) return kept.value;
    const isAllowed = await this.#ask(user, of);
    const until = this.#options.clock.now() + (isAllowed ? ALLOWED_MS : DENIED_MS);
    this.#keep(this.#decisions, key, { value: isAllowed, until });
    return isAllowed;
  }

  async #review(token: string): Promise<UserInfo | undefined> {
    const draft = { metadata: {}, spec: { token } };
    const answer = (await this.#options.client.dynamic(TOKEN_REVIEWS).create(
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        ...draft,
      } as never,
      undefined,
      { cause: timedCause(`kubelet ${this.#options.nodeName}`, 'who asks') },
    )) as unknown as TokenReview;
    const user = answer.status?.user;
    if (answer.status?.authenticated !== true || user?.username === undefined) return undefined;
    return { name: user.username, groups: user.groups ?? [], ...(user.uid === undefined ? {} : { uid: user.uid }) };
  }

  async #ask(user: UserInfo, of: { readonly verb: string; readonly subresource: string }): Promise<boolean> {
    const { nodeName, client } = this.#options;
    const resourceAttributes = {
      verb: of.verb,
      group: '',
      version: 'v1',
      resource: 'nodes',
      subresource: of.subresource,
      name: nodeName,
    };
    const answer = (await client.dynamic(ACCESS_REVIEWS).create(
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: {},
        spec: { user: user.name, groups: [...user.groups], resourceAttributes },
      } as never,
      undefined,
      { cause: timedCause(`kubelet ${nodeName}`, 'who may ask') },
    )) as unknown as SubjectAccessReview;
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

const VERBS: { readonly [method: string]: string } = {
  POST: 'create',
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
