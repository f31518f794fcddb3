import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessModeOf } from './csi-client.ts';

// CSI's specification, VolumeCapability.AccessMode, and upstream's two mappings: for drivers with the capability
// SINGLE_NODE_MULTI_WRITER, and for those without.
for (const [mode, telling, silent] of [
  ['ReadWriteOnce', 'SINGLE_NODE_MULTI_WRITER', 'SINGLE_NODE_WRITER'],
  ['ReadWriteOncePod', 'SINGLE_NODE_SINGLE_WRITER', 'SINGLE_NODE_WRITER'],
  ['ReadOnlyMany', 'MULTI_NODE_READER_ONLY', 'MULTI_NODE_READER_ONLY'],
  ['ReadWriteMany', 'MULTI_NODE_MULTI_WRITER', 'MULTI_NODE_MULTI_WRITER'],
] as const)
  test(`CSI's word for ${mode}`, () =>
    assert.deepEqual([accessModeOf(mode, true), accessModeOf(mode, false)], [telling, silent]));
