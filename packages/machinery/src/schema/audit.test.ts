import assert from 'node:assert/strict';
import test from 'node:test';
import { audit } from './audit.ts';
import { readJson } from './json-text.ts';
import type { SchemaTable } from './table.ts';

const TABLE: SchemaTable = {
  'x.v1.Thing': {
    fields: {
      spec: { type: '#x.v1.Spec' },
      map: { type: '{}#x.v1.Spec' },
      time: { type: 'Time' },
      micro: { type: 'MicroTime' },
      data: { type: 'bytes' },
      modes: { type: '[]string', go: '[]v1.Mode' },
      raw: { type: 'RawExtension' },
      ratio: { type: 'double' },
    },
  },
  'x.v1.Spec': { fields: { items: { type: '[]#x.v1.Spec' }, name: { type: 'string' }, on: { type: 'bool' } } },
};

function run(text: string): string[] {
  return audit(TABLE, 'x.v1.Thing', readJson(text));
}

// Provenance: sigs.k8s.io/json and encoding/json of Go, as upstream v1.36 uses them.
const PROBLEMS: [text: string, problems: string[]][] = [
  ['{"spec":{"items":[{},{"items":[{"bad":1}]}]}}', ['unknown field "spec.items[1].items[0].bad"']],
  ['{"map":{"k":{"bad":1}},"map":{}}', ['unknown field "map.k.bad"', 'duplicate field "map"']],
  ['{"map":{"k":{},"k":{}}}', ['duplicate field "map.k"']],
  ['{"raw":{"a":1,"a":2}}', []],
  ['{"toString":1}', ['unknown field "toString"']],
  ['{"other":{"a":1,"a":1}}', ['unknown field "other"']],
  ['{"no":1,"spec":{},"no":2,"spec":{},"spec":{}}', ['unknown field "no"', 'duplicate field "spec"']],
];
for (const [text, problems] of PROBLEMS) test(text, () => assert.deepEqual(run(text), problems));

test('counting stops at a hundred', () => {
  const text = `{${Array.from({ length: 150 }, (_, i) => `"x${i}":1`).join(',')}}`;
  assert.equal(run(text).length, 100);
});

const ERRORS: [text: string, message: string][] = [
  ['{"modes":[1]}', 'json: cannot unmarshal number into Go struct field Thing.modes of type v1.Mode'],
  ['{"modes":{}}', 'json: cannot unmarshal object into Go struct field Thing.modes of type []v1.Mode'],
  ['{"map":[]}', 'json: cannot unmarshal array into Go struct field Thing.map of type map[string]v1.Spec'],
  [
    '{"spec":{"items":[{"on":"x"}]}}',
    'json: cannot unmarshal string into Go struct field Spec.spec.items.on of type bool',
  ],
  ['{"ratio":"x"}', 'json: cannot unmarshal string into Go struct field Thing.ratio of type float64'],
  ['{"time":1}', 'json: cannot unmarshal number into Go value of type string'],
  ['{"time":""}', 'parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"'],
  ['{"time":"2026-01-02"}', 'parsing time "2026-01-02" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
  [
    '{"time":"2026-01-02T03:04:05"}',
    'parsing time "2026-01-02T03:04:05" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
  ],
  ['{"time":"2026-01-02T25:04:05Z"}', 'parsing time "2026-01-02T25:04:05Z": hour out of range'],
  [
    '{"micro":"2026-01-02T03:04:05Z"}',
    'parsing time "2026-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
  ['{"data":"ab!d"}', 'illegal base64 data at input byte 2'],
  ['{"data":"abc"}', 'illegal base64 data at input byte 0'],
  ['{"data":1}', 'json: cannot unmarshal number into Go struct field Thing.data of type []uint8'],
];
for (const [text, message] of ERRORS) test(text, () => assert.throws(() => run(text), { message }));
