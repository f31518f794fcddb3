import type { UserInfo } from '@binnacle/machinery';
import type { JsonEndpoint } from './json-endpoint.ts';

/** One issuer whose tokens are believed, as a configuration says. */
export interface JwtSettings {
  readonly issuer: {
    readonly url: string;
    readonly discoveryURL?: string;
    /** PEM. */
    readonly certificateAuthority?: string;
    readonly audiences: readonly string[];
  };
  readonly claimValidationRules?: readonly ClaimRule[];
  readonly claimMappings: {
    readonly username: PrefixedClaim;
    readonly groups?: PrefixedClaim;
    readonly uid?: { readonly claim?: string; readonly expression?: string };
    readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[];
  };
  readonly userValidationRules?: readonly ExpressionRule[];
  /** Algorithms of signatures; absent: RS256. */
  readonly signingAlgorithms?: readonly string[];
}

/** A claim that has to have a value, or an expression that has to be true. */
export interface ClaimRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

export interface ExpressionRule {
  readonly expression: string;
  readonly message?: string;
}

export interface PrefixedClaim {
  readonly claim?: string;
  readonly prefix?: string;
  readonly expression?: string;
}

/** Who may come without credentials: nobody, everybody, or everybody to some paths. */
export interface AnonymousSettings {
  readonly enabled: boolean;
  /** Empty or absent: all. */
  readonly paths?: readonly string[];
}

/** What a configuration of authentication says. */
export interface AuthenticationSettings {
  readonly jwt: readonly JwtSettings[];
  readonly anonymous: AnonymousSettings | undefined;
}

/** Somebody who is asked whose a token is, by a TokenReview of this version. */
export interface TokenWebhook {
  readonly endpoint: JsonEndpoint;
  readonly version: 'v1' | 'v1beta1';
  /** How long an answer holds. Absent: two minutes. */
  readonly cacheTtlMs?: number;
}

/** Which front proxies are believed, and by which headers they name users: upstream's `--requestheader-*`. */
export interface RequestHeaderSettings {
  /** PEM of the authorities that sign the certificates of front proxies. */
  readonly clientCa: string;
  /** Common names of front proxies; empty: any that the authorities vouch for. */
  readonly allowedNames: readonly string[];
  /** The first that has a value counts. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeadersPrefix: readonly string[];
}

/** Who is believed beside certificates and tokens of ServiceAccounts. */
export interface AuthenticationChoice extends Partial<AuthenticationSettings> {
  /** Absent: no issuer is believed, nor will be; empty: none for now. */
  readonly jwt?: AuthenticationSettings['jwt'];
  /** Whose token is whose: upstream's `--token-auth-file`, read. */
  readonly staticTokens?: ReadonlyMap<string, UserInfo>;
  /** Upstream's `--enable-bootstrap-token-auth`. */
  readonly bootstrapTokens?: boolean;
  readonly webhook?: TokenWebhook;
  /** Absent: nobody speaks for others. */
  readonly requestHeaders?: RequestHeaderSettings;
}
