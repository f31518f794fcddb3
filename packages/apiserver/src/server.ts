import { SharedTurns } from '@binnacle/base';
import type {
  DeviceMeasures,
  FigureMeasures,
  Gate,
  QueueMeasures,
  RolloutMeasures,
  SchedulerMeasures,
  Trace,
} from '@binnacle/base';
import type { UserInfo, Wire } from '@binnacle/machinery';
import { assemble } from './assemble.ts';
import type { Assembly } from './assemble.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { createInProcessWire } from './inprocess/wire.ts';
import type { ApiServerOptions } from './options.ts';
import type { Answer } from './pipeline/pipeline.ts';
import type { ReplyWorld } from './pipeline/reply-world.ts';
import { UnsentReplies } from './pipeline/unsent-replies.ts';
import type { ApiRequest } from './request/api-request.ts';

/** So much of a turn of the event loop callers in the process have together. */
const CALLS_TURN_MS = 5;

/** The API server, without a socket: listeners hand it requests, callers in the process get a wire. */
export interface ApiServer {
  /** What is served; resources come and go by it while the server runs. */
  readonly catalogue: Catalogue;
  /** The wire of a caller in the same process. The identity is believed; everything else is checked. */
  clientAs(user: UserInfo): Wire;
  /** One request through the pipeline, at once where nothing has to be waited for; a failure is an answer. For listeners. */
  handle(request: ApiRequest): Answer | Promise<Answer>;
  /** Writes what every cluster starts with; `/readyz` says yes from then on. */
  bootstrap(server: { readonly addresses: readonly string[]; readonly port: number }): Promise<void>;
  /** Where components of the same process say what they did. */
  readonly trace: Trace;
  /** Where components of the same process may be held. */
  readonly gate: Gate;
  /** Who keeps score of queues of work in this process, for `/metrics`. */
  readonly queues: QueueMeasures;
  /** Who keeps score of how stateful sets are replaced, likewise. */
  readonly rollouts: RolloutMeasures;
  /** Who keeps the figures of components of this process, likewise. */
  readonly figures: FigureMeasures;
  /** Who keeps score of how pods wait for their devices, likewise. */
  readonly devices: DeviceMeasures;
  /** Who keeps score of schedulers, likewise. */
  readonly schedulers: SchedulerMeasures;
  /** What listeners write replies with. */
  readonly replying: ReplyWorld;
  /** Ends watches and stops reading the store. */
  close(): Promise<void>;
}

/** Puts the server together; resolves when the eager caches stand and requests can be answered. */
export function createApiServer(options: ApiServerOptions): Promise<ApiServer> {
  return startServer(assemble(options), options);
}

/** Starts what was put together. */
export async function startServer(
  assembly: Assembly,
  replying: Pick<ApiServerOptions, 'clock' | 'log'>,
): Promise<ApiServer> {
  const { feed, catalogue, caches, watchers, recorder, pauses, aggregation } = assembly.foundation;
  const { pipeline, policy, standing, own, closeTrace, customKinds, flow, flowObjects, metrics } = assembly;
  const turns = new SharedTurns(replying.clock, CALLS_TURN_MS);
  await feed.start();
  await catalogue.startEager();
  caches.begin();
  standing.finished('caches');
  await customKinds.start();
  standing.finished('customKinds');
  aggregation.start(own);
  standing.finished('aggregation');
  return {
    catalogue,
    trace: recorder,
    gate: pauses,
    queues: metrics.queues,
    rollouts: metrics.controllers.rollouts,
    figures: metrics.controllers.book,
    devices: metrics.schedulers.devices,
    schedulers: metrics.schedulers,
    replying: { clock: replying.clock, log: replying.log, unsent: new UnsentReplies(), figures: metrics.requests },
    clientAs: (user) => createInProcessWire({ pipeline, calls: metrics.calls, turns }, user),
    handle: (request) => pipeline.answer(request),
    async bootstrap(server) {
      standing.reachableAt(`${server.addresses[0] ?? 'localhost'}:${server.port}`);
      await Promise.all([
        policy.bootstrap(server).then(() => standing.finished('firstObjects')),
        flowObjects.start().then(() => standing.finished('flowObjects')),
      ]);
      await aggregation.register(own);
      standing.finished('registration');
    },
    async close() {
      standing.closing();
      closeTrace();
      await customKinds.stop();
      await aggregation.stop();
      await flowObjects.stop();
      flow.control.stop();
      await policy.close();
      watchers.stop();
      feed.stop();
      catalogue.close();
      await own.loopback.close();
      await pipeline.auditor?.close();
    },
  };
}
