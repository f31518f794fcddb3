import { schemas as builtInSchemas } from '@binnacle/api';
import { SchemaLayers } from '@binnacle/machinery';
import { Aggregation } from './aggregate/aggregation.ts';
import { Feed } from './cache/feed.ts';
import { Watchers } from './cache/watcher.ts';
import { StandingCaches } from './catalogue/cache-reader.ts';
import { Catalogue } from './catalogue/catalogue.ts';
import type { Store } from '@binnacle/store';
import { Pauses } from '@binnacle/trace';
import type { Metrics } from './observe/metrics.ts';
import type { ApiServerOptions } from './options.ts';
import type { RequestInfo } from './request/info.ts';
import { Recorder, TRACE_BOUNDS } from './recording/recorder.ts';
import { CauseTable } from './storage/causes.ts';
import { LeasePool } from './storage/lease-pool.ts';
import { ResourceKeys } from './storage/resource-keys.ts';
import { TransformingStore } from './storage/transforming-store.ts';
import { Fences } from './verbs/fences.ts';
import { ObjectWriter } from './verbs/write.ts';

/** Everything between the store and the verbs. */
export interface Foundation {
  /** As everybody here uses it: with values in the clear. */
  readonly store: Store;
  /** Of the built-in kinds, with room for those of definitions to come. */
  readonly schemas: SchemaLayers;
  readonly feed: Feed;
  /** Empty at first. */
  readonly catalogue: Catalogue;
  readonly caches: StandingCaches;
  readonly watchers: Watchers;
  /** Counts watches that are open; absent: nobody does. */
  readonly lasting?: (info: RequestInfo) => () => void;
  readonly causes: CauseTable;
  /** Where components of this process wait while people hold them. */
  readonly pauses: Pauses;
  /** Remembers requests, commits, deliveries, and what components say they did. */
  readonly recorder: Recorder;
  readonly writer: ObjectWriter;
  /** Other API servers behind this one. Starts when the caches stand. */
  readonly aggregation: Aggregation;
}

/** Lays it; nothing runs yet. */
export function layFoundation(options: ApiServerOptions, metrics?: Metrics): Foundation {
  const { clock, log } = options;
  const transforming = transformingStore(options, new ResourceKeys(() => catalogue));
  const store = transforming ?? options.store;
  const schemas = new SchemaLayers(builtInSchemas);
  const feed = new Feed({ store, clock, log });
  const catalogue = new Catalogue({ store, feed, schemas, log, assertions: options.assertions ?? false });
  const causes = new CauseTable();
  const recorder = new Recorder(clock, options.trace === false ? undefined : TRACE_BOUNDS);
  const caches = new StandingCaches(catalogue, store);
  const isStale = (value: Uint8Array, key: string): boolean => transforming?.isStale(value, key) === true;
  options.transformer?.follow?.(() => feed.readLost());
  return {
    store,
    schemas,
    feed,
    catalogue,
    caches,
    watchers: new Watchers(clock, feed, recorder),
    ...(metrics === undefined ? {} : { lasting: (info: RequestInfo) => metrics.lasting(info) }),
    causes,
    recorder,
    pauses: new Pauses(clock),
    writer: new ObjectWriter({
      store,
      feed,
      leases: new LeasePool(store, clock),
      causes,
      recorder,
      fences: new Fences(store, catalogue),
      isStale,
      metrics,
    }),
    aggregation: new Aggregation({
      ...options,
      catalogue,
      cache: caches,
      ...(metrics === undefined ? {} : { measures: metrics.availability }),
    }),
  };
}

function transformingStore(options: ApiServerOptions, keys: ResourceKeys): TransformingStore | undefined {
  const { store, transformer, log } = options;
  if (transformer === undefined) return undefined;
  const resourceOf = (key: string): string | undefined => keys.resourceOf(key);
  return new TransformingStore({ store, transformer, resourceOf, log: log.named('encryption') });
}
