import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { PersistentVolumeSpec } from '@binnacle/api/core/v1';
import { providerOf } from './figures.ts';

for (const [spec, wanted] of [
  [{ csi: { driver: 'csi.example.com', volumeHandle: 'h' } }, 'kubernetes.io/csi:csi.example.com'],
  [{ hostPath: { path: '/x' } }, 'kubernetes.io/host-path'],
  [{ local: { path: '/x' } }, 'kubernetes.io/local-volume'],
  [{ nfs: { server: 's', path: '/x' } }, 'kubernetes.io/nfs'],
  [{}, 'N/A'],
] as readonly (readonly [PersistentVolumeSpec, string])[])
  test(`who provides a volume: ${wanted}`, () => assert.equal(providerOf({ metadata: {}, spec }), wanted));
