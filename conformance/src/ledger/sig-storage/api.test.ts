/** Storage resources whose behaviour is their verbs: what a CSI driver and an administrator write and read. */
import assert from 'node:assert/strict';
import { apiOperations, assertDiscovered, gone, requests, writeAgain } from '../api-operations.ts';
import type { Tested } from '../api-operations.ts';
import { behaviours } from '../world.ts';

const V1 = 'storage.k8s.io/v1';
interface Row extends Tested {
  readonly codename: string;
}
const cluster = { groupVersion: V1, namespaced: false };
const persistentVolume = {
  capacity: { storage: '1Gi' },
  accessModes: ['ReadWriteOnce'],
  persistentVolumeReclaimPolicy: 'Retain',
  csi: { driver: 'e2e-fake-csi-driver', volumeHandle: 'e2e-conformance' },
};

const ROWS: readonly Row[] = [
  {
    ...cluster,
    codename: '[sig-storage] CSIInlineVolumes should run through the lifecycle of a CSIDriver [Conformance]',
    resource: 'csidrivers',
    kind: 'CSIDriver',
    draft: () => ({ spec: { attachRequired: true, podInfoOnMount: true, volumeLifecycleModes: ['Ephemeral'] } }),
  },
  {
    ...cluster,
    codename: '[sig-storage] CSINodes CSI Conformance should run through the lifecycle of a csinode [Conformance]',
    resource: 'csinodes',
    kind: 'CSINode',
    draft: () => ({ spec: { drivers: [{ name: 'e2e-driver', nodeID: 'e2e-node', topologyKeys: null }] } }),
  },
  {
    ...cluster,
    codename:
      '[sig-storage] StorageClasses CSI Conformance should run through the lifecycle of a StorageClass [Conformance]',
    resource: 'storageclasses',
    kind: 'StorageClass',
    draft: () => ({ provisioner: 'e2e-fake-provisioner', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  },
  {
    ...cluster,
    codename:
      '[sig-storage] VolumeAttachment Conformance should run through the lifecycle of a VolumeAttachment [Conformance]',
    resource: 'volumeattachments',
    kind: 'VolumeAttachment',
    draft: (n) => ({
      spec: { attacher: 'e2e-attacher', nodeName: 'e2e-node', source: { persistentVolumeName: `pv-${n}` } },
    }),
  },
  {
    ...cluster,
    codename:
      '[sig-storage] VolumeAttachment Conformance should apply changes to a volumeattachment status [Conformance]',
    resource: 'volumeattachments',
    kind: 'VolumeAttachment',
    draft: (n) => ({
      spec: { attacher: 'e2e-attacher', nodeName: 'e2e-node', source: { persistentVolumeName: `pv-s-${n}` } },
    }),
    status: { attached: true },
    isStatusAlone: true,
  },
  {
    ...cluster,
    codename:
      '[sig-storage] VolumeAttributesClass [FeatureGate:VolumeAttributesClass] should run through the lifecycle of a VolumeAttributesClass [Conformance]',
    resource: 'volumeattributesclasses',
    kind: 'VolumeAttributesClass',
    draft: () => ({ driverName: 'e2e-fake-csi-driver', parameters: { foo: 'bar' } }),
  },
];

behaviours('simulated', 'storage resources', (check) => {
  for (const row of ROWS) {
    check(row.codename, async (world) => {
      await assertDiscovered(world, row.groupVersion, [row.resource]);
      await apiOperations(world, row);
    });
  }

  check('[sig-storage] CSIInlineVolumes should support CSIVolumeSource in Pod API [Conformance]', async (world) => {
    const api = requests(world, `/api/v1/namespaces/${world.namespace}/pods`);
    const csi = { driver: 'e2e.example.com', volumeAttributes: { foo: 'bar' } };
    // A scheduler that is not there: this is about the API, and no driver of this name runs.
    await api.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'pod-csi-inline-volumes', labels: { ledger: world.namespace } },
      spec: {
        schedulerName: 'nobody',
        containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
        volumes: [{ name: 'v', csi }],
      },
    });
    const { spec } = await api.get('pod-csi-inline-volumes');
    assert.partialDeepStrictEqual(spec, { volumes: [{ name: 'v', csi }] });
    const listed = await api.list(`ledger=${world.namespace}`, '/api/v1/pods');
    assert.equal(listed.items.length, 1);
    await api.delete('pod-csi-inline-volumes');
    await gone(api, 'pod-csi-inline-volumes');
  });

  const volumes = (world: { namespace: string }, n: number) => {
    const name = `${world.namespace}-${n}`;
    return {
      pv: {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name, labels: { ledger: world.namespace } },
        spec: { ...persistentVolume, storageClassName: name },
      },
      pvc: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: `pvc-${n}`, labels: { ledger: world.namespace } },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: `${name}-other`,
          resources: { requests: { storage: '1Gi' } },
        },
      },
    };
  };

  check(
    '[sig-storage] PersistentVolumes CSI Conformance should run through the lifecycle of a PV and a PVC [Conformance]',
    async (world) => {
      const pvs = requests(world, '/api/v1/persistentvolumes');
      const pvcs = requests(world, `/api/v1/namespaces/${world.namespace}/persistentvolumeclaims`);
      const first = volumes(world, 1);
      const [pv, pvc] = [await pvs.create(first.pv), await pvcs.create(first.pvc)];
      assert.equal((await pvs.list(`ledger=${world.namespace}`)).items.length, 1);
      assert.equal((await pvcs.list()).items.length, 1);
      const [pvName, pvcName] = [pv.metadata.name ?? '', pvc.metadata.name ?? ''];
      assert.equal(
        (await pvs.patch(pvName, { metadata: { labels: { patched: 'yes' } } })).metadata.labels?.['patched'],
        'yes',
      );
      assert.equal(
        (await pvcs.patch(pvcName, { metadata: { labels: { patched: 'yes' } } })).metadata.labels?.['patched'],
        'yes',
      );
      assert.equal((await pvs.get(pvName)).metadata.uid, pv.metadata.uid);
      assert.equal((await pvcs.get(pvcName)).metadata.uid, pvc.metadata.uid);
      await pvcs.delete(pvcName);
      await pvs.delete(pvName);
      await gone(pvcs, pvcName);
      await gone(pvs, pvName);
      const second = volumes(world, 2);
      const [pv2, pvc2] = [await pvs.create(second.pv), await pvcs.create(second.pvc)];
      const labelled = (thing: typeof pv) => ({
        ...thing,
        metadata: { ...thing.metadata, labels: { ...thing.metadata.labels, updated: 'yes' } },
      });
      // The binder writes phases whenever it comes to them.
      for (const [api, { metadata }] of [
        [pvs, pv2],
        [pvcs, pvc2],
      ] as const) {
        const updated = await writeAgain(async () => api.update(labelled(await api.get(metadata.name ?? ''))));
        assert.equal(updated.metadata.labels?.['updated'], 'yes');
      }
      await pvcs.deleteCollection('updated=yes');
      await pvs.deleteCollection(`updated=yes,ledger=${world.namespace}`);
      await gone(pvcs, pvc2.metadata.name ?? '');
      await gone(pvs, pv2.metadata.name ?? '');
    },
  );
});
