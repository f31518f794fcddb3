import type { Clock, Logger, Random } from '@binnacle/base';
import type { UserInfo, Wire } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';
import type { AdmissionPlugin } from './admission.ts';
import type { Credentials } from './authentication.ts';
import type { Authorizer } from './authorization.ts';
import type { VirtualHandler } from './by-hand.ts';
import type { TablePrinter } from './columns.ts';
import type { GuaranteedUpdate } from './guaranteed-update.ts';
import type { CacheReader } from './reader.ts';
import type { Strategy } from './strategy.ts';
import type { TokenKeys } from './token-keys.ts';

/** What policy is handed when the API server is put together. */
export interface PolicyWorld {
  readonly cache: CacheReader;
  /** Calls into the server's own pipeline as `system:apiserver` (system:masters). May be called only after start. */
  readonly loopback: Wire;
  readonly update: GuaranteedUpdate;
  /** For what is no object: the record of node ports. */
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
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
  /** Default true: callers without credentials are `system:anonymous`. */
  readonly anonymous?: boolean;
}

/** All of policy put together (createPolicy in policy.ts); the pipeline asks it, in the order of the fields. */
export interface Policy {
  /** Always answers: anonymous last. Throws `unauthorized`. */
  authenticate(credentials: Credentials): UserInfo | Promise<UserInfo>;
  readonly authorizer: Authorizer;
  /** In upstream's order; the mutating pass runs them all, then the validating pass. */
  readonly admission: readonly AdmissionPlugin[];
  /** By `resource[/subresource]` with the group after a dot: `pods/binding`, `tokenreviews.authentication.k8s.io`. */
  readonly virtual: ReadonlyMap<string, VirtualHandler>;
  /** By `pods`, `deployments.apps`. */
  readonly printers: ReadonlyMap<string, TablePrinter>;
  /** To be joined with the kind's own strategy, by `services`. */
  readonly allocations: ReadonlyMap<string, Pick<Strategy, 'allocate' | 'release'>>;
  /** Writes what a cluster starts with, skipping what exists; call when the pipeline runs, before `/readyz` says yes. */
  bootstrap(server: { readonly addresses: readonly string[]; readonly port: number }): Promise<void>;
  /** Bodies of `/.well-known/openid-configuration` and `/openid/v1/jwks`. */
  readonly openid: { readonly configuration: unknown; readonly keys: unknown };
  close(): void;
}
