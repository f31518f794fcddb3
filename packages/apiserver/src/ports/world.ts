import type { Clock, Logger, Random } from '@binnacle/base';
import type { ResourceInfo } from '@binnacle/api';
import type { GroupVersionKind, Wire } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';
import type { GuaranteedUpdate } from './guaranteed-update.ts';
import type { CacheReader } from './reader.ts';

/** What parts of the server that are not the pipeline may ask for; each picks what it needs. */
export interface ServerWorld extends OwnCalls {
  readonly cache: CacheReader;
  /** For what is no object: the record of node ports. */
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** How the server calls itself. */
export interface OwnCalls {
  /** Calls into the server's own pipeline as `system:apiserver` (system:masters). May be called only after start. */
  readonly loopback: Wire;
  readonly update: GuaranteedUpdate;
  /** The resource of a kind that is served now, Kubernetes' own or custom. */
  readonly findKind: FindKind;
}

/** Undefined: no such kind is served. */
export type FindKind = (kind: GroupVersionKind) => ResourceInfo | undefined;
