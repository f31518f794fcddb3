/** Ownership against a naive model of it, from generated sequences of writes; and what the model does not know. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ManagedFieldsEntry } from '../generated/meta-v1.ts';
import { createSchemaRegistry } from '../schema/registry.ts';
import { NO_FIELDS, pathsOf, readFieldSet } from './field-set.ts';
import {
  applyConfiguration,
  applyInSteps,
  compareEntries,
  entriesAfterUpdate,
  fieldsUnchanged,
  isReset,
  readOwners,
} from './managed-fields.ts';
import { shapeOfStruct } from './shape.ts';

const schemas = createSchemaRegistry({
  Thing: {
    fields: {
      data: { type: '{}string', omitEmpty: true },
      tags: { type: '[]string', listType: 'set' },
      items: { type: '[]#Item', listType: 'map', listKeys: ['name'] },
    },
  },
  Item: { fields: { name: { type: 'string' }, x: { type: 'string' }, y: { type: 'string' } } },
});
const rules = { shape: shapeOfStruct(schemas, 'Thing'), reset: NO_FIELDS };
const writerOf = (manager: string, time = '2026-01-01T00:00:00Z') => ({
  manager,
  apiVersion: 'v1',
  subresource: '',
  time,
});

/** A thing as its places: `data.a`, `tags.x`, `items.a`, `items.a.x`, each with its value. */
type Flat = Map<string, string>;
const PLACES = ['data.a', 'data.b', 'tags.p', 'tags.q', 'items.m', 'items.m.x', 'items.m.y', 'items.n', 'items.n.x'];

