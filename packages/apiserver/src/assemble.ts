import { DEFAULT_FEATURES, NAMESPACES } from '@binnacle/api';
import { layFoundation } from './foundation.ts';
import type { Foundation } from './foundation.ts';
import { defineKinds } from './kinds/define.ts';
import { Metrics } from './observe/metrics.ts';
import { Standing } from './observe/standing.ts';
import type { ApiServerOptions } from './options.ts';
import { assembleFlow } from './pipeline/flow-control/assemble-flow.ts';
import type { FlowAssembly } from './pipeline/flow-control/assemble-flow.ts';
import { createOwnCalls } from './own-calls.ts';
import { Pipeline } from './pipeline/pipeline.ts';
import { Routes } from './pipeline/routes.ts';
import { createServe } from './pipeline/serve.ts';
import { createOpenPolicy } from './policy-open.ts';
import { buildOf, mountDocuments, mountObservation } from './routes.ts';
import { AdmissionChain } from './verbs/admission.ts';
import { serveTrace } from './trace/trace-group.ts';
import { createVerbs } from './verbs/verbs.ts';

/** An API server put together, not running. Only its maker and tests see it whole. */
export interface Assembly {
  readonly foundation: Foundation;
  readonly pipeline: Pipeline;
  readonly flow: FlowAssembly;
  readonly metrics: Metrics;
  readonly flowObjects: ReturnType<FlowAssembly['follow']>;
  readonly policy: ReturnType<ReturnType<typeof createOpenPolicy>['join']>;
  readonly standing: Standing;
  readonly own: ReturnType<typeof createOwnCalls>;
  /** Ends the streams of the trace. */
  readonly closeTrace: () => void;
  /** Starts when the caches stand. */
  readonly customKinds: ReturnType<typeof defineKinds>;
}

/**
 * Puts the server together from the ground up, each part with what it needs: store and caches, policy, verbs, the
 * pipeline, and then, because some of them call the server themselves, the kinds. Nothing is patched in afterwards.
 */
export function assemble(options: ApiServerOptions): Assembly {
  const { clock, random, log, nodes, audit } = options;
  const metrics = new Metrics(clock, options);
  const foundation = layFoundation(options, metrics);
  const { store, schemas, catalogue, caches, recorder, aggregation } = foundation;
  const access =
    options.policy?.({ cache: caches, store, clock, random, log, ...metrics.ofPolicy }) ?? createOpenPolicy();
  const admission = new AdmissionChain(access.admission, (name) => caches.get(NAMESPACES, '', name), {
    metrics,
    isTraced: recorder.on,
  });
  const { authorizer } = access;
  const { verbs, changer, ownership } = createVerbs({ ...foundation, admission, authorizer, clock, random });
  const routes = new Routes();
  const serve = createServe({ catalogue, verbs, routes, passOn: (exchange) => aggregation.serve(exchange) });
  const flow = assembleFlow(clock, catalogue, options.seats);
  const pipeline = new Pipeline({ access, aggregation, audit, flow, serve, metrics, recorder, clock, random, log });
  const own = createOwnCalls({ pipeline, calls: metrics.calls, catalogue, changer, random });
  const flowObjects = flow.follow({ ...own, cache: caches, clock, log });
  const policy = access.join(own);
  const customKinds = defineKinds(catalogue, {
    ...own,
    log,
    verbs,
    changer,
    ownership,
    measures: metrics.admission,
    streams: metrics.streams,
    admission,
    schemas,
    cache: caches,
    store,
    clock,
    nodes,
    random,
    ...outwardOf(options),
    more: policy.behaviours,
    ...askedFor(options),
  });
  const closeTrace = serveTrace(catalogue, {
    ...foundation,
    authorizer: access.authorizer,
    clock,
    mayPause: options.pauses ?? false,
  });
  const standing = new Standing();
  const build = buildOf(options);
  mountDocuments(routes, { catalogue, aggregation, schemas, standing, build, openid: access.openid, clock });
  const { causes, feed } = foundation;
  mountObservation(routes, {
    catalogue,
    metrics,
    control: flow.control,
    auditor: pipeline.auditor,
    clock,
    feed,
    causes,
    standing,
    store,
    log,
    build,
    ...observed(options),
  });
  return { foundation, pipeline, flow, metrics, flowObjects, policy, standing, own, closeTrace, customKinds };
}

/** What of the process there is to be seen, and to be set. */
function observed({
  flags = new Map(),
  profiling = true,
  processMetrics = () => [],
  healthChecks = () => [],
}: ApiServerOptions) {
  return { flags, profiling, processMetrics, healthChecks };
}

/** Whom kinds ask, and how. */
function outwardOf({ components, http, passing, webSockets }: ApiServerOptions) {
  return { components, http, passing, webSockets };
}

/** What people ask of kinds: what is served by request, what is left out otherwise, how long Events live. */
function askedFor({ onRequest = [], features = DEFAULT_FEATURES, eventTtlSeconds }: ApiServerOptions) {
  return { onRequest, features, eventTtlSeconds };
}
