import { SECRETS, SERVICE_ACCOUNTS } from '@binnacle/api';
import { UNCOUNTED } from '../ports/measures.ts';
import type { TokenMeasures } from '../ports/measures.ts';
import type { Secret, ServiceAccount } from '@binnacle/api/core/v1';
import type { Clock } from '@binnacle/base';
import type { CacheReader } from '../ports/reader.ts';
import type { TokenKeys } from '../ports/token-keys.ts';
import { commonAudiences } from './own-audiences.ts';
import { SignedTokens } from './signed-tokens.ts';
import { otherAudiences } from './token-authenticator.ts';
import type { TokenAuthenticator, TokenIdentity } from './token-authenticator.ts';
import type { TokenDoubt } from './token-doubt.ts';
import { serviceAccountUser } from './users.ts';

/** Upstream's issuer of tokens that are kept in secrets and never end. */
const ISSUER = 'kubernetes/serviceaccount';
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
const DAY_MS = 86_400_000;

const ACCOUNT = 'kubernetes.io/serviceaccount/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/serviceaccount/service-account.uid';
const SECRET = 'kubernetes.io/serviceaccount/secret.name';
const NAMESPACE = 'kubernetes.io/serviceaccount/namespace';

interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly [ACCOUNT]: string;
  readonly [ACCOUNT_UID]: string;
  readonly [SECRET]: string;
  readonly [NAMESPACE]: string;
}

/** What signs tokens of accounts that secrets keep (`kubernetes.io/service-account-token`), in upstream's form. */
export function createSecretTokenSigner(
  keys: TokenKeys,
): (about: { readonly account: ServiceAccount; readonly secret: Secret }) => Promise<string> {
  const tokens = new SignedTokens<Claims>(keys, ISSUER);
  return ({ account, secret }) => {
    const { namespace = '', name = '', uid = '' } = account.metadata;
    return tokens.sign({
      iss: ISSUER,
      [NAMESPACE]: namespace,
      [SECRET]: secret.metadata.name ?? '',
      [ACCOUNT]: name,
      [ACCOUNT_UID]: uid,
      sub: `system:serviceaccount:${namespace}:${name}`,
    });
  };
}

/** What is needed to believe tokens in secrets. */
export interface SecretTokenWorld {
  readonly keys: TokenKeys;
  readonly cache: CacheReader;
  readonly clock: Pick<Clock, 'now'>;
  /** Whom they are for: they do not say it. */
  readonly audiences: readonly string[];
  /** Told at most once a day for each token, as long as its secret says so. `day`: `2026-01-31`. */
  readonly noteUse: (secret: Secret, day: string) => void;
  /** Absent: nobody keeps score. */
  readonly measures?: TokenMeasures;
}

/** Believes tokens that secrets keep: signed by us, and still what the secret of a living account says. */
export function createSecretTokens(world: SecretTokenWorld): TokenAuthenticator {
  const { keys, cache, clock, noteUse, audiences: own, measures = UNCOUNTED } = world;
  const tokens = new SignedTokens<Claims>(keys, ISSUER);
  const believe = (found: Found, { audiences, doubt }: Asked): TokenIdentity | undefined => {
    const { claims, secret, account } = found;
    noteDay(secret, clock.now(), noteUse);
    // What the account names was made for it by its controller.
    const isAuto = account.secrets?.some(({ name }) => name === secret.metadata.name) === true;
    if ((secret.metadata.labels?.[INVALID_SINCE] ?? '') !== '') {
      if (isAuto) measures.used('invalidLegacyAuto');
      doubt?.(markedInvalid(claims));
      return undefined;
    }
    measures.used(isAuto ? 'legacyAuto' : 'legacyManual');
    return { user: serviceAccountUser(claims[NAMESPACE], claims[ACCOUNT], claims[ACCOUNT_UID]), audiences };
  };
  const judge = (
    token: string,
    claims: Claims | undefined,
    asked: Asked,
  ): TokenIdentity | undefined | Promise<TokenIdentity | undefined> => {
    if (claims === undefined) return undefined;
    const audiences = commonAudiences(own, asked.audiences);
    if (audiences.length === 0) {
      asked.doubt?.(otherAudiences(own, asked.audiences));
      return undefined;
    }
    const about = { ...asked, audiences };
    const place = claims[NAMESPACE];
    const cached = vouching(token, claims, {
      account: cache.get(SERVICE_ACCOUNTS, place, claims[ACCOUNT]),
      secret: cache.get(SECRETS, place, claims[SECRET]),
    });
    if (cached !== undefined) return believe(cached, about);
    // The cache may be behind another API server that made them a moment ago.
    const live = Promise.all([
      cache.getLive(SERVICE_ACCOUNTS, place, claims[ACCOUNT]),
      cache.getLive(SECRETS, place, claims[SECRET]),
    ]);
    return live.then(([account, secret]) => {
      const found = vouching(token, claims, { account, secret });
      if (found !== undefined) return believe(found, about);
      asked.doubt?.(whyNot(token, claims, { account, secret }));
      return undefined;
    });
  };
  return {
    identify(token, audiences, doubt) {
      const asked = { audiences, doubt };
      const claims = tokens.read(token, doubt);
      if (claims instanceof Promise) return claims.then((read) => judge(token, read, asked));
      return judge(token, claims, asked);
    },
  };
}

interface Asked {
  readonly audiences: readonly string[];
  readonly doubt: TokenDoubt | undefined;
}

interface Found {
  readonly claims: Claims;
  readonly secret: Secret;
  readonly account: ServiceAccount;
}

function vouching(
  token: string,
  claims: Claims,
  { account, secret }: { readonly account: ServiceAccount | undefined; readonly secret: Secret | undefined },
): Found | undefined {
  if (account === undefined || account.metadata.uid !== claims[ACCOUNT_UID]) return undefined;
  if ((account.metadata.deletionTimestamp ?? '') !== '') return undefined;
  if (secret === undefined || (secret.metadata.deletionTimestamp ?? '') !== '') return undefined;
  return holds(secret, token) ? { claims, secret, account } : undefined;
}

function holds({ data = {} }: Secret, token: string): boolean {
  return Object.hasOwn(data, 'token') && atob(data['token'] ?? '') === token;
}

function markedInvalid({ [NAMESPACE]: namespace, [SECRET]: secret, [ACCOUNT]: account }: Claims): string {
  return `the token in secret ${namespace}/${secret} for service account ${namespace}/${account} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`;
}

/** Why what is stored does not vouch for a token that we signed. */
function whyNot(
  token: string,
  claims: Claims,
  { account, secret }: { readonly account: ServiceAccount | undefined; readonly secret: Secret | undefined },
): string {
  const { [NAMESPACE]: namespace, [ACCOUNT]: name, [ACCOUNT_UID]: uid } = claims;
  if (secret === undefined || (secret.metadata.deletionTimestamp ?? '') !== '') return 'Token has been invalidated';
  if (!holds(secret, token)) return "Token does not match server's copy";
  if (account === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`;
  if ((account.metadata.deletionTimestamp ?? '') !== '') return `ServiceAccount ${namespace}/${name} has been deleted`;
  return `ServiceAccount UID (${account.metadata.uid ?? ''}) does not match claim (${uid})`;
}

/** Clocks of several servers may differ: tomorrow is as good as today. */
function noteDay(secret: Secret, nowMs: number, noteUse: SecretTokenWorld['noteUse']): void {
  const day = dayOf(nowMs);
  const known = secret.metadata.labels?.[LAST_USED];
  if (known !== day && known !== dayOf(nowMs + DAY_MS)) noteUse(secret, day);
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
