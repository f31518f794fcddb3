/** Every decoder takes time in proportion to its input, however hostile: sizes 1, 4 and 16. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CatalogueError } from '@binnacle/base';
import { deepEqual } from './deep-equal.ts';
import { applyJsonPatch } from './patch/json-patch.ts';
import { applyMergePatch } from './patch/merge-patch.ts';
import { applyStrategicPatch } from './patch/strategic-patch.ts';
import { parseQuantity } from './quantity.ts';
import { parseDocument } from './schema/json-text.ts';
import { ProtoWriter } from './schema/proto-writer.ts';
import { repeatedMembers } from './schema/repeated-members.ts';
import { createSchemaRegistry } from './schema/registry.ts';
import type { SchemaTable } from './schema/table.ts';
import { parseFieldSelector } from './selector/field-selector.ts';
import { parseLabelSelector } from './selector/label-selector.ts';
import { superlinear } from './testing/growth.ts';
import * as names from './validation/names.ts';
import { validateObjectMeta } from './validation/object-meta.ts';
import { readYaml } from './yaml/read-yaml.ts';

const TABLE: SchemaTable = {
  Thing: {
    fields: {
      metadata: { type: '#Meta', omitEmpty: true, proto: 1 },
      items: { type: '[]#Item', omitEmpty: true, patchStrategy: 'merge', mergeKey: 'name', proto: 2 },
      limits: { type: '{}Quantity', omitEmpty: true, proto: 3 },
      count: { type: 'int64', omitEmpty: true, proto: 4 },
      data: { type: 'bytes', omitEmpty: true, proto: 5 },
      at: { type: 'Time', omitEmpty: true, proto: 6 },
      tags: { type: '[]string', omitEmpty: true, patchStrategy: 'merge', proto: 7 },
      any: { type: 'RawExtension', omitEmpty: true, proto: 8 },
      thing: { type: '#Thing', omitEmpty: true, pointer: true, proto: 9 },
      micro: { type: 'MicroTime', omitEmpty: true, proto: 10 },
    },
  },
  Meta: { fields: { name: { type: 'string', omitEmpty: true, proto: 1 }, labels: { type: '{}string', proto: 2 } } },
  Item: { fields: { name: { type: 'string', proto: 1 }, value: { type: 'string', omitEmpty: true, proto: 2 } } },
};
const registry = createSchemaRegistry(TABLE);

type Row = readonly [name: string, size: number, prepare: (size: number) => unknown, run: (input: never) => void];

const json = (input: string): void => void registry.decodeJson(input, 'Thing', 'Strict');
const value = (input: unknown): void => void registry.decode('Thing', input, 'Strict');
const list = (size: number, item: (i: number) => string): string =>
  Array.from({ length: size }, (_, i) => item(i)).join(',');
const proto = (write: (w: ProtoWriter) => void): Uint8Array => {
  const message = new ProtoWriter();
  write(message);
  const body = message.finish();
  const head = [0x12, ...varint(body.length)];
  return Uint8Array.from([0x6b, 0x38, 0x73, 0, ...head, ...body]);
};
function varint(length: number): number[] {
  const bytes: number[] = [];
  for (let rest = length; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}
/** Messages inside each other, from the inside out: lengths are known then. */
function nested(levels: number): Uint8Array {
  const heads: number[][] = [];
  let length = 0;
  for (let i = 0; i < levels; i++) {
    const head = [0x4a, ...varint(length)];
    heads.push(head);
    length += head.length;
  }
  return Uint8Array.from([0x6b, 0x38, 0x73, 0, 0x12, ...varint(length), ...heads.toReversed().flat()]);
}
const decodeProto = (body: Uint8Array): void => void registry.decodeProtobuf(body, 'Thing');

