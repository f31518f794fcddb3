import { CSI_NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '@binnacle/api';
import type { PersistentVolumeSpec } from '@binnacle/api/core/v1';
import type { Client } from '@binnacle/client';
import { until } from '../../fill.ts';
import { inParallel } from '../../pods.ts';
import type { PodBatch, Workload } from './workload.ts';

const DRIVER = 'ebs.csi.aws.com';
const PER_NODE = 39;
const SIZE = { storage: '1Gi' };

type Source = Pick<PersistentVolumeSpec, 'csi' | 'awsElasticBlockStore'>;
const inTree = (i: number): Source => ({ awsElasticBlockStore: { volumeID: `vol-${i}` } });
const byDriver = (i: number): Source => ({ csi: { driver: DRIVER, volumeHandle: `vol-${i}` } });

/** Volumes and claims that are bound to each other, of any storage there is. */
async function makeBound(client: Client, count: number, source: (i: number) => Source): Promise<void> {
  const volumes = client.resource(PERSISTENT_VOLUMES);
  const claims = client.resource(PERSISTENT_VOLUME_CLAIMS, 'default');
  const access = { accessModes: ['ReadOnlyMany'] as const, storageClassName: '' };
  await inParallel(count, async (i) => {
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name: `claim-${i}` };
    const spec = {
      ...access,
      ...source(i),
      capacity: SIZE,
      claimRef,
      persistentVolumeReclaimPolicy: 'Retain' as const,
    };
    await volumes.create({ metadata: { name: `volume-${i}` }, spec });
    const wanted = { ...access, volumeName: `volume-${i}`, resources: { requests: SIZE } };
    await claims.create({ metadata: { name: `claim-${i}` }, spec: wanted });
  });
  const is = ({ status }: { readonly status?: { readonly phase?: string } }): boolean => status?.phase === 'Bound';
  await until(client, { ref: PERSISTENT_VOLUME_CLAIMS, count, is, what: 'claims were bound' });
}

/** How many volumes of the driver each node takes. */
async function limitNodes(client: Client, migrated: boolean): Promise<void> {
  const annotations = migrated ? { 'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/aws-ebs' } : {};
  await inParallel(5000, async (i) => {
    const name = `bench-${i}`;
    const drivers = [{ name: DRIVER, nodeID: name, topologyKeys: [], allocatable: { count: PER_NODE } }];
    await client.resource(CSI_NODES).create({ metadata: { name, annotations }, spec: { drivers } });
  });
}

/** Pods with a claim each, from the n-th on. */
function claiming(count: number, from: number): PodBatch {
  const volume = (i: number) => [{ name: 'vol', persistentVolumeClaim: { claimName: `claim-${from + i}` } }];
  return { count, shape: (i) => ({ volumes: volume(i) }) };
}

interface Volumes {
  readonly before: number;
  readonly count: number;
  readonly source: (i: number) => Source;
  /** Absent: nodes take any number. */
  readonly limited?: 'driver' | 'migrated';
}

function withVolumes(name: string, floor: number, { before, count, source, limited }: Volumes): Workload {
  return {
    name,
    floor,
    async prepare(client) {
      if (limited !== undefined) await limitNodes(client, limited === 'migrated');
      await makeBound(client, before + count, source);
    },
    initial: [claiming(before, 0)],
    measured: claiming(count, before),
  };
}

const SECRET = { volumes: [{ name: 'secret', secret: { secretName: 'secret' } }] };

export const VOLUMES: readonly Workload[] = [
  {
    name: 'SchedulingSecrets',
    floor: 790,
    initial: [{ count: 1000, shape: SECRET }],
    measured: { count: 10_000, shape: SECRET },
  },
  withVolumes('SchedulingInTreePVs', 290, { before: 1000, count: 2000, source: inTree }),
  withVolumes('SchedulingMigratedInTreePVs', 100, { before: 5000, count: 5000, source: inTree, limited: 'migrated' }),
  withVolumes('SchedulingCSIPVs', 100, { before: 5000, count: 5000, source: byDriver, limited: 'driver' }),
];