function thingOf(flat: Flat): object {
  const [data, tags, items]: [{ [key: string]: string }, string[], Map<string, { [field: string]: string }>] = [
    {},
    [],
    new Map(),
  ];
  for (const place of PLACES) {
    const value = flat.get(place);
    if (value === undefined) continue;
    const [list, key = '', field] = place.split('.');
    if (list === 'data') data[key] = value;
    else if (list === 'tags') tags.push(key);
    else if (field === undefined) items.set(key, { name: key });
    else (items.get(key) ?? {})[field] = value;
  }
  return {
    ...(Object.keys(data).length > 0 ? { data } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(items.size > 0 ? { items: [...items.values()] } : {}),
  };
}

function flatOf(thing: unknown): Flat {
  const {
    data = {},
    tags = [],
    items = [],
  } = (thing ?? {}) as {
    data?: { [key: string]: string };
    tags?: string[];
    items?: { name: string; [field: string]: string }[];
  };
  const flat: Flat = new Map();
  for (const [key, value] of Object.entries(data)) flat.set(`data.${key}`, value);
  for (const tag of tags) flat.set(`tags.${tag}`, '');
  for (const { name, ...fields } of items) {
    flat.set(`items.${name}`, '');
    for (const [field, value] of Object.entries(fields)) flat.set(`items.${name}.${field}`, value);
  }
  return flat;
}

/** Who owns what, the slow way: a set of owners at every place. */
class Model {
  values: Flat = new Map();
  readonly owners = new Map<string, Set<string>>();

  of(place: string): Set<string> {
    let owners = this.owners.get(place);
    if (owners === undefined) this.owners.set(place, (owners = new Set()));
    return owners;
  }

  update(manager: string, wanted: Flat): void {
    for (const place of PLACES) {
      if (this.values.get(place) === wanted.get(place)) continue;
      this.of(place).clear();
      if (wanted.has(place)) this.of(place).add(manager);
    }
    this.values = new Map(wanted);
  }

  /** The places in the way; applied when there are none, or by force. */
  apply(manager: string, wanted: Flat, force: boolean): string[] {
    const next = new Map([...this.values, ...wanted]);
    for (const place of PLACES) {
      const owners = this.of(place);
      const isDropped = owners.has(manager) && !wanted.has(place) && owners.size === 1;
      if (isDropped)
        for (const below of PLACES) if (below === place || below.startsWith(`${place}.`)) next.delete(below);
    }
    const contested = PLACES.filter(
      (place) =>
        next.has(place) &&
        next.get(place) !== this.values.get(place) &&
        [...this.of(place)].some((owner) => owner !== manager),
    );
    if (contested.length > 0 && !force) return contested;
    for (const place of PLACES) {
      const owners = this.of(place);
      if (next.get(place) !== this.values.get(place)) owners.clear();
      owners.delete(manager);
      if (wanted.has(place)) owners.add(manager);
    }
    this.values = next;
    return [];
  }
}

function chanceOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function anyFlat(chance: () => number): Flat {
  const flat: Flat = new Map();
  for (const place of PLACES) {
    const [list, key = '', field] = place.split('.');
    if (chance() < 0.55 || (field !== undefined && !flat.has(`items.${key}`))) continue;
    flat.set(place, list === 'tags' || (list === 'items' && field === undefined) ? '' : chance() < 0.5 ? '1' : '2');
  }
  return flat;
}

/** What the entries say, place by place. */
function ownersOf(entries: readonly ManagedFieldsEntry[] | undefined, values: Flat): { [place: string]: string[] } {
  const owners: { [place: string]: string[] } = {};
  for (const { manager = '', operation = '', fieldsV1 } of entries ?? []) {
    const paths = new Set(pathsOf(readFieldSet(fieldsV1)));
    for (const place of values.keys()) {
      const [list, key = '', field] = place.split('.');
      const item = list === 'data' ? `.data.${key}` : list === 'tags' ? `.tags[="${key}"]` : `.items[name="${key}"]`;
      const path = field === undefined ? item : `${item}.${field}`;
      if (paths.has(path)) (owners[place] ??= []).push(`${operation} ${manager}`);
    }
  }
  for (const list of Object.values(owners)) list.sort();
  return owners;
}

function modelOwners(model: Model): { [place: string]: string[] } {
  const told = [...model.values.keys()].map((place) => [place, [...model.of(place)].sort()] as const);
  return Object.fromEntries(told.filter(([, owners]) => owners.length > 0));
}

const SEED = 7_2026;

test('sequences of applies and updates, against the naive model', () => {
  for (let seed = SEED; seed < SEED + 400; seed++) {
    const chance = chanceOf(seed);
    const model = new Model();
    let live: unknown;
    let entries: readonly ManagedFieldsEntry[] | undefined;
    for (let step = 0; step < 12; step++) {
      const manager = `m${Math.floor(chance() * 3)}`;
      const wanted = anyFlat(chance);
      const at = { writer: writerOf(manager), rules };
      const owners = readOwners(entries) ?? new Map<string, never>();
      if (chance() < 0.3) {
        model.update(`Update ${manager}`, wanted);
        entries = entriesAfterUpdate(owners, { before: live, after: thingOf(wanted) }, at);
        live = thingOf(wanted);
      } else {
        const force = chance() < 0.5;
        const contested = model.apply(`Apply ${manager}`, wanted, force);
        const applied = applyConfiguration({ owners, live, configuration: thingOf(wanted), force }, at);
        assert.equal('conflicts' in applied, contested.length > 0, `seed ${seed} step ${step}`);
        if ('conflicts' in applied) continue;
        ({ object: live, entries } = applied);
      }
      assert.deepEqual([...flatOf(live)].sort(), [...model.values].sort(), `seed ${seed} step ${step}`);
      assert.deepEqual(ownersOf(entries, model.values), modelOwners(model), `seed ${seed} step ${step}`);
    }
  }
});

test('the time moves only when fields do', () => {
  const configuration = { data: { a: '1' } };
  const at = (time: string) => ({ writer: writerOf('m', time), rules });
  const first = applyConfiguration(
    { owners: new Map(), live: undefined, configuration, force: false },
    at('2026-01-01T00:00:00Z'),
  );
  assert.ok('entries' in first);
  const owners = readOwners(first.entries);
  const again = applyConfiguration(
    { owners, live: first.object, configuration, force: false },
    at('2026-01-02T00:00:00Z'),
  );
  assert.deepEqual(again, first);
  const update = entriesAfterUpdate(
    owners,
    { before: configuration, after: configuration },
    at('2026-01-02T00:00:00Z'),
  );
  assert.deepEqual(update, first.entries);
});

test('of many updaters the oldest become one', () => {
  let entries: readonly ManagedFieldsEntry[] | undefined;
  let before: object = {};
  for (let n = 0; n < 14; n++) {
    const after = { data: { ...(before as { data?: object }).data, [`k${n}`]: 'v' } };
    const writer = writerOf(`m${n}`, `2026-01-01T00:00:${String(n).padStart(2, '0')}Z`);
    entries = entriesAfterUpdate(readOwners(entries) ?? new Map(), { before, after }, { writer, rules });
    before = after;
  }
  assert.equal(entries?.length, 10);
  const ancient = entries?.find(({ manager }) => manager === 'ancient-changes');
  assert.deepEqual(
    pathsOf(readFieldSet(ancient?.fieldsV1)).filter((path) => path !== '.data'),
    ['.data.k0', '.data.k1', '.data.k2', '.data.k3', '.data.k4'],
  );
});

test('entries that are none are told from those that ask to be forgotten', () => {
  assert.equal(isReset([{}]), true);
  assert.deepEqual([isReset([]), isReset(undefined), isReset(null)], [true, false, false]);
  const good = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:a': {} } };
  assert.equal(readOwners([good])?.size, 1);
  for (const bad of [{ operation: 'X' }, { apiVersion: '' }, { fieldsType: 'FieldsV2' }, { fieldsV1: { x: {} } }]) {
    assert.equal(readOwners([{ ...good, ...bad } as ManagedFieldsEntry]), undefined);
  }
});

test("a branch that is reset is nobody's", () => {
  const at = { writer: writerOf('m'), rules: { ...rules, reset: readFieldSet({ 'f:data': {} }) } };
  const configuration = { data: { a: '1' }, tags: ['x'] };
  const applied = applyConfiguration({ owners: new Map(), live: undefined, configuration, force: false }, at);
  assert.ok('entries' in applied);
  assert.deepEqual(applied.entries?.[0]?.fieldsV1, { 'f:tags': { 'v:"x"': {} } });
});

test('fields that are as they were applied', () => {
  const unchanged = fieldsUnchanged(rules.shape, { data: { a: '1', b: '2' } }, { data: { a: '1', b: '3', c: '4' } });
  assert.deepEqual(pathsOf(unchanged), ['.data.a']);
});

const ORDERED: readonly (readonly [name: string, before: ManagedFieldsEntry, after: ManagedFieldsEntry])[] = [
  ['appliers before updaters', { operation: 'Apply', time: '2' }, { operation: 'Update', time: '1' }],
  ['who wrote earlier', { time: '1', manager: 'b' }, { time: '2', manager: 'a' }],
  ['by name', { manager: 'a', apiVersion: 'v2' }, { manager: 'b', apiVersion: 'v1' }],
  ['by version', { apiVersion: 'v1', subresource: 'x' }, { apiVersion: 'v2' }],
  ['the object before its parts', {}, { subresource: 'status' }],
];
for (const [name, before, after] of ORDERED) {
  test(`the order of owners: ${name}`, () => {
    assert.deepEqual([compareEntries(before, after), compareEntries(after, before)], [-1, 1]);
    assert.equal(compareEntries(before, { ...before }), 0);
  });
}

test('an apply rests after each walk over the object, and comes to the same as all at once', () => {
  const at = { writer: writerOf('me', '2026-01-01T00:00:00Z'), rules };
  const others = (): ReturnType<typeof readOwners> =>
    readOwners(
      entriesAfterUpdate(
        new Map(),
        { before: undefined, after: { data: { a: 'x' } } },
        { writer: writerOf('other', '2026-01-01T00:00:00Z'), rules },
      ),
    );
  const live = { data: { a: 'x' } };
  for (const [name, value, force, rests] of [
    ['nothing is in the way', 'x', false, 9],
    ['somebody is in the way', 'y', false, 5],
    ['somebody is put aside', 'y', true, 9],
  ] as const) {
    const request = () => ({ owners: others(), live, configuration: { data: { a: value } }, force });
    const steps = applyInSteps(request(), at);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    assert.equal(count, rests, name);
    assert.deepEqual(step.value, applyConfiguration(request(), at), name);
  }
});
