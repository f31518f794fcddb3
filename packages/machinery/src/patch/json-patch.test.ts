import { deepFreeze } from '@binnacle/base';
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { rawJson } from '../raw-json.ts';
import { applyJsonPatch, patchMistake, unknownMembers } from './json-patch.ts';

// Provenance: the examples of RFC 6902, appendix A, and what upstream's library makes of negative indexes.
const APPLIED: [name: string, document: unknown, patch: unknown, result: unknown][] = [
  ['add a member', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { foo: 'bar', baz: 'qux' }],
  ['add an item', { foo: ['a', 'c'] }, [{ op: 'add', path: '/foo/1', value: 'b' }], { foo: ['a', 'b', 'c'] }],
  ['add at the end', { foo: ['a'] }, [{ op: 'add', path: '/foo/-', value: ['b'] }], { foo: ['a', ['b']] }],
  ['remove a member', { baz: 1, foo: 2 }, [{ op: 'remove', path: '/baz' }], { foo: 2 }],
  ['remove an item', { foo: ['a', 'b'] }, [{ op: 'remove', path: '/foo/0' }], { foo: ['b'] }],
  ['add behind the last item', { foo: ['a'] }, [{ op: 'add', path: '/foo/-1', value: 'b' }], { foo: ['a', 'b'] }],
  ['copy what is missing', {}, [{ op: 'copy', from: '/a', path: '/b' }], { b: null }],
  ['test all of it', { a: 1 }, [{ op: 'test', path: '', value: { a: 1 } }], { a: 1 }],
  ['replace all of it', { a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
  ['remove the last item', { foo: ['a', 'b'] }, [{ op: 'remove', path: '/foo/-1' }], { foo: ['a'] }],
  ['replace', { foo: { bar: 1 } }, [{ op: 'replace', path: '/foo/bar', value: null }], { foo: { bar: null } }],
  // Provenance of these two: a kube-apiserver v1.36.
  ['replace a member that is missing', {}, [{ op: 'replace', path: '/a', value: 1 }], { a: 1 }],
  ['nothing at all', { a: 1 }, null, { a: 1 }],
  [
    'move',
    { foo: { bar: 1, waldo: 2 }, qux: { corge: 3 } },
    [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
    { foo: { bar: 1 }, qux: { corge: 3, thud: 2 } },
  ],
  ['copy', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
  ['test', { a: { b: 1, c: 2 } }, [{ op: 'test', path: '/a', value: { c: 2, b: 1 } }], { a: { b: 1, c: 2 } }],
  ['test that nothing is there', {}, [{ op: 'test', path: '/a', value: null }], {}],
  [
    'escaped keys',
    { 'a/b': 1, 'm~n': 2 },
    [
      { op: 'remove', path: '/a~1b' },
      { op: 'remove', path: '/m~0n' },
    ],
    {},
  ],
];
for (const [name, document, patch, result] of APPLIED) {
  test(name, () => assert.deepEqual(applyJsonPatch(deepFreeze(document), patch), result));
}

const MISS = 'missing value';
const WORDS: readonly [document: unknown, operation: object, why: string][] = [
  [{}, { op: 'add', path: '/a/b~1c' }, `add operation does not apply: doc is missing path: "/a/b~1c": ${MISS}`],
  [{}, { op: 'add', path: '' }, `add operation does not apply: doc is missing path: "": ${MISS}`],
  [{}, { op: 'add', path: 'a' }, `add operation does not apply: doc is missing path: "a": ${MISS}`],
  [{ a: 1 }, { op: 'add', path: '/a/b' }, `add operation does not apply: doc is missing path: "/a/b": ${MISS}`],
  [{ a: [] }, { op: 'add', path: '/a/0/b' }, `add operation does not apply: doc is missing path: "/a/0/b": ${MISS}`],
  [
    { a: [] },
    { op: 'add', path: '/a/1' },
    "error in add for path: '/a/1': Unable to access invalid index: 1: invalid index referenced",
  ],
  [
    { a: [] },
    { op: 'add', path: '/a/x' },
    `error in add for path: '/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
  ],
  [{}, { op: 'remove', path: '/a/b' }, `remove operation does not apply: doc is missing path: "/a/b": ${MISS}`],
  [
    { a: {} },
    { op: 'remove', path: '/a/b' },
    `error in remove for path: '/a/b': Unable to remove nonexistent key: b: ${MISS}`,
  ],
  [
    { a: [1] },
    { op: 'remove', path: '/a/-' },
    `error in remove for path: '/a/-': strconv.Atoi: parsing "-": invalid syntax`,
  ],
  [{}, { op: 'replace', path: '/a/b' }, `replace operation does not apply: doc is missing path: /a/b: ${MISS}`],
  [{ a: [] }, { op: 'replace', path: '/a/0' }, `replace operation does not apply: doc is missing key: /a/0: ${MISS}`],
  [{}, { op: 'replace', path: '', value: 1 }, 'replace operation value must be object or array'],
  [
    {},
    { op: 'move', from: '/a/b', path: '/c' },
    `move operation does not apply: doc is missing from path: /a/b: ${MISS}`,
  ],
  [
    {},
    { op: 'move', from: '/a', path: '/c' },
    `error in move for path: 'a': Unable to remove nonexistent key: a: ${MISS}`,
  ],
  [
    { a: 1 },
    { op: 'move', from: '/a', path: '/c/d' },
    `move operation does not apply: doc is missing destination path: /c/d: ${MISS}`,
  ],
  [
    {},
    { op: 'copy', from: '/a/b', path: '/c' },
    `copy operation does not apply: doc is missing from path: /a/b: ${MISS}`,
  ],
  [
    { a: [] },
    { op: 'copy', from: '/a/0', path: '/c' },
    "error in copy for from: '/a/0': Unable to access invalid index: 0: invalid index referenced",
  ],
  [
    { a: 1 },
    { op: 'copy', from: '/a', path: '/c/d' },
    `copy operation does not apply: doc is missing destination path: /c/d: ${MISS}`,
  ],
  [{}, { op: 'test', path: '/a/b', value: null }, `test operation does not apply: is missing path: /a/b: ${MISS}`],
  [
    { a: [] },
    { op: 'test', path: '/a/0' },
    "error in test for path: '/a/0': Unable to access invalid index: 0: invalid index referenced",
  ],
  [{ a: 1 }, { op: 'test', path: '/a', value: 2 }, 'testing value /a failed: test failed'],
  [{}, { op: 'spam', path: '/a' }, 'Unexpected kind: spam'],
];
// Provenance: gopkg.in/evanphx/json-patch.v4 v4.13.0, which a kube-apiserver v1.36 applies patches with.
for (const [document, operation, cause] of WORDS) {
  test(`why: ${cause}`, () => assert.throws(() => applyJsonPatch(document, [operation]), { httpCode: 422, cause }));
}

const REFUSED: [name: string, document: unknown, patch: unknown, code: number][] = [
  ['no list', {}, {}, 400],
  ['no operation', {}, [1], 400],
  ['unknown operation', {}, [{ op: 'spam', path: '/a' }], 422],
  ['add without parent', {}, [{ op: 'add', path: '/a/b', value: 1 }], 422],
  ['remove what is missing', {}, [{ op: 'remove', path: '/a' }], 422],
  ['replace an item that is missing', { a: [] }, [{ op: 'replace', path: '/a/0', value: 1 }], 422],
  ['an operation that is null', {}, [null], 422],
  ['a path that is no text', {}, [{ op: 'add', path: 1 }], 422],
  ['an operation that is no text', {}, [{ op: 1, path: '/a' }], 422],
  ['index beyond the end', { a: [] }, [{ op: 'add', path: '/a/1', value: 1 }], 422],
  ['no index', { a: [] }, [{ op: 'add', path: '/a/x', value: 1 }], 422],
  ['failed test', { a: 1 }, [{ op: 'test', path: '/a', value: 2 }], 422],
  ['a prototype is nothing', {}, [{ op: 'replace', path: '/__proto__/x', value: 1 }], 422],
  [
    'copies that double',
    { a: ['xxxxxxxx'] },
    Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' })),
    422,
  ],
  ['too many', {}, Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: null })), 413],
];
for (const [name, document, patch, code] of REFUSED) {
  test(`refused: ${name}`, () => assert.throws(() => applyJsonPatch(document, patch), { httpCode: code }));
}

test('what is added is found, and removing it restores the document', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (document, key, value) => {
      fc.pre(!Object.hasOwn(document, key));
      const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const added = applyJsonPatch(document, [
        { op: 'add', path, value },
        { op: 'test', path, value },
      ]);
      assert.deepEqual(applyJsonPatch(added, [{ op: 'remove', path }]), { ...document });
    }),
    { seed: 36 },
  );
});

test('a copy shares nothing with what it was made from', () => {
  const copied = applyJsonPatch({ a: { b: [1] } }, [
    { op: 'copy', from: '/a', path: '/c' },
    { op: 'add', path: '/c/b/-', value: 2 },
    { op: 'add', path: '/a/b/0', value: 0 },
  ]);
  assert.deepEqual(copied, { a: { b: [0, 1] }, c: { b: [1, 2] } });
});

test('moves that nest an object thousands of times are refused when it is copied', () => {
  const deep = Array.from({ length: 4000 }, () => [
    { op: 'add', path: '/b', value: {} },
    { op: 'move', from: '/a', path: '/b/x' },
  ]).flatMap((pair, i) =>
    i % 2 === 0
      ? pair
      : [
          { op: 'add', path: '/a', value: {} },
          { op: 'move', from: '/b', path: '/a/x' },
        ],
  );
  const patch = [...deep, { op: 'copy', from: '', path: '/c' }];
  assert.throws(() => applyJsonPatch({ a: {} }, patch), { httpCode: 422 });
});

test('a number that is kept as its digits is a value like any other', () => {
  const digits = rawJson('12345678901234567890');
  assert.throws(() => applyJsonPatch({ a: digits }, [{ op: 'add', path: '/a/b', value: 1 }]), { httpCode: 422 });
  const same = [{ op: 'test', path: '/a', value: rawJson('12345678901234567890') }];
  assert.deepEqual(applyJsonPatch({ a: digits }, same), { a: digits });
});

const own = JSON.parse('{"op":"test","path":"/a","__proto__":1}') as object;
const UNKNOWN: readonly [name: string, patch: unknown, members: readonly string[]][] = [
  ['none', [{ op: 'move', path: '/a', from: '/b', value: 1 }], []],
  ['one', [{ op: 'add', path: '/a', valu: 1 }], ['unknown field "[0].valu"']],
  [
    'each with its operation',
    [{ a: 1, b: 2 }, {}, { c: 3 }],
    ['[0].a', '[0].b', '[2].c'].map((at) => `unknown field "${at}"`),
  ],
  ['names in another case', [{ Op: 'add' }], ['unknown field "[0].Op"']],
  ['a quote in a name', [{ 'a"b': 1 }], ['unknown field "[0].a\\"b"']],
  [
    'names of a prototype',
    [{ constructor: 1 }, own],
    ['unknown field "[0].constructor"', 'unknown field "[1].__proto__"'],
  ],
  ['what is no operation is another mistake', [null, 1, 'x'], []],
  ['what is no list is another mistake', { x: 1 }, []],
  ['nothing', undefined, []],
];
for (const [name, patch, members] of UNKNOWN)
  test(`members that say nothing: ${name}`, () => assert.deepEqual(unknownMembers(patch), members));
test('members that say nothing: a hundred are named', () => {
  const wide = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`x${n}`, 1]));
  assert.equal(unknownMembers([wide, wide]).length, 100);
  const long = Array.from({ length: 150 }, () => ({ x: 1 }));
  assert.equal(unknownMembers(long).at(-1), 'unknown field "[99].x"');
});

const UNREADABLE: readonly (readonly [patch: unknown, mistake: string | undefined])[] = [
  [{}, 'json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
  ['x', 'json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp'],
  [rawJson('12345678901234567890'), 'json: cannot unmarshal number into Go value of type []handlers.jsonPatchOp'],
  [[{}, []], 'json: cannot unmarshal array into Go value of type handlers.jsonPatchOp'],
  [[true], 'json: cannot unmarshal bool into Go value of type handlers.jsonPatchOp'],
  [[{ op: 1 }], 'json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string'],
  [[{ op: 'add', path: [] }], 'json: cannot unmarshal array into Go struct field jsonPatchOp.path of type string'],
  [[{ from: {} }], 'json: cannot unmarshal object into Go struct field jsonPatchOp.from of type string'],
  [null, undefined],
  [[null, {}, { op: null, value: [] }], undefined],
];
for (const [patch, mistake] of UNREADABLE)
  test(`no list of operations: ${JSON.stringify(patch)}`, () => assert.equal(patchMistake(patch), mistake));

test('who does not ask is told of a list of operations that is none in other words', () => {
  const message = (type: string): object => ({ httpCode: 400, message: `json: cannot unmarshal ${type}` });
  assert.throws(() => applyJsonPatch({}, {}), message('object into Go value of type jsonpatch.Patch'));
  assert.throws(() => applyJsonPatch({}, [[]]), message('array into Go value of type jsonpatch.Operation'));
});
