import { createTimeFormatter } from '@binnacle/base';
import type { Clock, Logger, Random } from '@binnacle/base';
import type { Store } from '@binnacle/store';
import { Feed } from './cache/feed.ts';
import { CauseTable } from './storage/causes.ts';
import type { Core } from './core.ts';
import { Metrics } from './observe/metrics.ts';
import { InFlight } from './pipeline/flow-control/in-flight.ts';
import { Routes } from './pipeline/routes.ts';
import { createOpenPolicy } from './policy-open.ts';
import type { NodeConnector } from './ports/nodes.ts';
import { LeasePool } from './storage/lease-pool.ts';
import { ResourceTable } from './catalogue/resource-table.ts';
import { Bookmarks } from './cache/bookmarks.ts';
import { Flusher } from './cache/flusher.ts';

/** Builds what steps and verbs share; nothing runs yet. */
export function createCore(options: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly assertions?: boolean;
  readonly nodes?: NodeConnector;
}): Core {
  const { store, clock, random, log } = options;
  const feed = new Feed({ store, clock, log });
  const resources = new ResourceTable({ store, feed, assertions: options.assertions ?? false });
  const flusher = new Flusher(clock);
  return {
    store,
    clock,
    formatTime: createTimeFormatter(),
    random,
    log,
    feed,
    resources,
    leases: new LeasePool(store, clock),
    causes: new CauseTable(),
    metrics: new Metrics(),
    flusher,
    bookmarks: new Bookmarks(clock),
    inFlight: new InFlight(),
    routes: new Routes(),
    policy: createOpenPolicy(),
    nodes: options.nodes,
    state: { ready: false, address: '' },
  };
}
