import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { PersistentVolumeClaim, Pod } from '@binnacle/api/core/v1';
import { usesClaim } from './uses.ts';

const claim: PersistentVolumeClaim = {
  metadata: { name: 'p-data', namespace: 'ns', ownerReferences: [] },
  spec: {},
};
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };
const owned: PersistentVolumeClaim = { ...claim, metadata: { ...claim.metadata, ownerReferences: [owner] } };
const named = [{ name: 'x', persistentVolumeClaim: { claimName: 'p-data' } }];
const ephemeral = [{ name: 'data', ephemeral: {} }];
const pod = (volumes: Pod['spec']['volumes'], nodeName = 'n1', metadata: Pod['metadata'] = {}): Pod => ({
  metadata: { name: 'p', namespace: 'ns', uid: 'u', ...metadata },
  spec: { containers: [], nodeName, ...(volumes === undefined ? {} : { volumes }) },
});
const going = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };

for (const [name, user, of, expected] of [
  ['named, on a node', pod(named), claim, true],
  ['named, not on a node', pod(named, ''), claim, false],
  ['named, going at once', pod(named, 'n1', going), claim, true],
  ['named, ended', { ...pod(named), status: { phase: 'Succeeded' } }, claim, true],
  ['another claim', pod([{ name: 'x', persistentVolumeClaim: { claimName: 'other' } }]), claim, false],
  ['made for it', pod(ephemeral), owned, true],
  ['made for it, shut down', pod(ephemeral, 'n1', going), owned, false],
  ['made for another of its name', pod(ephemeral, 'n1', { uid: 'other' }), owned, false],
  ['no volumes', pod(undefined), claim, false],
] as const satisfies readonly (readonly [string, Pod, PersistentVolumeClaim, boolean])[]) {
  test(`a pod uses a claim: ${name}`, () => assert.equal(usesClaim(user, of), expected));
}
