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
    resources?: Record<string, string>;
    images?: NonNullable<Node['status']>['images'];
  } = {},
): Node {
  return {
    metadata: { name, uid: `node-${name}`, labels: { 'kubernetes.io/hostname': name, ...spec.labels } },
    spec: {
      ...(spec.taints ? { taints: spec.taints } : {}),
      ...(spec.unschedulable ? { unschedulable: true } : {}),
    },
    status: {
      allocatable: { cpu: spec.cpu ?? '4', memory: spec.memory ?? '8Gi', pods: spec.pods ?? '110', ...spec.resources },
      ...(spec.images ? { images: spec.images } : {}),
    },
  } as Node;
}

/** A pod for tests with one container. */
export function makePod(
  name: string,
  spec: Partial<Pod['spec']> & { cpu?: string; memory?: string; hostPort?: number } & {
    labels?: Record<string, string>;
    namespace?: string;
    image?: string;
    resources?: Record<string, string>;
  } = {},
): Pod {
  const { cpu, memory, hostPort, labels, namespace = 'default', image = 'i', resources, ...rest } = spec;
  const requests = { ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}), ...resources };
  return {
    metadata: { name, namespace, uid: `pod-${name}`, ...(labels ? { labels } : {}) },
    spec: {
      containers: [
        {
          name: 'c',
          image,
          resources: { requests },
          ...(hostPort === undefined ? {} : { ports: [{ containerPort: hostPort, hostPort, protocol: 'TCP' }] }),
        },
      ],
      schedulerName: 'default-scheduler',
      ...rest,
    },
  } as Pod;
}
