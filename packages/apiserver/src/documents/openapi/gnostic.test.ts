import { RESOURCES, schemas } from '@binnacle/api';
import assert from 'node:assert/strict';
import test from 'node:test';
import { documentV2 } from './document.ts';
import { encodeGnosticV2 } from './gnostic.ts';

/** Fields of a protobuf message: number → contents, text as bytes. */
function read(bytes: Uint8Array): Map<number, (Uint8Array | number)[]> {
  const fields = new Map<number, (Uint8Array | number)[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++];
      assert.ok(byte !== undefined, 'the message is whole');
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  const content = (): Uint8Array => {
    const end = varint() + at;
    assert.ok(end <= bytes.length, 'the message is whole');
    const part = bytes.subarray(at, end);
    at = end;
    return part;
  };
  while (at < bytes.length) {
    const tag = varint();
    const value = tag % 8 === 0 ? varint() : content();
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value]);
  }
  return fields;
}

const source = { resources: RESOURCES, schemas, version: 'v1.36.0' };

test('the encoded document can be read again', () => {
  const text = new TextDecoder();
  const document = documentV2({ ...source, resources: RESOURCES.filter((info) => info.resource === 'pods') });
  const fields = read(encodeGnosticV2(document));
  assert.equal(text.decode(fields.get(1)?.[0] as Uint8Array), '2.0');
  const paths = read(fields.get(8)?.[0] as Uint8Array).get(2) ?? [];
  const names = paths.map((path) => text.decode(read(path as Uint8Array).get(1)?.[0] as Uint8Array));
  assert.deepEqual(names, Object.keys(document['paths'] as object));
  const pod = paths[names.indexOf('/api/v1/namespaces/{namespace}/pods/{name}')] as Uint8Array;
  const item = read(read(pod).get(2)?.[0] as Uint8Array);
  const patch = read(item.get(8)?.[0] as Uint8Array);
  assert.equal(text.decode(patch.get(5)?.[0] as Uint8Array), 'patchCoreV1NamespacedPod');
  const extensions = (patch.get(13) ?? []).map((pair) => {
    const named = read(pair as Uint8Array);
    const yaml = read(named.get(2)?.[0] as Uint8Array).get(2)?.[0] as Uint8Array;
    return [text.decode(named.get(1)?.[0] as Uint8Array), JSON.parse(text.decode(yaml)) as unknown];
  });
  assert.deepEqual(Object.fromEntries(extensions), {
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group: '', kind: 'Pod', version: 'v1' },
  });
});
