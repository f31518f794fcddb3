import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { kindRules } from './kinds.ts';
import { RESOURCES } from './resources.ts';
import { schemas } from './schemas.ts';
import { validateCreate, validateStatusUpdate, validateUpdate } from './validate.ts';

const DEPTH_MAX = 9;

const SCALARS: { readonly [type: string]: unknown } = {
  string: 'text',
  bool: true,
  int32: 7,
  int64: 7,
  double: 0.5,
  bytes: 'eA==',
  Time: '2026-01-01T00:00:00Z',
  MicroTime: '2026-01-01T00:00:00.000000Z',
  Duration: '1s',
  Quantity: '1',
  IntOrString: 5,
};

/** A value of a type of the schema table with every field set, as far as `depth` reaches. */
function sampleOf(type: string, depth: number): unknown {
  if (type.startsWith('[]')) return [sampleOf(type.slice(2), depth)];
  if (type.startsWith('{}')) return { key: sampleOf(type.slice(2), depth) };
  if (!type.startsWith('#')) return SCALARS[type] ?? {};
  const fields = schemas.struct(type.slice(1))?.fields ?? {};
  if (depth === 0) return {};
  const entries = Object.entries(fields).map(([name, field]) => [name, sampleOf(field.type, depth - 1)]);
  return Object.fromEntries(entries);
}

function decoded(schema: string, input: unknown): KubeObject {
  return schemas.decode<KubeObject>(schema, input).value;
}

// Whatever passes the decoder must be judged, never thrown at.
describe('rules take whatever the decoder lets through', () => {
  const stored = RESOURCES.filter(
    ({ group, version, storage, virtual }) => !virtual && group === storage.group && version === storage.version,
  );
  for (const info of stored) {
    for (const [name, input] of [
      ['empty', {}],
      ['full', sampleOf(`#${info.schema}`, DEPTH_MAX)],
    ] as const) {
      it(`${info.group}/${info.kind}: ${name}`, () => {
        const rules = kindRules(info.group, info.kind);
        const object = decoded(info.schema, input);
        const before = decoded(info.schema, {});
        rules.defaults?.(object);
        rules.defaults?.(before);
        const once = structuredClone(object);
        rules.defaults?.(object);
        assert.deepEqual(object, once);
        for (const errors of [
          validateCreate(info, object),
          validateUpdate(info, object, before),
          validateUpdate(info, before, object),
          validateStatusUpdate(info, object, before),
          validateStatusUpdate(info, before, object),
        ]) {
          for (const error of errors) assert.equal(typeof error.toString(), 'string');
        }
        for (const read of Object.values(rules.fields ?? {})) assert.equal(typeof read(object), 'string');
      });
    }
  }
});
