import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '@binnacle/api';
import { UNCOUNTED } from '../ports/measures.ts';
import type { TokenMeasures } from '../ports/measures.ts';
import type { Clock } from '@binnacle/base';
import type { KubeObject, UserInfo } from '@binnacle/machinery';
import type { CacheReader, ResourceRefLike } from '../ports/reader.ts';
import type { AccountTokens, ObjectIdentity, TokenClaims } from './account-tokens.ts';
import { CREDENTIAL_ID, serviceAccountUser } from './users.ts';

/** How long after its deletion began an object still vouches for a token, in milliseconds. */
const DELETION_LEEWAY_MS = 60_000;
const EXTRA = 'authentication.kubernetes.io';

/** A token that holds, and for which of the asked audiences. */
export interface TokenIdentity {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
}

export interface TokenAuthenticator {
  /** Undefined: the token is not ours, has run out, or what it is bound to is gone. */
  identify(token: string, audiences: readonly string[]): TokenIdentity | undefined | Promise<TokenIdentity | undefined>;
}

interface Vouching {
  readonly resource: ResourceRefLike;
  readonly namespace: string;
  readonly identity: ObjectIdentity;
}

/** What is needed to believe tokens of ServiceAccounts. */
export interface AccountTokenWorld {
  readonly cache: CacheReader;
  readonly clock: Clock;
  /** Absent: nobody keeps score. */
  readonly measures?: TokenMeasures;
}

/** Tokens of ServiceAccounts: signed by us, and everything that they are bound to still lives. */
export function createTokenAuthenticator(tokens: AccountTokens, world: AccountTokenWorld): TokenAuthenticator {
  const { cache, clock, measures = UNCOUNTED } = world;
  const vouches = ({ resource, namespace, identity }: Vouching): boolean =>
    lives(cache.get(resource, namespace, identity.name), identity, clock.now());
  // The cache may be behind another API server that made the object a moment ago.
  const vouchesLive = async ({ resource, namespace, identity }: Vouching): Promise<boolean> =>
    lives(await cache.getLive(resource, namespace, identity.name), identity, clock.now());
  // Claims are the same object as long as the token is remembered; so is their user, and what is kept by it.
  const known = new WeakMap<TokenClaims, KnownToken>();
  const judge = (
    claims: TokenClaims | undefined,
    audiences: readonly string[],
  ): TokenIdentity | undefined | Promise<TokenIdentity | undefined> => {
    if (claims === undefined) return undefined;
    let about = known.get(claims);
    // Callers ask about the same audiences again and again, by the same list.
    if (about?.asked !== audiences) known.set(claims, (about = aboutToken(claims, audiences, about)));
    const { identity, vouchers } = about;
    if (identity === undefined) return undefined;
    const believed = (): TokenIdentity => {
      const { warnafter } = claims['kubernetes.io'];
      measures.used(warnafter !== undefined && clock.now() > warnafter * 1000 ? 'stale' : 'valid');
      return identity;
    };
    if (vouchers.every(vouches)) return believed();
    const doubtful = vouchers.filter((needed) => !vouches(needed));
    return Promise.all(doubtful.map(vouchesLive)).then((all) => (all.every(Boolean) ? believed() : undefined));
  };
  return {
    identify(token, audiences) {
      const claims = tokens.read(token);
      return claims instanceof Promise ? claims.then((read) => judge(read, audiences)) : judge(claims, audiences);
    },
  };
}

/** What is the same at each use of a token. */
interface KnownToken {
  readonly asked: readonly string[];
  /** Undefined: it is for none of the audiences asked about. */
  readonly identity: TokenIdentity | undefined;
  readonly user: UserInfo;
  readonly vouchers: readonly Vouching[];
}

function aboutToken(claims: TokenClaims, asked: readonly string[], before: KnownToken | undefined): KnownToken {
  const { user = userOf(claims), vouchers = vouchersOf(claims) } = before ?? {};
  const audiences = claims.aud.filter((audience) => asked.includes(audience));
  return { asked, identity: audiences.length === 0 ? undefined : { user, audiences }, user, vouchers };
}

function vouchersOf(claims: TokenClaims): Vouching[] {
  const { namespace, serviceaccount, pod, secret, node } = claims['kubernetes.io'];
  const all: Vouching[] = [{ resource: SERVICE_ACCOUNTS, namespace, identity: serviceaccount }];
  if (pod !== undefined) all.push({ resource: PODS, namespace, identity: pod });
  if (secret !== undefined) all.push({ resource: SECRETS, namespace, identity: secret });
  // A node beside a pod is only information.
  if (node !== undefined && pod === undefined) all.push({ resource: NODES, namespace: '', identity: node });
  return all;
}

function lives(object: KubeObject | undefined, identity: ObjectIdentity, now: number): boolean {
  if (object === undefined || object.metadata.uid !== identity.uid) return false;
  const deleted = object.metadata.deletionTimestamp;
  return deleted === undefined || Date.parse(deleted) + DELETION_LEEWAY_MS > now;
}

function userOf(claims: TokenClaims): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims['kubernetes.io'];
  const extra: { [key: string]: readonly string[] } = { [CREDENTIAL_ID]: [`JTI=${claims.jti}`] };
  if (pod !== undefined) {
    extra[`${EXTRA}/pod-name`] = [pod.name];
    extra[`${EXTRA}/pod-uid`] = [pod.uid];
  }
  if (node !== undefined) {
    extra[`${EXTRA}/node-name`] = [node.name];
    extra[`${EXTRA}/node-uid`] = [node.uid];
  }
  return { ...serviceAccountUser(namespace, serviceaccount.name, serviceaccount.uid), extra };
}