const JSON_ROWS: readonly Row[] = [
  ['a long text', 100_000, (n) => `{"metadata":{"name":"${'x'.repeat(n)}"}}`, json],
  ['escapes', 20_000, (n) => `{"metadata":{"name":"${'\\u0041'.repeat(n)}"}}`, json],
  ['half surrogates', 10_000, (n) => `{"metadata":{"name":"${'\\ud800'.repeat(n)}"}}`, json],
  ['backslashes', 20_000, (n) => `{"metadata":{"name":"\\ud800${'\\\\'.repeat(n)}"}}`, json],
  ['colons in a text', 20_000, (n) => `{"metadata":{"name":"${':  '.repeat(n)}"}}`, json],
  ['unknown fields', 5000, (n) => `{${list(n, (i) => `"u${i}":1`)}}`, json],
  ['repeated fields', 5000, (n) => `{${list(n, () => '"count":1')}}`, json],
  ['repeated labels', 5000, (n) => `{"metadata":{"labels":{${list(n, () => '"a":"b"')}}}}`, json],
  ['items', 2000, (n) => `{"items":[${list(n, (i) => `{"name":"${i}"}`)}]}`, json],
  ['a wrong item behind many', 2000, (n) => `{"items":[${list(n, (i) => `{"name":"${i}"}`)},1]}`, json],
  ['open lists', 20_000, (n) => '['.repeat(n), json],
  ['open objects', 20_000, (n) => '{"any":'.repeat(n), json],
  ['deep opaque', 20_000, (n) => `{"any":${'['.repeat(n)}${']'.repeat(n)}}`, json],
  ['spaces', 100_000, (n) => `{"metadata"${' '.repeat(n)}:${' '.repeat(n)}{}}x`, json],
  ['digits of an integer', 50_000, (n) => `{"count":${'7'.repeat(n)}}`, json],
  ['digits behind a point', 50_000, (n) => `{"count":1.${'7'.repeat(n)}}`, json],
  ['digits of an opaque number', 50_000, (n) => `{"any":{"a":${'7'.repeat(n)}}}`, json],
  ['many long numbers', 2000, (n) => `{"any":[${list(n, () => '12345678901234567890')}]}`, json],
  ['many numbers with a point', 2000, (n) => `{"any":[${list(n, () => '1.0')}]}`, json],
  ['what looks like numbers in a text', 20_000, (n) => `{"metadata":{"name":"${'\\":1 [1, 1, '.repeat(n)}"}}`, json],
  ['digits of a quantity', 20_000, (n) => `{"limits":{"a":"${'1'.repeat(n)}"}}`, json],
  ['digits and a wrong end', 20_000, (n) => `{"limits":{"a":"${'1'.repeat(n)}x"}}`, json],
  ['zeros of a quantity', 20_000, (n) => `{"limits":{"a":"${'0'.repeat(n)}1.1${'0'.repeat(n)}"}}`, json],
  ['a quantity that is a number', 20_000, (n) => `{"limits":{"a":${'1'.repeat(n)}}}`, json],
  ['large exponents', 2000, (n) => `{"limits":{${list(n, (i) => `"a${i}":"9e127"`)}}}`, json],
  ['base64', 50_000, (n) => `{"data":"${'AAAA'.repeat(n)}!"}`, json],
  ['padding', 50_000, (n) => `{"data":"AA${'='.repeat(n)}"}`, json],
  [
    'a fraction of a second',
    50_000,
    (n) => `{"at":"2020-01-01T00:00:00.${'1'.repeat(n)}Z","micro":"2020-01-01T00:00:00.${'1'.repeat(n)}Z"}`,
    json,
  ],
  ['line ends in base64', 50_000, (n) => `{"data":"${'A\\n'.repeat(n)}"}`, json],
  [
    'a value of many members',
    5000,
    (n) => ({ metadata: { labels: Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, 'v'])) } }),
    value,
  ],
  [
    'members that stand twice',
    5000,
    (n) => `{${list(n, () => '"a":{"b":1,"b":2}')}}`,
    (text: string) => void repeatedMembers(text, parseDocument(text)),
  ],
  ['a document of digits', 50_000, (n) => `[${'1'.repeat(n)}]`, (text: string) => void parseDocument(text)],
  ['a document of brackets', 50_000, (n) => JSON.stringify('['.repeat(n)), (text: string) => void parseDocument(text)],
];

const PROTO_ROWS: readonly Row[] = [
  [
    'items',
    2000,
    (n) =>
      proto((w) => {
        for (let i = 0; i < n; i++) w.message(2, () => w.string(1, `i${i}`));
      }),
    decodeProto,
  ],
  [
    'one label many times',
    2000,
    (n) =>
      proto((w) =>
        w.message(1, () => {
          for (let i = 0; i < n; i++) w.message(2, () => w.string(1, 'k'));
        }),
      ),
    decodeProto,
  ],
  [
    'the same message many times',
    2000,
    (n) =>
      proto((w) => {
        for (let i = 0; i < n; i++) w.message(1, () => w.string(1, 'k'));
      }),
    decodeProto,
  ],
  ['bytes', 100_000, (n) => proto((w) => w.string(5, 'x'.repeat(n))), decodeProto],
  ['messages inside each other', 500, nested, decodeProto],
  ['messages inside each other, too deep', 20_000, nested, decodeProto],
  [
    'unknown fields',
    5000,
    (n) =>
      proto((w) => {
        for (let i = 0; i < n; i++) w.string(99, 'x');
      }),
    decodeProto,
  ],
  [
    'JSON inside',
    5000,
    (n) => proto((w) => w.message(8, () => w.string(1, `[${list(n, (i) => String(i))}]`))),
    decodeProto,
  ],
];

