import { SECRETS } from '@binnacle/api';
import type { Secret } from '@binnacle/api/core/v1';
import type { Clock } from '@binnacle/base';
import { readMoment } from '@binnacle/machinery';
import type { CacheReader } from '../ports/reader.ts';
import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';
import { authenticatedUser } from './users.ts';

const NAMESPACE = 'kube-system';
const TYPE = 'bootstrap.kubernetes.io/token';
const FORM = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const DEFAULT_GROUP = 'system:bootstrappers';

/** Tokens with which nodes join: `id.secret`, kept in Secrets of kube-system that may be used for authentication. */
export function createBootstrapTokens(cache: CacheReader, clock: Pick<Clock, 'now'>): TokenAuthenticator {
  return {
    identify(token, audiences) {
      const [, id, secret] = FORM.exec(token) ?? [];
      if (id === undefined || secret === undefined) return undefined;
      const name = `bootstrap-token-${id}`;
      const known = cache.get(SECRETS, NAMESPACE, name) as Secret | undefined;
      if (known !== undefined) return judge(known, { id, secret, audiences, now: clock.now() });
      const live = cache.getLive(SECRETS, NAMESPACE, name) as Promise<Secret | undefined>;
      return live.then((found) => found && judge(found, { id, secret, audiences, now: clock.now() }));
    },
  };
}

interface Claim {
  readonly id: string;
  readonly secret: string;
  readonly audiences: readonly string[];
  readonly now: number;
}

function judge(
  { metadata, type, data = {} }: Secret,
  { id, secret, audiences, now }: Claim,
): TokenIdentity | undefined {
  const text = (field: string): string => (Object.hasOwn(data, field) ? atob(data[field] ?? '') : '');
  if (type !== TYPE || (metadata.deletionTimestamp ?? '') !== '') return undefined;
  if (text('token-id') !== id || !sameText(text('token-secret'), secret)) return undefined;
  if (text('usage-bootstrap-authentication') !== 'true' || isOver(text('expiration'), now)) return undefined;
  const groups = text('auth-extra-groups')
    .split(',')
    .filter((group) => group !== '');
  if (!groups.every((group) => GROUP.test(group))) return undefined;
  const user = authenticatedUser({ name: `system:bootstrap:${id}`, groups: [DEFAULT_GROUP, ...new Set(groups)] });
  return { user, audiences };
}

/** A time that cannot be read is past. */
function isOver(expiration: string, now: number): boolean {
  return expiration !== '' && (readMoment(expiration) ?? now) <= now;
}

/** In the same time however much of it is right. */
function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < b.length; i++) difference |= (a.charCodeAt(i) || 0) ^ b.charCodeAt(i);
  return difference === 0;
}
