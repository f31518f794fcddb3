import assert from 'node:assert/strict';
import { requests, writeAgain } from '../api-operations.ts';
import { behaviours } from '../world.ts';

behaviours('simulated', 'the status of volumes and claims', (check) => {
  check(
    '[sig-storage] PersistentVolumes CSI Conformance should apply changes to a pv/pvc status [Conformance]',
    async (world) => {
      const volumes = requests(world, '/api/v1/persistentvolumes');
      const claims = requests(world, `/api/v1/namespaces/${world.namespace}/persistentvolumeclaims`);
      const shape = {
        accessModes: ['ReadWriteOnce'],
        storageClassName: world.namespace,
      };
      const name = `${world.namespace}-volume`;
      await volumes.create({
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name, labels: { 'e2e-pv-pool': world.namespace } },
        spec: {
          ...shape,
          capacity: { storage: '2Gi' },
          csi: { driver: 'e2e-driver', volumeHandle: 'e2e-status-conformance' },
          persistentVolumeReclaimPolicy: 'Retain',
        },
      });
      await claims.create({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'claim' },
        spec: { ...shape, resources: { requests: { storage: '2Gi' } } },
      });
      assert.equal((await volumes.list(`e2e-pv-pool=${world.namespace}`)).items.length, 1);
      assert.equal((await claims.list()).items.length, 1);
      const phase = (object: { status?: unknown }) => (object.status as { phase?: string }).phase ?? '';
      assert.match(phase(await claims.get('claim', '/status')), /^(Pending|Bound)$/);
      assert.match(phase(await volumes.get(name, '/status')), /^(Available|Bound|Pending)$/);

      const condition = (type: string, reason: string) => ({
        type,
        status: 'True',
        reason,
        message: 'Set from e2e test',
      });
      const conditions = [condition('StatusPatched', 'E2E patchedStatus')];
      const patchedClaim = await claims.patch('claim', { status: { conditions } }, '/status');
      assert.partialDeepStrictEqual(patchedClaim.status, { conditions });
      const patchedVolume = await volumes.patch(
        name,
        { status: { message: 'StatusPatched', reason: 'E2E patchStatus' } },
        '/status',
      );
      assert.partialDeepStrictEqual(patchedVolume.status, { message: 'StatusPatched', reason: 'E2E patchStatus' });

      const updatedClaim = await writeAgain(async () => {
        const seen = await claims.get('claim');
        const before = (seen.status as { conditions?: object[] }).conditions ?? [];
        const after = [...before, condition('StatusUpdated', 'E2E updateStatus')];
        return claims.update({ ...seen, status: { ...(seen.status as object), conditions: after } }, '/status');
      });
      assert.ok(
        (updatedClaim.status as { conditions: { type: string; reason: string }[] }).conditions.some(
          (c) => c.type === 'StatusUpdated' && c.reason === 'E2E updateStatus',
        ),
      );
      const updatedVolume = await writeAgain(async () => {
        const seen = await volumes.get(name);
        const status = { ...(seen.status as object), reason: 'E2E updateStatus', message: 'StatusUpdated' };
        return volumes.update({ ...seen, status }, '/status');
      });
      assert.partialDeepStrictEqual(updatedVolume.status, { reason: 'E2E updateStatus', message: 'StatusUpdated' });
      await claims.delete('claim');
      await volumes.delete(name);
    },
  );
});
