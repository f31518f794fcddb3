import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonToYaml, yamlToJson } from './convert.ts';

const encoder = new TextEncoder();
const utf8 = new TextDecoder();

test('YAML becomes JSON with its digits and what is shared written out', () => {
  const { json, problems } = yamlToJson(encoder.encode('a: &x {m: 12345678901234567890}\nb: *x\nb: 0400\n'));
  assert.equal(utf8.decode(json), '{"a":{"m":12345678901234567890},"b":256}');
  assert.deepEqual(problems, ['line 3: key "b" already set in map']);
});

test('no document is null', () => assert.equal(utf8.decode(yamlToJson(encoder.encode('')).json), 'null'));

test('JSON becomes YAML with its keys in order', () => {
  assert.equal(utf8.decode(jsonToYaml(encoder.encode('{"b":[1,"2"],"a":null}'))), "a: null\nb:\n  - 1\n  - '2'\n");
});
