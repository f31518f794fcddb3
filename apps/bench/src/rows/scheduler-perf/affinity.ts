import { NAMESPACES } from '@binnacle/api';
import type { Affinity } from '@binnacle/api/core/v1';
import type { Client } from '@binnacle/client';
import type { NodeShape } from '../../fill.ts';
import { createBatch, makeRoom } from './workload.ts';
import type { PodBatch, PodShape, Workload } from './workload.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const oneZone: NodeShape = { labels: () => ({ [ZONE]: 'zone1' }) };
const [INITIAL, MEASURED] = ['sched-0', 'sched-1'];
const TEAM = { team: 'devops' };

interface Term {
  readonly labelSelector: { readonly matchLabels: object };
  readonly topologyKey: string;
}
type Reach = 'namespaces' | 'namespaceSelector';

const colour = (name: string): { readonly color: string } => ({ color: name });

function term(name: string, topologyKey: string, reach: Reach): Term {
  const where =
    reach === 'namespaces' ? { namespaces: [INITIAL, MEASURED] } : { namespaceSelector: { matchLabels: TEAM } };
  return { labelSelector: { matchLabels: colour(name) }, topologyKey, ...where };
}

/** A pod of a colour that must, or would like to, be near or away from those of it. */
function shaped(
  name: string,
  kind: 'podAffinity' | 'podAntiAffinity',
  { wish, key = HOST, reach = 'namespaces' }: { wish: 'required' | 'preferred'; key?: string; reach?: Reach },
): PodShape {
  const one = term(name, key, reach);
  const terms = wish === 'required' ? [one] : [{ weight: 1, podAffinityTerm: one }];
  const affinity = { [kind]: { [`${wish}DuringSchedulingIgnoredDuringExecution`]: terms } } as Affinity;
  return { labels: colour(name), affinity };
}

const AWAY = shaped('green', 'podAntiAffinity', { wish: 'required' });
const NEAR = shaped('blue', 'podAffinity', { wish: 'required', key: ZONE });
const LIKES = shaped('red', 'podAffinity', { wish: 'preferred' });
const DISLIKES = shaped('yellow', 'podAntiAffinity', { wish: 'preferred' });
const IN_ZONE: PodShape = {
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['zone1', 'zone2'] }] }],
      },
    },
  },
};

const first = (count: number, shape: PodShape): PodBatch => ({ count, shape, namespace: INITIAL });
const then = (count: number, shape: PodShape): PodBatch => ({ count, shape, namespace: MEASURED });

async function makeNamespaces(client: Client): Promise<void> {
  const names = [INITIAL, MEASURED, ...Array.from({ length: 100 }, (_, i) => `init-${i}`)];
  await Promise.all(
    names.map((name) => client.resource(NAMESPACES).create({ metadata: { name, labels: TEAM }, spec: {} })),
  );
}

/** The same number of pods in each of a hundred namespaces, known by what they are labelled. */
function bySelector(
  name: string,
  floor: number,
  made: { readonly shape: PodShape; readonly each: number; readonly count: number; readonly nodes?: Workload['nodes'] },
): Workload {
  const { shape, each, count, nodes = {} } = made;
  const initial = Array.from({ length: 100 }, (_, i) => ({ count: each, shape, namespace: `init-${i}` }));
  return { name, floor, nodes, prepare: makeNamespaces, initial, measured: then(count, shape) };
}

const selecting = { reach: 'namespaceSelector' } as const;

export const AFFINITY: readonly Workload[] = [
  {
    name: 'SchedulingPodAntiAffinity',
    floor: 60,
    prepare: makeNamespaces,
    initial: [first(1000, AWAY)],
    measured: then(2000, AWAY),
  },
  {
    name: 'SchedulingPodMatchingAntiAffinity',
    floor: 595,
    prepare: makeNamespaces,
    initial: [first(1000, AWAY)],
    measured: then(5000, { labels: colour('green') }),
  },
  {
    name: 'SchedulingPodAffinity',
    floor: 35,
    nodes: oneZone,
    prepare: makeNamespaces,
    initial: [first(5000, NEAR)],
    measured: then(5000, NEAR),
  },
  {
    name: 'SchedulingPreferredPodAffinity',
    floor: 90,
    prepare: makeNamespaces,
    initial: [first(5000, LIKES)],
    measured: then(5000, LIKES),
  },
  {
    name: 'SchedulingPreferredPodAntiAffinity',
    floor: 90,
    prepare: makeNamespaces,
    initial: [first(5000, DISLIKES)],
    measured: then(5000, DISLIKES),
  },
  {
    name: 'SchedulingNodeAffinity',
    floor: 220,
    nodes: oneZone,
    initial: [{ count: 5000, shape: IN_ZONE }],
    measured: { count: 10_000, shape: IN_ZONE },
  },
  {
    name: 'MixedSchedulingBasePod',
    floor: 140,
    nodes: oneZone,
    prepare: makeNamespaces,
    initial: [{}, NEAR, AWAY, LIKES, DISLIKES].map((shape) => first(2000, shape)),
    measured: then(5000, {}),
  },
  bySelector('SchedulingRequiredPodAntiAffinityWithNSSelector', 24, {
    shape: shaped('green', 'podAntiAffinity', { wish: 'required', ...selecting }),
    each: 40,
    count: 2000,
    nodes: { count: 6000 },
  }),
  bySelector('SchedulingPreferredAntiAffinityWithNSSelector', 55, {
    shape: shaped('yellow', 'podAntiAffinity', { wish: 'preferred', ...selecting }),
    each: 40,
    count: 2000,
  }),
  bySelector('SchedulingRequiredPodAffinityWithNSSelector', 35, {
    shape: shaped('blue', 'podAffinity', { wish: 'required', key: ZONE, ...selecting }),
    each: 50,
    count: 2000,
    nodes: oneZone,
  }),
  bySelector('SchedulingPreferredAffinityWithNSSelector', 90, {
    shape: shaped('red', 'podAffinity', { wish: 'preferred', ...selecting }),
    each: 50,
    count: 5000,
  }),
  {
    name: 'SchedulingGatedPodsWithPodAffinityImpactForThroughput',
    floor: 110,
    nodes: { count: 1 },
    async prepare(client) {
      await makeRoom(client, 'bench-0', '90000');
      const shape = { ...shaped('blue', 'podAffinity', { wish: 'required' }), schedulingGates: [{ name: 'gate-1' }] };
      await createBatch(client, 'gated', { count: 10_000, shape: { ...shape, requests: {} } });
    },
    measured: { count: 20_000, shape: { labels: colour('blue'), requests: {} } },
  },
];
