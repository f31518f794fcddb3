import assert from 'node:assert/strict';
import test from 'node:test';
import { openProtobuf, ProtobufDecoder } from './protobuf.ts';
import { VALUES_MAX } from './value-limit.ts';

const utf8 = new TextEncoder();

/** A field with a length: text, or the bytes of a message. */
function part(field: number, content: string | number[]): number[] {
  const bytes = typeof content === 'string' ? [...utf8.encode(content)] : content;
  return [field * 8 + 2, bytes.length, ...bytes];
}

const decoder = new ProtobufDecoder({
  Pod: {
    fields: {
      name: { type: 'string', proto: 1 },
      volumes: { type: '[]#Volume', proto: 2 },
      labels: { type: '{}string', proto: 3 },
      extra: { type: '{}[]string', proto: 4 },
      numbers: { type: '[]int64', proto: 5 },
      limits: { type: '{}Quantity', proto: 6 },
      created: { type: 'Time', proto: 7 },
    },
  },
  Volume: {
    fields: {
      name: { type: 'string', proto: 1 },
      hostPath: { type: 'string', proto: 1, protoIn: [2] },
      deep: { type: 'int32', proto: 3, protoIn: [2, 2] },
    },
  },
  Unknown: { fields: { name: { type: 'string' } } },
});

const READ: [name: string, bytes: number[], value: object][] = [
  ['nothing', [], {}],
  ['text', part(1, 'ä'), { name: 'ä' }],
  [
    'unknown fields of every sort are skipped',
    [...part(15, 'x'), 0x48, 0x96, 0x01, 0x51, ...Array<number>(8).fill(0), 0x55, 0, 0, 0, 0, ...part(1, 'a')],
    { name: 'a' },
  ],
  ['lists', [...part(2, part(1, 'a')), ...part(2, part(1, 'b'))], { volumes: [{ name: 'a' }, { name: 'b' }] }],
  [
    'embedded messages',
    part(2, [...part(1, 'v'), ...part(2, [...part(1, '/x'), ...part(2, [0x18, 5])])]),
    { volumes: [{ name: 'v', hostPath: '/x', deep: 5 }] },
  ],
  ['maps', [...part(3, [...part(1, 'a'), ...part(2, 'b')]), ...part(3, part(1, 'c'))], { labels: { a: 'b', c: null } }],
  [
    'maps of lists',
    part(4, [...part(1, 'k'), ...part(2, [...part(1, 'x'), ...part(1, 'y')])]),
    { extra: { k: ['x', 'y'] } },
  ],
  [
    'numbers, packed or not',
    [0x28, 1, ...part(5, [2, 3]), 0x28, ...Array<number>(9).fill(0xff), 1],
    { numbers: [1, 2, 3, -1] },
  ],
  ['quantities', part(6, [...part(1, 'cpu'), ...part(2, part(1, '500m'))]), { limits: { cpu: '500m' } }],
  ['the zero time', part(7, []), { created: null }],
];
for (const [name, bytes, value] of READ) {
  test(name, () => assert.deepEqual(decoder.read('Pod', Uint8Array.from(bytes)), value));
}

test('messages that are cut off or malformed are refused', () => {
  const whole = part(2, [...part(1, 'volume'), ...part(2, part(1, '/path'))]);
  for (let end = 1; end < whole.length; end++) {
    assert.throws(() => decoder.read('Pod', Uint8Array.from(whole.slice(0, end))), { code: 'decode' });
  }
  assert.throws(() => decoder.read('Pod', Uint8Array.from([0x4f])), { message: 'proto: illegal wireType 7' });
  assert.throws(() => decoder.read('Pod', Uint8Array.from([0x08, 1])), { message: /wrong wireType = 0 for field 1/ });
});

test('the envelope', () => {
  const body = [
    0x6b,
    0x38,
    0x73,
    0,
    ...part(1, [...part(1, 'v1'), ...part(2, 'Pod')]),
    ...part(2, part(1, 'x')),
    ...part(3, ''),
  ];
  const opened = openProtobuf(Uint8Array.from(body));
  assert.equal(opened.apiVersion, 'v1');
  assert.equal(opened.kind, 'Pod');
  assert.deepEqual(decoder.read('Pod', opened.message), { name: 'x' });
  assert.throws(() => openProtobuf(utf8.encode('{}')), {
    message: 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
  });
});

test('a struct without numbers is not known', () => {
  assert.equal(decoder.knows('Unknown'), false);
  assert.equal(decoder.knows('Pod'), true);
});

const long = (field: number, content: Uint8Array): Uint8Array => {
  const length: number[] = [];
  for (let left = content.length; ; left >>>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) return Uint8Array.from([field * 8 + 2, ...length, ...content]);
  }
};

const times = (count: number, bytes: readonly number[]): Uint8Array =>
  Uint8Array.from({ length: count * bytes.length }, (_, i) => bytes[i % bytes.length] ?? 0);

const TOO_MANY: readonly [name: string, bytes: Uint8Array][] = [
  ['empty messages', times(VALUES_MAX + 1, part(2, ''))],
  ['fields of the same name', times(VALUES_MAX + 1, part(1, 'a'))],
  ['entries of a map', times(VALUES_MAX + 1, part(3, [...part(1, 'k'), ...part(2, 'v')]))],
  ['empty entries of a map', times(3 * VALUES_MAX + 1, part(3, ''))],
  ['numbers close together', long(5, times(VALUES_MAX + 1, [1]))],
  ['fields that nobody knows', times(3 * VALUES_MAX + 1, [0x48, 1])],
];

for (const [name, bytes] of TOO_MANY) {
  test(`more than a document may have: ${name}`, () => {
    assert.throws(() => decoder.read('Pod', bytes), { httpCode: 413, message: /limit is 131072 values$/ });
  });
}

test('as many as a document may have', () => {
  const { volumes, labels } = decoder.read('Pod', times(VALUES_MAX, part(2, ''))) as Record<string, unknown[]>;
  assert.equal(volumes?.length, VALUES_MAX);
  assert.equal(labels, undefined);
  const entries = times(VALUES_MAX, part(3, [...part(1, 'k'), ...part(2, 'v')]));
  assert.deepEqual(decoder.read('Pod', entries), { labels: { k: 'v' } });
});
