import type { Clock, Logger } from '@binnacle/base';
import { AccessReviews } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import type { UserInfo } from '@binnacle/machinery';
import { isOpenPath, subresourcesOf } from './paths.ts';

const KEPT_MS = { token: 120_000, allowed: 300_000, denied: 30_000 };

export interface AccessOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly log: Logger;
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

/** Who asks the kubelet and whether they may: both are asked of the API server. */
export class Access implements Gatekeeper {
  readonly #options: AccessOptions;
  readonly #reviews: AccessReviews;

  constructor(options: AccessOptions) {
    const { client, nodeName, clock, log } = options;
    this.#options = options;
    this.#reviews = new AccessReviews({ client, clock, log, component: `kubelet ${nodeName}`, keptMs: KEPT_MS });
  }

  authenticate(token: string): Promise<UserInfo | undefined> {
    return this.#reviews.authenticate(token);
  }

  async authorize(user: UserInfo, method: string, path: string): Promise<AccessRefusal | undefined> {
    // As upstream: a method that is none of these stands for no verb, which only those have who have all of them.
    const verb = Object.hasOwn(VERBS, method) ? (VERBS[method] ?? '') : '';
    const subresources = subresourcesOf(path);
    const about = `user=${user.name}, verb=${verb}, resource=nodes`;
    for (const subresource of subresources) {
      const { nodeName: name, log } = this.#options;
      const resourceAttributes = { verb, group: '', version: 'v1', resource: 'nodes', subresource, name };
      try {
        if (await this.#reviews.allows(user, { resourceAttributes })) return undefined;
      } catch (error) {
        log.error(error, 'Authorization error', { user: user.name, verb, subresource });
        return { status: 500, text: `Authorization error (${about}, subresource=${subresource})` };
      }
    }
    return { status: 403, text: `Forbidden (${about}, subresource(s)=[${subresources.join(' ')}])` };
  }
}

const VERBS: { readonly [method: string]: string } = {
  POST: 'create',
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
