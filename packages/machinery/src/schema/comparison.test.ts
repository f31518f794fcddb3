import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseInt64 } from '../int64.ts';
import { createComparison } from './comparison.ts';
import type { SchemaTable } from './table.ts';

const TABLE: SchemaTable = {
  'a.v1.Kind': {
    fields: {
      text: { type: 'string' },
      maybe: { type: 'string', omitEmpty: true, pointer: true },
      large: { type: 'int64' },
      time: { type: 'Time' },
      amount: { type: 'Quantity' },
      bytes: { type: 'bytes' },
      list: { type: '[]string' },
      map: { type: '{}string' },
      blobs: { type: '{}bytes' },
      inside: { type: '#a.v1.Inner' },
      behind: { type: '#a.v1.Inner', omitEmpty: true, pointer: true },
      many: { type: '[]#a.v1.Inner', omitEmpty: true },
      raw: { type: 'RawExtension', omitEmpty: true },
      form: { type: '#a.v1.Form', omitEmpty: true, pointer: true },
    },
  },
  'a.v1.Inner': {
    fields: {
      text: { type: 'string', omitEmpty: true },
      deeper: { type: '#a.v1.Inner', omitEmpty: true, pointer: true },
    },
  },
  'a.v1.Form': {
    fields: {},
    union: {
      bool: { type: 'bool', proto: 1 },
      object: { type: '#a.v1.Inner', proto: 2 },
      list: { type: '[]string', proto: 3 },
    },
  },
};
const comparison = createComparison({ table: TABLE });

describe('equality by the table', () => {
  const rows: readonly (readonly [name: string, a: object, b: object, equal: boolean])[] = [
    ['absent and null', { text: null }, {}, true],
    ['absent and an empty list', { list: [] }, {}, true],
    ['absent and an empty map', {}, { map: {} }, true],
    ['absent and zero', { text: '', large: 0, amount: '0', time: null, bytes: '' }, {}, true],
    ['absent and zero behind a pointer', { maybe: '' }, {}, false],
    ['null and absent behind a pointer', { behind: null }, {}, true],
    ['an empty struct', { inside: {} }, {}, true],
    ['a struct of zeros', { inside: { text: '' } }, {}, true],
    ['an empty struct behind a pointer', { behind: {} }, {}, false],
    ['one of zeros behind a pointer and an empty one', { behind: { text: '' } }, { behind: {} }, true],
    ['behind a pointer of what is not there', { inside: { deeper: {} } }, {}, false],
    ['of an item', { many: [{ deeper: {} }] }, { many: [{}] }, false],
    ['an item that says nothing', { many: [{}] }, {}, false],
    ['order of members', { text: 'a', list: ['b'] }, { list: ['b'], text: 'a' }, true],
    ['order of items', { list: ['a', 'b'] }, { list: ['b', 'a'] }, false],
    ['a key with nothing and no key', { map: { a: '' } }, {}, false],
    ['other keys', { map: { a: 'x' } }, { map: { b: 'x' } }, false],
    ['a key that is undefined and no key', { map: { a: undefined } }, { map: {} }, true],
    ['keys of a prototype', { map: { toString: 'x' } }, { map: {} }, false],
    ['bytes that are null and none', { blobs: { a: null } }, { blobs: { a: '' } }, true],
    ['raw as it is written', { raw: { list: [] } }, { raw: {} }, false],
    ['raw in another order', { raw: { a: 1, b: 2 } }, { raw: { b: 2, a: 1 } }, true],
    ['an empty raw and none', { raw: {} }, {}, false],
    ['forms: the same', { form: { text: 'a' } }, { form: { text: 'a', deeper: null } }, true],
    ['forms: an object and a list', { form: {} }, { form: [] }, false],
    ['forms: a boolean and an object', { form: true }, { form: {} }, false],
    ['forms: other booleans', { form: true }, { form: false }, false],
    ['forms: other lists', { form: ['a'] }, { form: ['b'] }, false],
    ['what the table does not know', { else: { list: [] } }, { else: {} }, false],
    ['deep', { many: [{ text: 'a' }] }, { many: [{ text: 'b' }] }, false],
  ];
  for (const [name, a, b, equal] of rows) {
    it(name, () => {
      assert.equal(comparison.areEqual('a.v1.Kind', a, b), equal);
      assert.equal(comparison.areEqual('a.v1.Kind', b, a), equal);
      assert.equal(comparison.describe('a.v1.Kind', a, b) === '', equal);
    });
  }

  it('compares members as their struct has them', () => {
    assert.ok(comparison.areEqual('a.v1.Kind.inside', {}, undefined));
    assert.ok(!comparison.areEqual('a.v1.Kind.behind', {}, undefined));
    assert.throws(() => comparison.areEqual('a.v1.Kind.other', 1, 1), /stands in the table/);
  });

  it('describes differences', () => {
    const before = { text: 'a', many: [{ text: 'x' }], list: ['same'] };
    const text = comparison.describe('a.v1.Kind', before, { maybe: 'b', many: [{ text: 'y' }], list: ['same'] });
    assert.equal(text, '- text: "a"\n- many[0].text: "x"\n+ many[0].text: "y"\n+ maybe: "b"');
    assert.equal(comparison.describe('a.v1.Kind.many', [{ deeper: {}, text: '' }], [{}]), '- [0].deeper: {}');
    assert.equal(comparison.describe('a.v1.Kind', { form: { text: 'a' } }, { form: {} }), '- form.text: "a"');
    const [odd, next] = [parseInt64('9007199254740993'), parseInt64('9007199254740995')];
    assert.equal(
      comparison.describe('a.v1.Kind', { large: odd }, { large: next }),
      '- large: 9007199254740993\n+ large: 9007199254740995',
    );
  });
});
