import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { differsInStatusAlone, sameForVolumes, sameNotes } from './pod-versions.ts';

const before = testPod({ metadata: { labels: { app: 'web' } } });
const meta = (more: Partial<Pod['metadata']>): Pod => ({ ...before, metadata: { ...before.metadata, ...more } });

const ROWS: readonly (readonly [name: string, after: Pod, alone: boolean])[] = [
  ['another status', { ...meta({ resourceVersion: '11' }), status: { phase: 'Running' } }, true],
  ['the same definition, made anew', structuredClone(before), true],
  ['another generation', meta({ generation: 2 }), false],
  ['another label', meta({ labels: { app: 'db' } }), false],
  ['another annotation', meta({ annotations: { a: 'b' } }), false],
  ['it is to go', meta({ deletionTimestamp: '2026-01-01T00:00:00Z' }), false],
  ['another definition', { ...before, spec: { ...before.spec, activeDeadlineSeconds: 5 } }, false],
];
for (const [name, after, alone] of ROWS)
  test(`versions of a pod: ${name}`, () => assert.equal(differsInStatusAlone(before, after), alone));

const NOTES: readonly (readonly [name: string, after: Pod, same: boolean])[] = [
  ['another status', { ...before, status: { phase: 'Running' } }, true],
  ['no annotations, and none', meta({ annotations: {} }), true],
  ['another label', meta({ labels: { app: 'db' } }), false],
  ['one label more', meta({ labels: { app: 'web', tier: 'front' } }), false],
  ['an annotation', meta({ annotations: { a: 'b' } }), false],
];
for (const [name, after, same] of NOTES)
  test(`notes of a pod: ${name}`, () => assert.equal(sameNotes(before, after), same));

test('the volumes of a pod stay as they are until its notes change, or somebody comes to debug', () => {
  const debugged = { ...before, spec: { ...before.spec, ephemeralContainers: [{ name: 'd', image: 'busybox' }] } };
  assert.equal(sameForVolumes(before, { ...before, status: { phase: 'Running' } }), true);
  assert.equal(sameForVolumes(before, meta({ annotations: { a: 'b' } })), false);
  assert.equal(sameForVolumes(before, debugged), false);
  assert.equal(sameForVolumes(debugged, debugged), true);
});
