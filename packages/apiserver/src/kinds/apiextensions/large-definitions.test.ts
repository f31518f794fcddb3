/** Definitions with very much in them, and the first objects of their kinds: others have their turn meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boatsOf } from '../../testing/boats.ts';
import { countRests } from '../../testing/slow-steps.ts';
import { startTestServer } from '../../testing/test-server.ts';

const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const fields = (count: number, make: (i: number) => unknown): object =>
  Object.fromEntries(many(count, (i) => [`f${i}`, make(i)]));

const definitionOf = (spec: object): object =>
  boatsOf({ type: 'object', properties: { spec: { type: 'object', ...spec } } });

const TEXT = { type: 'string', maxLength: 9 };
const PART = { properties: { a: { maxLength: 5 } } };
const RULES = many(2000, (i) => ({ rule: `self.a != "x${i}"` }));

/** A schema, an object that is right by it; how often looking at the one and at the other rests at least. */
const ROWS: readonly [name: string, schema: object, object: object, defining: number, creating: number][] = [
  ['fields', { properties: fields(5000, () => TEXT) }, fields(5000, () => 'a'), 100, 2],
  ['defaults', { properties: fields(2000, () => ({ ...TEXT, default: 'a' })) }, {}, 2000, 1],
  ['parts of allOf', { properties: { a: TEXT }, allOf: many(5000, () => PART) }, { a: 'a' }, 200, 8],
  ['rules', { properties: { a: TEXT }, 'x-kubernetes-validations': RULES }, { a: 'a' }, 2000, 2000],
];

for (const [name, schema, spec, defining, creating] of ROWS) {
  test(`very many ${name}`, async () => {
    const { ask, clock, parts } = await startTestServer();
    const rests = countRests(clock);
    const restsOf = async (line: string, body: object): Promise<number> => {
      const before = rests.count;
      const { code, body: answer } = await ask(line, body);
      assert.equal(code, 201, JSON.stringify(answer).slice(0, 300));
      return rests.count - before;
    };
    rests.slow();
    const defined = await restsOf('POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions', definitionOf(schema));
    assert.ok(defined >= defining, `${defined} while it is defined`);
    await parts.customKinds.settled();
    const boat = { apiVersion: 'ships.io/v1', kind: 'Boat', metadata: { name: 'a' }, spec };
    const created = await restsOf('POST /apis/ships.io/v1/namespaces/default/boats', boat);
    assert.ok(created >= creating, `${created} while an object is made`);
  });
}
