import type { ResourceInfo } from '@binnacle/api';
import { TRACE_GROUP, TRACE_VERSION } from '@binnacle/trace';
import type { Pauses } from '@binnacle/trace';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { CacheReader } from '../ports/reader.ts';
import type { AnyCall, ComputedDefinition, Handlers } from '../catalogue/definition.ts';
import { answerExplanations } from './explanations.ts';
import { takeReport } from './hop-reports.ts';
import { hopStream } from './hop-stream.ts';
import { listHops } from './hops.ts';
import { OwnHops } from './own-hops.ts';
import { PauseRequests } from './pause-requests.ts';
import { PulledStreams } from './pulled-streams.ts';
import { listRevisions } from './revisions.ts';
import type { RevisionsWorld } from './revisions.ts';
import { TRACE_STRUCTS } from './schema.ts';
import { TraceIndex } from './trace-index.ts';

/** What the group is served with. */
export interface TraceGroupWorld extends Omit<RevisionsWorld, 'index'> {
  readonly caches: Pick<CacheReader, 'get'>;
  readonly pauses: Pauses;
  /** Whether people may hold components. */
  readonly mayPause: boolean;
}

/** Serves the group; what comes back ends its streams. A server that keeps no trace serves it too, and says so. */
export function serveTrace(catalogue: Catalogue, given: TraceGroupWorld): () => void {
  const world = { ...given, index: new TraceIndex(given.recorder, given.clock) };
  const own = new OwnHops(given.caches);
  const streams = new PulledStreams();
  const pauses = new PauseRequests(given.pauses, given.mayPause, given.clock);
  const explain = (call: AnyCall) => answerExplanations(world, call);
  const definitions = [
    definition(
      { resource: 'hops', kind: 'Hop', namespaced: true },
      { list: (call) => listHops(world, call), watch: (call) => streams.open(call, hopStream(world, call)) },
    ),
    definition(
      { resource: 'revisions', kind: 'Revision', namespaced: true },
      { list: (call) => listRevisions(world, call) },
    ),
    definition({ resource: 'explanations', kind: 'Explanation', namespaced: true }, { get: explain, list: explain }),
    definition(
      { resource: 'hopreports', kind: 'HopReport', namespaced: false },
      { create: (call) => takeReport({ ...world, own }, call) },
    ),
    definition(
      { resource: 'pauses', kind: 'Pause', namespaced: false },
      {
        get: (call) => pauses.get(call),
        list: (call) => pauses.list(call),
        watch: (call) => pauses.watch(call),
        update: (call) => pauses.update(call),
        patch: (call) => pauses.patch(call),
        delete: (call) => pauses.delete(call),
      },
    ),
  ];
  for (const one of definitions) catalogue.add(one);
  return () => {
    given.pauses.close();
    pauses.close();
    streams.close();
  };
}

type Names = Pick<ResourceInfo, 'resource' | 'kind' | 'namespaced'>;

function definition({ resource, kind, namespaced }: Names, handlers: Handlers<AnyCall>): ComputedDefinition {
  const info: ResourceInfo = {
    group: TRACE_GROUP,
    version: TRACE_VERSION,
    resource,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    namespaced,
    shortNames: [],
    categories: [],
    verbs: Object.keys(handlers).toSorted(),
    subresources: [],
    schema: `${TRACE_GROUP}.${TRACE_VERSION}.${kind}`,
    virtual: true,
    storagePrefix: '',
    storage: { group: TRACE_GROUP, version: TRACE_VERSION, kind },
  };
  const structs = resource === 'hops' ? { structs: TRACE_STRUCTS } : {};
  return { kind: 'computed', name: `${resource}.${TRACE_GROUP}`, versions: [{ info, handlers }], ...structs };
}
