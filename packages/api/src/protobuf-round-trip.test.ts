import { DecodeError, groupVersion, keptEmpties, QuantityError, sealProtobuf } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ResourceInfo } from './kind.ts';
import { RESOURCES, RESOURCES_ON_REQUEST } from './resources.ts';
import { schemas } from './schemas.ts';
import { hostileBody } from './testing/fuzz.ts';

const SEED = 20_261_122;
const OBJECTS = 4000;

type JsonObject = { [key: string]: unknown };

/** What protobuf says of it: no list or map without members, no null, maps in the order of their keys. */
function sayable(type: string, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (type.startsWith('[]')) return (value as unknown[]).map((item) => sayable(type.slice(2), item) ?? item);
  if (type.startsWith('{}'))
    return sortedMap(mapValues(value as JsonObject, (item) => sayable(type.slice(2), item) ?? item));
  if (!type.startsWith('#')) return value;
  const { fields = {} } = schemas.struct(type.slice(1)) ?? {};
  return mapValues(value as JsonObject, (item, name) => {
    const of = fields[name]?.type ?? '';
    // Kind and version of an object inside another: its message has no place for them.
    if (fields[name]?.proto === undefined) return undefined;
    const isEmpty = /^(\[\]|\{\})/.test(of) && item !== null && Object.keys(item as object).length === 0;
    return isEmpty ? undefined : sayable(of, item);
  });
}

/** Without what no message has a place for: kind and version of an object inside another. */
function placed(type: string, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (type.startsWith('[]')) return (value as unknown[]).map((item) => placed(type.slice(2), item));
  if (type.startsWith('{}')) return mapValues(value as JsonObject, (item) => placed(type.slice(2), item));
  if (!type.startsWith('#')) return value;
  const { fields = {} } = schemas.struct(type.slice(1)) ?? {};
  return mapValues(value as JsonObject, (item, name) =>
    fields[name]?.proto === undefined ? undefined : placed(fields[name].type, item),
  );
}

function said(info: ResourceInfo, object: KubeObject): object {
  const { kind, apiVersion } = object;
  return { ...(sayable(`#${info.schema}`, object) as JsonObject), kind, apiVersion };
}

function sortedMap(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function mapValues(value: JsonObject, map: (item: unknown, key: string) => unknown): JsonObject {
  const entries = Object.entries(value).map(([key, item]) => [key, map(item, key)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

function decoded(info: ResourceInfo, text: string): KubeObject | undefined {
  try {
    // A half of a pair of UTF-16 is no text in UTF-8.
    const object = schemas.decodeJson<KubeObject>(text.replaceAll('\\ud800', 'x'), info.schema).value;
    return { ...object, kind: info.kind, apiVersion: groupVersion(info) };
  } catch (error) {
    if (error instanceof DecodeError || error instanceof QuantityError) return undefined;
    throw error;
  }
}

test('JSON to object to protobuf to object to JSON, for every kind that is stored and has messages', () => {
  const seen = new Set<string>();
  const wanted = new Set(
    [...RESOURCES, ...RESOURCES_ON_REQUEST]
      .filter(({ virtual, schema }) => !virtual && schemas.hasMessage(schema))
      .map(({ schema }) => schema),
  );
  for (let seed = SEED; seed < SEED + OBJECTS; seed++) {
    const { info, text } = hostileBody(seed);
    const object = wanted.has(info.schema) ? decoded(info, text) : undefined;
    if (object === undefined) continue;
    const body = sealProtobuf(object as Required<KubeObject>, schemas.encodeProtobuf(info.schema, object));
    const again = schemas.decodeProtobuf<KubeObject>(body, info.schema)?.value;
    const expected = schemas.decode(info.schema, said(info, object)).value;
    assert.equal(JSON.stringify(again), JSON.stringify(expected), `seed ${seed}`);
    const { kind, apiVersion } = object;
    const rests = placed(`#${info.schema}`, keptEmpties(schemas, info.schema)(object)) as JsonObject;
    assert.deepEqual({ ...rests, kind, apiVersion }, again, `seed ${seed}: what rests is what protobuf gives back`);
    seen.add(info.schema);
  }
  const stored = [...wanted].filter((name) => RESOURCES.some((info) => info.schema === name && isStored(info)));
  assert.deepEqual(
    stored.filter((name) => !seen.has(name)),
    [],
    'every kind came by',
  );
  assert.ok(seen.size > 40);
});

function isStored({ group, version, storage }: ResourceInfo): boolean {
  return group === storage.group && version === storage.version;
}

test('64-bit integers keep their digits, texts and keys of any script theirs', () => {
  const name = 'core.v1.Pod';
  const text =
    '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","generation":9223372036854775807,"labels":{"__proto__":"x","ключ":"значение 😀"},"annotations":{"long":"' +
    'é'.repeat(300) +
    '"}},"spec":{"activeDeadlineSeconds":-9223372036854775808,"priority":-1,"containers":[{"name":"c","ports":[{"containerPort":4294967}]}]}}';
  const { value } = schemas.decodeJson<KubeObject>(text, name);
  const body = sealProtobuf(value as Required<KubeObject>, schemas.encodeProtobuf(name, value));
  assert.equal(JSON.stringify(schemas.decodeProtobuf(body, name)?.value), JSON.stringify(value));
});