const labels = (text: string): void => void parseLabelSelector(text);
const fields = (text: string): void => void parseFieldSelector(text);
const quantity = (text: string): void => void parseQuantity(text);
const yaml = (text: string): void => void readYaml(text);
const lines = (size: number, line: (i: number) => string): string =>
  Array.from({ length: size }, (_, i) => line(i)).join('\n');

const TEXT_ROWS: readonly Row[] = [
  ['label selector: conditions', 2000, (n) => list(n, (i) => `k${i}=v`), labels],
  ['label selector: values', 2000, (n) => `k in (${list(n, (i) => `v${i}`)})`, labels],
  ['label selector: commas', 5000, (n) => `k in (${','.repeat(n)})`, labels],
  ['label selector: spaces', 50_000, (n) => `k${' '.repeat(n)}=${' '.repeat(n)}v`, labels],
  ['label selector: signs', 50_000, (n) => '!'.repeat(n), labels],
  ['label selector: a long key', 50_000, (n) => `${'a'.repeat(n)}!`, labels],
  ['label selector: digits', 50_000, (n) => `k>${'1'.repeat(n)}`, labels],
  ['field selector: terms', 5000, (n) => list(n, (i) => `k${i}=v`), fields],
  ['field selector: escapes', 50_000, (n) => `k=${'\\,'.repeat(n)}`, fields],
  ['field selector: no operator', 50_000, (n) => 'k!'.repeat(n), fields],
  ['quantity: signs', 50_000, (n) => '+'.repeat(n), quantity],
  ['quantity: letters', 50_000, (n) => `1${'e'.repeat(n)}!`, quantity],
  ['quantity: digits behind a sign', 50_000, (n) => `1e+${'1'.repeat(n)}`, quantity],
  ['YAML: keys', 2000, (n) => lines(n, (i) => `k${i}: v`), yaml],
  ['YAML: one key many times', 2000, (n) => lines(n, () => 'k: v'), yaml],
  ['YAML: anchors', 2000, (n) => lines(n, (i) => `k${i}: &a${i} v`), yaml],
  ['YAML: aliases', 2000, (n) => `a: &a [1, 2, 3]\nb: [${list(n, () => '*a')}]`, yaml],
  [
    'YAML: aliases of aliases',
    500,
    (n) => `a0: &a0 [x, x]\n${lines(n, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)}`,
    yaml,
  ],
  ['YAML: merges', 1000, (n) => `a: &a {b: 1, c: 2}\n${lines(n, (i) => `k${i}: {<<: *a}`)}`, yaml],
  [
    'YAML: merges of merges',
    100,
    (n) => `m0: &m0 {a: 1}\n${lines(n, (i) => `m${i + 1}: &m${i + 1} {<<: *m${i}, k${i}: 1}`)}`,
    yaml,
  ],
  ['YAML: a long number', 50_000, (n) => `a: ${'1'.repeat(n)}`, yaml],
  ['YAML: underscores', 50_000, (n) => `a: 1${'_1'.repeat(n)}x`, yaml],
  ['YAML: brackets', 20_000, (n) => '['.repeat(n), yaml],
  ['YAML: dashes', 20_000, (n) => '- '.repeat(n), yaml],
  ['YAML: documents', 2000, (n) => '---\na\n'.repeat(n), yaml],
  ['YAML: folded lines', 5000, (n) => `a: >\n${'  x\n'.repeat(n)}`, yaml],
];

const items = (size: number): { name: string; value: string }[] =>
  Array.from({ length: size }, (_, i) => ({ name: `n${i}`, value: 'v' }));
const strategic = ({ document, patch }: { document: unknown; patch: unknown }): void =>
  void applyStrategicPatch(registry, 'Thing', { document, patch });
const tags = (size: number): string[] => Array.from({ length: size }, (_, i) => `t${i}`);
interface Patched {
  readonly document: unknown;
  readonly patch: unknown;
}
const patched = ({ document, patch }: Patched): void => void applyJsonPatch(document, patch);
const big = (size: number): object => Object.fromEntries(Array.from({ length: size }, (_, i) => [`k${i}`, i]));

