import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Pod } from '@binnacle/api/core/v1';
import { blockedMessage } from './blocked-message.ts';

const pod = (name: string, namespace = 'ns'): Pod => ({
  metadata: { name, namespace },
  spec: { containers: [] },
});

for (const [name, others, expected] of [
  ['nobody is left', [], "Volume is already exclusively attached to one node and can't be attached to another"],
  ['pods beside it', [pod('a'), pod('b')], 'Volume is already used by pod(s) a, b'],
  ['pods elsewhere', [pod('a', 'x')], 'Volume is already used by 1 pod(s) in different namespaces'],
  [
    'both',
    [pod('a'), pod('b', 'x'), pod('c', 'y')],
    'Volume is already used by pod(s) a and 2 pod(s) in different namespaces',
  ],
] as const) {
  test(`who has the volume: ${name}`, () => assert.equal(blockedMessage(pod('waits'), others), expected));
}
