import { NAMESPACES, SERVICES } from '@binnacle/api';
import type { NodeShape } from '../../fill.ts';
import type { PodShape, Workload } from './workload.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const BLUE = { color: 'blue' };
const zones: NodeShape = { labels: (i) => ({ [ZONE]: `zone-${i % 3}` }) };

const spread = (whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'): PodShape => ({
  labels: BLUE,
  topologySpreadConstraints: [
    { maxSkew: 5, topologyKey: ZONE, whenUnsatisfiable, labelSelector: { matchLabels: BLUE } },
  ],
});

const INCLUDED: PodShape = {
  labels: BLUE,
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: HOST,
      whenUnsatisfiable: 'DoNotSchedule',
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Honor',
      labelSelector: { matchLabels: BLUE },
    },
  ],
};

export const SPREADING: readonly Workload[] = [
  {
    name: 'TopologySpreading',
    floor: 460,
    nodes: zones,
    initial: [{ count: 5000, shape: {} }],
    measured: { count: 5000, shape: spread('DoNotSchedule') },
  },
  {
    name: 'PreferredTopologySpreading',
    floor: 340,
    nodes: zones,
    initial: [{ count: 5000, shape: {} }],
    measured: { count: 5000, shape: spread('ScheduleAnyway') },
  },
  {
    name: 'DefaultTopologySpreading',
    floor: 160,
    nodes: zones,
    async prepare(client) {
      await client.resource(NAMESPACES).create({ metadata: { name: 'service' }, spec: {} });
      const spec = { selector: BLUE, ports: [{ port: 80 }] };
      await client.resource(SERVICES, 'service').create({ metadata: { name: 'blue' }, spec });
    },
    initial: [{ count: 5000, shape: {} }],
    measured: { count: 50_000, shape: { labels: BLUE, requests: {} }, namespace: 'service' },
  },
  {
    name: 'SchedulingWithNodeInclusionPolicy',
    floor: 270,
    nodes: { taints: (i) => (i < 4000 ? undefined : [{ key: 'foo', effect: 'NoSchedule' }]) },
    measured: { count: 4000, shape: INCLUDED },
  },
];