const PATCH_ROWS: readonly Row[] = [
  [
    'JSON: adds to a large map',
    600,
    (n) => ({
      document: big(n),
      patch: Array.from({ length: n }, (_, i) => ({ op: 'add', path: `/x${i}`, value: 1 })),
    }),
    patched,
  ],
  [
    'JSON: replaces in a large map',
    600,
    (n) => ({
      document: big(n),
      patch: Array.from({ length: n }, (_, i) => ({ op: 'replace', path: `/k${i}`, value: 1 })),
    }),
    patched,
  ],
  [
    'JSON: replaces in a large list',
    600,
    (n) => ({
      document: tags(n),
      patch: Array.from({ length: n }, (_, i) => ({ op: 'replace', path: `/${i}`, value: 1 })),
    }),
    patched,
  ],
  [
    'JSON: a long path',
    5000,
    (n) => ({ document: {}, patch: [{ op: 'add', path: '/a'.repeat(n), value: 1 }] }),
    patched,
  ],
  [
    'merge: members',
    2000,
    (n) => ({ document: big(n), patch: big(n) }),
    ({ document, patch }: Patched) => void applyMergePatch(document, patch),
  ],
  ['strategic: items', 1000, (n) => ({ document: { items: items(n) }, patch: { items: items(n) } }), strategic],
  [
    'strategic: new items',
    1000,
    (n) => ({
      document: { items: items(n) },
      patch: { items: items(n).map((item) => ({ ...item, name: `x${item.name}` })) },
    }),
    strategic,
  ],
  [
    'strategic: deletions',
    1000,
    (n) => ({
      document: { items: items(n) },
      patch: { items: items(n).map(({ name }) => ({ name, $patch: 'delete' })) },
    }),
    strategic,
  ],
  ['strategic: tags', 1000, (n) => ({ document: { tags: tags(n) }, patch: { tags: tags(n) } }), strategic],
  [
    'strategic: tags that go',
    1000,
    (n) => ({ document: { tags: tags(n) }, patch: { '$deleteFromPrimitiveList/tags': tags(n) } }),
    strategic,
  ],
  [
    'strategic: an order',
    1000,
    (n) => ({ document: { items: items(n) }, patch: { '$setElementOrder/items': items(n).toReversed(), items: [] } }),
    strategic,
  ],
  [
    'strategic: kept keys',
    1000,
    (n) => ({ document: big(n), patch: { $retainKeys: Object.keys(big(n)), ...big(n) } }),
    strategic,
  ],
  ['equality', 5000, (n) => [big(n), big(n)], ([a, b]: [unknown, unknown]) => void deepEqual(a, b)],
];

const NAME_CHECKS = Object.entries(names).filter(([name]) => name.endsWith('Errors'));
const NAME_ROWS: readonly Row[] = ['a', 'a.', 'a-', '-', '.', '_', '%', '1', 'a/', '*.'].flatMap((part) =>
  NAME_CHECKS.map(([name, check]): Row => [
    `${name} of ${part}`,
    20_000,
    (n) => `${part.repeat(n)}!`,
    (text: string) => void (check as (text: string) => unknown)(text),
  ]),
);

const meta = (metadata: object): void =>
  void validateObjectMeta({ name: 'a', ...metadata }, { namespaced: false, nameCheck: names.subdomainErrors });
const owner = { apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u', controller: true };
const META_ROWS: readonly Row[] = [
  ['finalizers', 1000, (n) => ({ finalizers: Array.from({ length: n }, () => '!') }), meta],
  ['owners, all of them controllers', 300, (n) => ({ ownerReferences: Array.from({ length: n }, () => owner) }), meta],
  [
    'labels',
    1000,
    (n) => ({ labels: big(n) }),
    (metadata: { labels: object }) =>
      meta({ labels: Object.fromEntries(Object.keys(metadata.labels).map((key) => [`!${key}`, '!'])) }),
  ],
  ['annotations', 1000, (n) => ({ annotations: Object.fromEntries(tags(n).map((tag) => [`!${tag}`, ''])) }), meta],
];

const cpuMicros = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

for (const [title, rows] of Object.entries({
  JSON: JSON_ROWS,
  protobuf: PROTO_ROWS,
  texts: TEXT_ROWS,
  patches: PATCH_ROWS,
  names: NAME_ROWS,
  metadata: META_ROWS,
})) {
  describe(title, () => {
    for (const [name, size, prepare, run] of rows) {
      it(name, () => {
        const tolerant = (input: unknown): void => {
          try {
            run(input as never);
          } catch (error) {
            if (!(error instanceof CatalogueError)) throw error;
          }
        };
        assert.equal(superlinear(prepare, tolerant, { cpuMicros, size }), undefined);
      });
    }
  });
}
