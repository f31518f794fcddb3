import type { Node, Pod } from '@binnacle/api/core/v1';

/** A node for tests: 4 CPUs, 8Gi, 110 pods unless told otherwise. */
export function makeNode(
  name: string,
  spec: {
    cpu?: string;
    memory?: string;
    pods?: string;
    labels?: Record<string, string>;
    taints?: Node['spec']['taints'];
    unschedulable?: boolean;
  } = {},
): Node {
  return {
    metadata: { name, uid: `node-${name}`, labels: { 'kubernetes.io/hostname': name, ...spec.labels } },
    spec: {
      ...(spec.taints ? { taints: spec.taints } : {}),
      ...(spec.unschedulable ? { unschedulable: true } : {}),
    },
    status: { allocatable: { cpu: spec.cpu ?? '4', memory: spec.memory ?? '8Gi', pods: spec.pods ?? '110' } },
  } as Node;
}

/** A pod for tests with one container. */
export function makePod(
  name: string,
  spec: Partial<Pod['spec']> & { cpu?: string; memory?: string; hostPort?: number; created?: string } = {},
): Pod {
  const { cpu, memory, hostPort, ...rest } = spec;
  const requests = { ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) };
  return {
    metadata: { name, namespace: 'default', uid: `pod-${name}` },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'i',
          resources: { requests },
          ...(hostPort === undefined ? {} : { ports: [{ containerPort: hostPort, hostPort, protocol: 'TCP' }] }),
        },
      ],
      schedulerName: 'default-scheduler',
      ...rest,
    },
  } as Pod;
}
