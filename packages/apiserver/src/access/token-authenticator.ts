import { NODES, PODS, SECRETS, SERVICE_ACCOUNTS } from '@binnacle/api';
import { UNCOUNTED } from '../ports/measures.ts';
import type { TokenMeasures } from '../ports/measures.ts';
import type { Clock } from '@binnacle/base';
import type { KubeObject, UserInfo } from '@binnacle/machinery';
import type { CacheReader, ResourceRefLike } from '../ports/reader.ts';
import type { AccountTokens, ObjectIdentity, TokenClaims } from './account-tokens.ts';
import type { TokenDoubt } from './token-doubt.ts';
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
  /** Undefined: the token is not ours, has run out, or what it is bound to is gone. `doubt` is for who tells others. */
  identify(
    token: string,
    audiences: readonly string[],
    doubt?: TokenDoubt,
  ): TokenIdentity | undefined | Promise<TokenIdentity | undefined>;
}

interface Vouching {
  readonly resource: ResourceRefLike;
  readonly namespace: string;
  readonly identity: ObjectIdentity;
  /** What messages call it. */
  readonly kind: 'account' | 'secret' | 'pod' | 'node';
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
  const vouchesLive = async (voucher: Vouching, doubt: TokenDoubt | undefined): Promise<boolean> => {
    const { resource, namespace, identity } = voucher;
    const found = await cache.getLive(resource, namespace, identity.name);
    const holds = lives(found, identity, clock.now());
    if (!holds) doubt?.(whyNot(voucher, found));
    return holds;
  };
  // Claims are the same object as long as the token is remembered; so is their user, and what is kept by it.
  const known = new WeakMap<TokenClaims, KnownToken>();
  const judge = (
    claims: TokenClaims | undefined,
    audiences: readonly string[],
    doubt: TokenDoubt | undefined,
  ): TokenIdentity | undefined | Promise<TokenIdentity | undefined> => {
    if (claims === undefined) return undefined;
    let about = known.get(claims);
    // Callers ask about the same audiences again and again, by the same list.
    if (about?.asked !== audiences) known.set(claims, (about = aboutToken(claims, audiences, about)));
    const { identity, vouchers } = about;
    if (identity === undefined) {
      doubt?.(otherAudiences(claims.aud, audiences));
      return undefined;
    }
    const believed = (): TokenIdentity => {
      const { warnafter } = claims['kubernetes.io'];
      measures.used(warnafter !== undefined && clock.now() > warnafter * 1000 ? 'stale' : 'valid');
      return identity;
    };
    if (vouchers.every(vouches)) return believed();
    const doubtful = vouchers.filter((needed) => !vouches(needed));
    const looking = Promise.all(doubtful.map((needed) => vouchesLive(needed, doubt)));
    return looking.then((all) => (all.every(Boolean) ? believed() : undefined));
  };
  return {
    identify(token, audiences, doubt) {
      const claims = tokens.read(token, doubt);
      return claims instanceof Promise
        ? claims.then((read) => judge(read, audiences, doubt))
        : judge(claims, audiences, doubt);
    },
  };
}

/** What is said of a token that is good, for somebody else. */
export function otherAudiences(own: readonly string[], asked: readonly string[]): string {
  return `token audiences ${quoted(own)} is invalid for the target audiences ${quoted(asked)}`;
}

/** As Go prints a list of texts. */
function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}

/** Why what a token is bound to does not vouch for it. */
function whyNot({ kind, namespace, identity }: Vouching, found: KubeObject | undefined): string {
  const uid = found?.metadata.uid ?? '';
  if (kind === 'account') {
    if (found === undefined) return `serviceaccounts ${JSON.stringify(identity.name)} not found`;
    if (uid !== identity.uid) return `service account UID (${uid}) does not match claim (${identity.uid})`;
    return `service account ${namespace}/${identity.name} has been deleted`;
  }
  if (found === undefined || uid === identity.uid) return 'service account token has been invalidated';
  return `${kind} UID (${uid}) does not match service account ${kind} ref claim (${identity.uid})`;
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
  const all: Vouching[] = [{ kind: 'account', resource: SERVICE_ACCOUNTS, namespace, identity: serviceaccount }];
  if (pod !== undefined) all.push({ kind: 'pod', resource: PODS, namespace, identity: pod });
  if (secret !== undefined) all.push({ kind: 'secret', resource: SECRETS, namespace, identity: secret });
  // A node beside a pod is only information.
  if (node !== undefined && pod === undefined)
    all.push({ kind: 'node', resource: NODES, namespace: '', identity: node });
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
