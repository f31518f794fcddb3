import { ENDPOINT_SLICES, ENDPOINTS, NODES, PODS } from '@binnacle/api';
import type { Endpoints, Pod, Service } from '@binnacle/api/core/v1';
import type { TestWorld } from './test-world.ts';

export const HTTP = { name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' as const };
export const spec = (app: string, more: Partial<Service['spec']> = {}): Service['spec'] => ({
  selector: { app },
  ports: [HTTP],
  clusterIP: '10.96.0.7',
  ipFamilies: ['IPv4'],
  ...more,
});

interface PodFacts {
  readonly ready?: boolean;
  readonly node?: string;
  readonly app?: string;
  readonly phase?: 'Running' | 'Succeeded';
  readonly going?: boolean;
}

export function seedPod(world: TestWorld, number: number, facts: PodFacts = {}): Pod {
  const { ready = true, node = 'n1', app = 'web', phase = 'Running', going = false } = facts;
  const before = world.api.objects(PODS).find((one) => one.metadata.name === `p${number}`);
  const uid = before === undefined ? {} : { uid: before.metadata.uid ?? '' };
  return world.api.seed(PODS, {
    metadata: {
      name: `p${number}`,
      namespace: 'ns',
      labels: { app },
      ...uid,
      ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 } : {}),
    },
    spec: { containers: [{ name: 'c', image: 'x', ports: [{ name: 'web', containerPort: 9000 }] }], nodeName: node },
    status: {
      phase,
      podIPs: [{ ip: `10.0.${number >> 8}.${number & 255}` }, { ip: `fd00::${number}` }],
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:01Z' }],
    },
  });
}

export function addNode(world: TestWorld, name: string, zone?: string): void {
  const labels = zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone };
  world.api.seed(NODES, { metadata: { name, labels }, spec: {} });
}

export const endpointsOf = (world: TestWorld, name = 'web'): Endpoints | undefined =>
  world.api.objects(ENDPOINTS).find((one) => one.metadata.name === name);
export const slicesOf = (world: TestWorld, name = 'web') =>
  world.api.objects(ENDPOINT_SLICES).filter((one) => one.metadata.labels?.['kubernetes.io/service-name'] === name);
