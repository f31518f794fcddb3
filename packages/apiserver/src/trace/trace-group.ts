import type { ResourceInfo } from '@binnacle/api';
import { TRACE_GROUP, TRACE_VERSION } from '@binnacle/trace';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { AnyCall, ComputedDefinition, Handlers } from '../catalogue/definition.ts';
import { answerExplanations } from './explanations.ts';
import { takeReport } from './hop-reports.ts';
import { HopStreams } from './hop-stream.ts';
import { listHops } from './hops.ts';
import { listRevisions } from './revisions.ts';
import type { RevisionsWorld } from './revisions.ts';
import { TRACE_STRUCTS } from './schema.ts';
import { TraceIndex } from './trace-index.ts';

/** Serves the group; what comes back ends its streams. A server that keeps no trace serves it too, and says so. */
export function serveTrace(catalogue: Catalogue, given: Omit<RevisionsWorld, 'index'>): () => void {
  const world = { ...given, index: new TraceIndex(given.recorder) };
  const streams = new HopStreams(world);
  const explain = (call: AnyCall) => answerExplanations(world, call);
  const definitions = [
    definition(
      { resource: 'hops', kind: 'Hop', namespaced: true },
      { list: (call) => listHops(world, call), watch: (call) => streams.open(call) },
    ),
    definition(
      { resource: 'revisions', kind: 'Revision', namespaced: true },
      { list: (call) => listRevisions(world, call) },
    ),
    definition({ resource: 'explanations', kind: 'Explanation', namespaced: true }, { get: explain, list: explain }),
    definition(
      { resource: 'hopreports', kind: 'HopReport', namespaced: false },
      { create: (call) => takeReport(world, call) },
    ),
  ];
  for (const one of definitions) catalogue.add(one);
  return () => streams.close();
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
