import type { FieldSchema, KubeObject } from '@binnacle/machinery';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceInfo } from './kind.ts';
import { kindRules } from './kinds.ts';
import { RESOURCES, RESOURCES_ON_REQUEST } from './resources.ts';
import { schemas } from './schemas.ts';
import { validateCreate, validateStatusUpdate } from './validate.ts';

type Step = string | 0;

/** Demanded of some objects only, so that others rest without. */
const DEMANDED_OF_SOME: ReadonlySet<string> = new Set([
  // Of rules that are for what is in namespaces.
  'flowcontrol.v1.ResourcePolicyRule.namespaces',
]);

/** What has to stand beside a member, or only that is complained of. */
const BESIDE: { readonly [member: string]: object } = { successPolicy: { completionMode: 'Indexed' } };

/** The structs that an object of the kind holds, each with one way to it: the shortest. */
function waysOf({ schema }: ResourceInfo): ReadonlyMap<string, readonly Step[]> {
  const ways = new Map<string, readonly Step[]>([[schema, []]]);
  for (const [struct, way] of ways) {
    for (const [name, { type }] of Object.entries(schemas.struct(struct)?.fields ?? {})) {
      const [, list, inner] = /^(\[\])?#(.*)$/.exec(type) ?? [];
      if (inner === undefined || ways.has(inner)) continue;
      ways.set(inner, list === undefined ? [...way, name] : [...way, name, 0]);
    }
  }
  return ways;
}

/** An object that has nothing in the place, and no more of the rest than leads there. */
function objectWithout({ schema, group, kind }: ResourceInfo, way: readonly Step[]): KubeObject {
  const input = way.reduceRight<unknown>(
    (inner, step) => (step === 0 ? [inner] : { ...BESIDE[step], [step]: inner }),
    null,
  );
  const object = schemas.decode<KubeObject>(schema, input).value;
  kindRules(group, kind).defaults?.(object);
  return object;
}

/** Whether validation complains of the place when there is nothing in it. */
function isDemanded(info: ResourceInfo, way: readonly Step[]): boolean {
  const object = objectWithout(info, way);
  const before = schemas.decode<KubeObject>(info.schema, {}).value;
  const path = way.map((step) => (step === 0 ? '[0]' : `.${step}`)).join('');
  const errors = [...validateCreate(info, object), ...validateStatusUpdate(info, object, before)];
  return errors.some(({ field }) => path === `.${field}`);
}

function isNullForNone({ type, omitEmpty, pointer }: FieldSchema): boolean {
  return omitEmpty !== true && pointer !== true && /^(\[\]|\{\})/.test(type);
}

test('lists that the types never call null are those that validation wants something in', () => {
  const demanded = new Set<string>();
  const said = new Set<string>();
  for (const info of [...RESOURCES, ...RESOURCES_ON_REQUEST].filter(({ virtual }) => !virtual)) {
    for (const [struct, way] of waysOf(info)) {
      for (const [name, field] of Object.entries(schemas.struct(struct)?.fields ?? {})) {
        const place = `${struct}.${name}`;
        if (field.neverEmpty === true) said.add(place);
        if (isNullForNone(field) && isDemanded(info, [...way, name])) demanded.add(place);
      }
    }
  }
  for (const place of DEMANDED_OF_SOME) assert.ok(demanded.delete(place), place);
  assert.deepEqual([...said].toSorted(), [...demanded].toSorted());
});
