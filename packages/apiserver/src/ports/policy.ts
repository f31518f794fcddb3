import type { HttpCaller } from '@binnacle/base';
import type { CertificateRequest } from '@binnacle/certificates';
import type { UserInfo } from '@binnacle/machinery';
import type { AdmissionPlugin } from './admission.ts';
import type { AdmissionChoice } from './admission-choice.ts';
import type { AuthenticationChoice, JwtSettings } from './authentication-settings.ts';
import type { Credentials } from './authentication.ts';
import type { AuthorizerSettings } from './authorization-settings.ts';
import type { Authorizer } from './authorization.ts';
import type { TokenKeys } from './token-keys.ts';

/** How the servers of a cluster know this one. */
export interface ServerIdentity {
  /** Of its Lease in `kube-system`, the same after a restart: `apiserver-…`. */
  readonly name: string;
  readonly hostname: string;
}

/** What an administrator decides about policy. */
export interface PolicyOptions {
  readonly tokenKeys: TokenKeys;
  /** Default `https://kubernetes.default.svc.cluster.local`; also the default audience. */
  readonly issuer?: string;
  /** Default `10.96.0.0/16`. One range, or one of each family. */
  readonly serviceCidrs?: readonly string[];
  /** Default 30000–32767, both included. */
  readonly nodePortRange?: { readonly first: number; readonly last: number };
  /** PEM of the CA that signs client certificates, published in `extension-apiserver-authentication`. */
  readonly clientCa?: string;
  /** PEM of the authority of this server's front-proxy certificate, published with the names of its headers. */
  readonly frontProxyCa?: string;
  /** Absent: no Lease says that this server is there. */
  readonly identity?: ServerIdentity;
  /** What is wrong with the signature of a request for a certificate; absent: signatures are believed. */
  readonly checkRequestSignature?: (request: CertificateRequest) => string | undefined;
  /** How admission webhooks are asked. Absent: they cannot be, and fail as their policy says. */
  readonly http?: HttpCaller;
  /** The feature gate ClusterTrustBundle: who reads and publishes bundles has rights to. Absent: off. */
  readonly trustBundles?: boolean;
  /** Which admission plugins are on and what they are told. Absent: upstream's default. */
  readonly admission?: AdmissionChoice;
  /** Who decides, in order. Absent: Node, then RBAC. */
  readonly authorization?: readonly AuthorizerSettings[];
  /** Who is believed beside certificates and tokens of ServiceAccounts; callers without credentials are welcome unless it says otherwise. */
  readonly authentication?: AuthenticationChoice;
}

/** What of policy may become another while the server runs. */
export interface AccessChanges {
  /**
   * Tokens of these issuers from now on, once the keys of all are known; of a policy that was given issuers, or none for
   * now (`jwt: []`). Rejects with what was left as it was where one of them cannot be asked within a minute.
   */
  believe(jwt: readonly JwtSettings[], signal: AbortSignal): Promise<void>;
  /** These decide from now on. */
  decideBy(authorizers: readonly AuthorizerSettings[]): void;
}

/** Who may do what, and what an object has to be: the pipeline asks it, in the order of the fields. */
export interface AccessControl {
  /** Always answers: anonymous last. Throws `unauthorized`. */
  authenticate(credentials: Credentials, path?: string): UserInfo | Promise<UserInfo>;
  readonly authorizer: Authorizer;
  /** In upstream's order; the mutating pass runs them all, then the validating pass. */
  readonly admission: readonly AdmissionPlugin[];
  /** Bodies of `/.well-known/openid-configuration` and `/openid/v1/jwks`. */
  readonly openid: { readonly configuration: object; readonly keys: object };
}
