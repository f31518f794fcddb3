/**
 * Decoding, defaulting, validating and writing take time in proportion to the object, whichever of its lists or maps
 * is the long one: every list and map that a kind of the table has is filled with 1, 4 and 16 times as many.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@binnacle/machinery';
import { superlinear } from '@binnacle/machinery/testing';
import type { ResourceInfo } from './kind.ts';
import { kindRules } from './kinds.ts';
import { RESOURCES } from './resources.ts';
import { schemas } from './schemas.ts';
import { validateCreate, validateStatusUpdate, validateUpdate } from './validate.ts';

const SIZE = 60;
/** Members that say nothing and are all alike are cheap each: what looks for doubles among them shows with many. */
const SIZE_ALIKE = 1000;
const DEPTH_MAX = 8;
/** The first look at a list: only one that fails it is measured with care. */
const GLANCE_FACTOR_MAX = 60;

/** A value that differs with `i`, with every scalar set and lists of one. */
function valueOf(type: string, i: number, depth: number): unknown {
  if (type.startsWith('[]')) return depth === 0 ? [] : [valueOf(type.slice(2), i, depth - 1)];
  if (type.startsWith('{}')) return { [`k${i}`]: valueOf(type.slice(2), i, depth - 1) };
  if (type.startsWith('#')) {
    if (depth <= 0) return {};
    const fields = Object.entries(schemas.struct(type.slice(1))?.fields ?? {});
    const scalars = fields.filter(([, field]) => !/^(#|\[\]|\{\})/.test(field.type));
    return Object.fromEntries(scalars.map(([name, field]) => [name, valueOf(field.type, i, depth - 1)]));
  }
  return SCALARS[type]?.(i) ?? { [`k${i}`]: i };
}

const SCALARS: { readonly [type: string]: (i: number) => unknown } = {
  string: (i) => `n${i}`,
  bool: () => true,
  int32: (i) => i + 1,
  int64: (i) => i + 1,
  double: (i) => i,
  bytes: () => 'eA==',
  Time: () => '2026-01-01T00:00:00Z',
  MicroTime: () => '2026-01-01T00:00:00.000000Z',
  Duration: (i) => `${i}s`,
  Quantity: (i) => `${i}`,
  IntOrString: (i) => i + 1,
};

/** The steps from the object's top to a list or map. */
type Steps = readonly { readonly name: string; readonly type: string }[];

const seen = new Set<string>();

/** Every list and map of a struct, each of them once however many kinds have it. */
function* longOnes(struct: string, before: Steps = []): Generator<Steps> {
  if (before.length >= DEPTH_MAX) return;
  for (const [name, { type }] of Object.entries(schemas.struct(struct)?.fields ?? {})) {
    const steps = [...before, { name, type }];
    if (/^(\[\]|\{\})/.test(type)) {
      const id = `${struct}.${name}`;
      if (seen.has(id)) continue;
      seen.add(id);
      yield steps;
    }
    const inner = /#(.*)$/.exec(type)?.[1];
    if (inner !== undefined && inner !== struct) yield* longOnes(inner, steps);
  }
}

type Member = (type: string, i: number) => unknown;

const distinct: Member = (type, i) => valueOf(type, i, 2);

const alike: Member = (type) => {
  if (type.startsWith('[]')) return [];
  return /^(#|\{\})/.test(type) ? {} : valueOf(type, 0, 0);
};

/** An object in which the last of the steps has so many members. */
function objectOf(
  info: ResourceInfo,
  steps: Steps,
  { size, member }: { readonly size: number; readonly member: Member },
): string {
  const build = (at: number): unknown => {
    const step = steps[at];
    if (step === undefined) return undefined;
    const element = step.type.replace(/^(\[\]|\{\})/, '');
    const isLast = at === steps.length - 1;
    const count = isLast ? size : 1;
    const elements = Array.from({ length: count }, (_, i) => {
      if (isLast) return member(element, i);
      return { ...(valueOf(element, i, 2) as object), ...(inside(at) as object) };
    });
    if (step.type.startsWith('[]')) return elements;
    if (step.type.startsWith('{}')) return Object.fromEntries(elements.map((value, i) => [`k${i}`, value]));
    return elements[0];
  };
  const inside = (at: number): unknown => {
    const next = steps[at + 1];
    return next === undefined ? {} : { [next.name]: build(at + 1) };
  };
  const metadata = { name: 'x', ...(info.namespaced ? { namespace: 'd' } : {}), resourceVersion: '1' };
  const object = inside(-1) as { metadata?: object };
  return JSON.stringify({ ...object, metadata: { ...metadata, ...object.metadata } });
}

function run(info: ResourceInfo, text: string): void {
  const decode = (): KubeObject => {
    const { value } = schemas.decodeJson<KubeObject>(text, info.schema, 'Strict');
    kindRules(info.group, info.kind).defaults?.(value);
    return value;
  };
  const [object, before] = [decode(), decode()];
  validateCreate(info, object);
  validateUpdate(info, object, before);
  validateStatusUpdate(info, object, before);
  JSON.stringify(object);
}

const cpuMicros = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

function micros(info: ResourceInfo, text: string): number {
  const start = cpuMicros();
  run(info, text);
  return cpuMicros() - start;
}

/** What is wrong with how the cost grows, if anything. */
function faultOf(info: ResourceInfo, steps: Steps, { size, member }: { size: number; member: Member }): string[] {
  const prepare = (count: number): string => objectOf(info, steps, { size: count, member });
  const [small, large] = [prepare(size), prepare(16 * size)];
  micros(info, small);
  if (micros(info, large) <= GLANCE_FACTOR_MAX * Math.max(100, micros(info, small))) return [];
  const fault = superlinear(prepare, (text) => run(info, text), { cpuMicros, size: size * 2 });
  return fault === undefined ? [] : [`${steps.map(({ name }) => name).join('.')}: ${fault}`];
}

describe('a long list or map costs in proportion', () => {
  for (const info of RESOURCES.filter(({ virtual }) => !virtual)) {
    it(`${info.group}/${info.version} ${info.kind}`, () => {
      const faults = [...longOnes(info.schema)].flatMap((steps) => [
        ...faultOf(info, steps, { size: SIZE, member: distinct }),
        ...faultOf(info, steps, { size: SIZE_ALIKE, member: alike }),
      ]);
      assert.deepEqual(faults, []);
    });
  }
});
