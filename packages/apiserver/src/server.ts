import type { Clock, Logger, Random } from '@binnacle/base';
import type { UserInfo, Wire } from '@binnacle/machinery';
import type { Store } from '@binnacle/store';
import { createCacheReader } from './catalogue/cache-reader.ts';
import type { Core } from './core.ts';
import { createCore } from './create-core.ts';
import { createInProcessWire } from './inprocess/wire.ts';
import { answer } from './pipeline/pipeline.ts';
import type { Answer } from './pipeline/pipeline.ts';
import type { NodeConnector } from './ports/nodes.ts';
import type { Policy, PolicyWorld } from './ports/policy.ts';
import { createGuaranteedUpdate } from './verbs/guaranteed-update.ts';
import type { ApiRequest } from './request/api-request.ts';
import { mountRoutes } from './routes.ts';

/** What an API server is made of. Time and chance are guests (law 3). */
export interface ApiServerOptions {
  /** Stays the caller's: `close` of the server does not close it. */
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Builds policy over the caches (createPolicy). Absent: everybody is the administrator. */
  readonly policy?: (world: PolicyWorld) => Policy;
  /** How kubelets are asked, for pods' logs. Absent: they cannot be. */
  readonly nodes?: NodeConnector;
  /** What `/version` says as gitVersion. */
  readonly servedVersion?: string;
  /** Freezes cached objects, so that a write into one fails loudly. On in tests, off in production. */
  readonly assertions?: boolean;
  /** More lines of `/metrics` in Prometheus' text form: the process's own figures. */
  readonly processMetrics?: () => readonly (readonly [name: string, type: string, value: number])[];
}

/** The API server, without a socket: listeners hand it requests, callers in the process get a wire. */
export interface ApiServer {
  /** The wire of a caller in the same process. The identity is believed; everything else is checked. */
  clientAs(user: UserInfo): Wire;
  /** One request through the pipeline; never throws. For listeners. */
  handle(request: ApiRequest): Promise<Answer>;
  /** Writes what every cluster starts with; `/readyz` says yes from then on. */
  bootstrap(server: { readonly addresses: readonly string[]; readonly port: number }): Promise<void>;
  /** What listeners encode replies with. */
  readonly core: Core;
  /** Ends watches and stops reading the store. */
  close(): Promise<void>;
}

/** Whom the server is for its own calls. */
export const LOOPBACK_USER: UserInfo = {
  name: 'system:apiserver',
  groups: ['system:masters', 'system:authenticated'],
};

const DEFAULT_VERSION = 'v1.36.0';

/** Puts the server together; resolves when the eager caches stand and requests can be answered. */
export async function createApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, clock, random, log } = options;
  const core = createCore(options);
  const { feed, resources } = core;
  await feed.start();
  await resources.startEager();
  const loopback = createInProcessWire(core, LOOPBACK_USER);
  const cache = createCacheReader(resources, store);
  const update = createGuaranteedUpdate(core);
  if (options.policy !== undefined)
    core.policy = options.policy({ cache, loopback, update, store, clock, random, log });
  resources.joinAllocations(core.policy.allocations);
  mountRoutes(core, {
    version: options.servedVersion ?? DEFAULT_VERSION,
    ...(options.processMetrics === undefined ? {} : { processMetrics: options.processMetrics }),
  });
  return {
    core,
    clientAs: (user) => createInProcessWire(core, user),
    handle: (request) => answer(core, request),
    async bootstrap(server) {
      core.state.address = `${server.addresses[0] ?? 'localhost'}:${server.port}`;
      await core.policy.bootstrap(server);
      core.state.ready = true;
    },
    async close() {
      core.state.ready = false;
      core.policy.close();
      core.bookmarks.stop();
      feed.stop();
      for (const stored of resources.all()) stored.cache.subscribers.endAll();
      await loopback.close();
    },
  };
}
