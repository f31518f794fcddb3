import type { Clock, Logger } from '@binnacle/base';
import { AccessReviews } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import type { UserInfo } from '@binnacle/machinery';

/** As long as upstream's components keep what they were told. */
const KEPT_MS = { token: 10_000, allowed: 10_000, denied: 10_000 };
/** Whoever watches over a component may ask how it is: upstream's `--authorization-always-allow-paths`. */
const OPEN_PATHS = ['/healthz', '/readyz', '/livez'];
const ALL_POWERFUL = 'system:masters';
const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Why somebody does not get what they ask for, as an API server would say it. */
export interface AccessRefusal {
  readonly code: number;
  readonly reason: 'Unauthorized' | 'Forbidden' | 'InternalError';
  readonly message: string;
}

/**
 * Who may ask a component that runs alone: as upstream, callers are told apart and judged by the API server (TokenReview,
 * SubjectAccessReview of the path), the groups of a client certificate by its authority.
 */
export class DelegatedAccess {
  readonly #reviews: AccessReviews;
  readonly #log: Logger;

  constructor(of: {
    readonly client: Client;
    readonly clock: Clock;
    readonly log: Logger;
    readonly component: string;
  }) {
    this.#reviews = new AccessReviews({ ...of, keptMs: KEPT_MS });
    this.#log = of.log;
  }

  /** `shown`: whom a certificate names that is believed. Undefined: a token that is nobody's. */
  async authenticate(shown: UserInfo | undefined, authorization: string | undefined): Promise<UserInfo | undefined> {
    if (shown !== undefined) return shown;
    const token = /^Bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]?.trim();
    return token === undefined ? ANONYMOUS : this.#reviews.authenticate(token);
  }

  /** Undefined: they may. */
  async authorize(user: UserInfo, method: string, path: string): Promise<AccessRefusal | undefined> {
    if (OPEN_PATHS.includes(path) || user.groups.includes(ALL_POWERFUL)) return undefined;
    const verb = method.toLowerCase();
    try {
      if (await this.#reviews.allows(user, { nonResourceAttributes: { path, verb } })) return undefined;
    } catch (error) {
      this.#log.error(error, 'Authorization error', { user: user.name, verb, path });
      return { code: 500, reason: 'InternalError', message: 'Internal Server Error: nobody can tell whether you may' };
    }
    const message = `forbidden: User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(path)}`;
    return { code: 403, reason: 'Forbidden', message };
  }
}

/** Whether somebody is known by name. */
export function isAnonymous(user: UserInfo): boolean {
  return user === ANONYMOUS;
}
