import type { Clock, Logger, Random } from '@binnacle/base';
import type { Store } from '@binnacle/store';
import type { Feed } from './cache/feed.ts';
import type { CauseTable } from './storage/causes.ts';
import type { InFlight } from './pipeline/flow-control/in-flight.ts';
import type { Routes } from './pipeline/routes.ts';
import type { LeasePool } from './storage/lease-pool.ts';
import type { Metrics } from './observe/metrics.ts';
import type { NodeConnector } from './ports/nodes.ts';
import type { Policy } from './ports/policy.ts';
import type { Flusher } from './cache/flusher.ts';
import type { Bookmarks } from './cache/bookmarks.ts';
import type { ResourceTable } from './catalogue/resource-table.ts';

/** What the steps of the pipeline and the verbs share. Made once by `createApiServer`. */
export interface Core {
  readonly store: Store;
  readonly clock: Clock;
  /** The clock's time as objects carry it. */
  readonly formatTime: (epochMs: number) => string;
  readonly random: Random;
  readonly log: Logger;
  readonly feed: Feed;
  readonly resources: ResourceTable;
  readonly leases: LeasePool;
  readonly causes: CauseTable;
  readonly metrics: Metrics;
  readonly inFlight: InFlight;
  readonly routes: Routes;
  readonly flusher: Flusher;
  readonly bookmarks: Bookmarks;
  /** Absent: no kubelet can be asked. */
  readonly nodes: NodeConnector | undefined;
  /** Whether what a cluster starts with is written, and where clients reach the server (`host:port`). */
  readonly state: { ready: boolean; address: string };
  /** Filled after the caches stand, because policy is built over them. */
  policy: Policy;
}
