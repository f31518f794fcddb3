import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { csiAttachmentName, csiVolumeName, parseCsiVolumeName } from './csi-names.ts';

test('an attachment is called by the digest of handle, driver and node, as drivers work it out', () => {
  for (const handle of ['vol-1', 'ü/^', '']) {
    const digest = createHash('sha256').update(`${handle}d.example.orgn1`).digest('hex');
    assert.equal(csiAttachmentName({ driver: 'd.example.org', handle }, 'n1'), `csi-${digest}`);
  }
});

for (const [name, text, expected] of [
  ['a volume', 'kubernetes.io/csi/d.example.org^h', { driver: 'd.example.org', handle: 'h' }],
  ['a handle with the divider', 'kubernetes.io/csi/d^a^b', { driver: 'd', handle: 'a^b' }],
  ['another plugin', 'kubernetes.io/iscsi/x:y', undefined],
  ['no divider', 'kubernetes.io/csi/d', undefined],
] as const) {
  test(`the name of a volume in a node's status: ${name}`, () => {
    assert.deepEqual(parseCsiVolumeName(text), expected);
    if (expected !== undefined) assert.equal(csiVolumeName(expected), text);
  });
}
