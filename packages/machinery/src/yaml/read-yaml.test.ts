import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { duplicateKeysError } from './duplicate-keys.ts';
import { readYaml } from './read-yaml.ts';

const json = (text: string): string => JSON.stringify(readYaml(text).value);

describe('YAML as sigs.k8s.io/yaml reads it', () => {
  const rows: [name: string, text: string, expected: string][] = [
    ['octal', 'mode: 0400', '{"mode":256}'],
    ['no octal', 'a: 08', '{"a":8}'],
    ['words for booleans', '[yes, No, ON, off, y, n, True, yEs]', '[true,false,true,false,true,false,true,"yEs"]'],
    ['nulls', '[~, null, NULL, "", nUll]', '[null,null,null,"","nUll"]'],
    ['quoted words', `["yes", '0400', "null"]`, '["yes","0400","null"]'],
    ['numbers in other bases', '[0x1F, 0b101, 0o17, -0x10, +7, 1_000]', '[31,5,15,-16,7,1000]'],
    ['no numbers to the base 60', 'port: 22:22', '{"port":"22:22"}'],
    ['times stay text', 'at: 2001-12-14', '{"at":"2001-12-14"}'],
    ['fractions', '[1.5, .5, 1e3, 1., 1.2.3]', '[1.5,0.5,1000,1,"1.2.3"]'],
    [
      'integers of 64 bits',
      '[9223372036854775807, -9223372036854775808]',
      '[9223372036854775807,-9223372036854775808]',
    ],
    ['keys that are no text', '{1: a, true: b, 1.5: c}', '{"1":"a","true":"b","1.5":"c"}'],
    ['tags', '[!!str 1, !!int "7", !!float 1, !!bool "yes", !!null "", !other x]', '["1",7,1,true,null,"x"]'],
    ['binary', '!!binary aGk=', '"hi"'],
    ['an alias', 'a: &x {b: 1}\nc: *x', '{"a":{"b":1},"c":{"b":1}}'],
    ['a merge', 'a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3', '{"a":{"b":1,"c":2},"d":{"b":1,"c":3}}'],
    ['merges of several', '<<: [{a: 1}, {a: 2, b: 3}]', '{"a":1,"b":3}'],
    ['a quoted << is a key', '"<<": {a: 1}', '{"<<":{"a":1}}'],
    ['the first document', 'a: 1\n---\nb: 2', '{"a":1}'],
    ['no document', '# nothing', 'null'],
    ['JSON', '{"a": [1, "b", null, true]}', '{"a":[1,"b",null,true]}'],
    ['names of prototypes', '{__proto__: 1, constructor: 2}', '{"__proto__":1,"constructor":2}'],
  ];
  for (const [name, text, expected] of rows) it(name, () => assert.equal(json(text), expected));

  it('touches no prototype', () => {
    const { value } = readYaml('a: {__proto__: {polluted: true}}\nb:\n  <<: {__proto__: {polluted: true}}');
    assert.equal((value as { a: { polluted?: boolean } }).a.polluted, undefined);
    assert.equal((value as { b: { polluted?: boolean } }).b.polluted, undefined);
  });
});

describe('repeated keys', () => {
  const rows: [name: string, text: string, value: string, ...problems: string[]][] = [
    ['a scalar', 'a: 1\n\na: 2', '{"a":2}', 'line 3: key "a" already set in map'],
    [
      'a map, told where its value begins',
      'a: 1\na:\n  b: {c: 1,\n   d: 2}',
      '{"a":{"b":{"c":1,"d":2}}}',
      'line 3: key "a" already set in map',
    ],
    [
      'of a merge',
      'x: &x {a: 1}\nz:\n  <<: *x\n  a: 2',
      '{"x":{"a":1},"z":{"a":2}}',
      'line 4: key "a" already set in map',
    ],
    ['a number', '{1: a, 1: b}', '{"1":"b"}', 'line 1: key 1 already set in map'],
    [
      'a name of prototypes',
      'constructor: 1\nconstructor: 2',
      '{"constructor":2}',
      'line 2: key "constructor" already set in map',
    ],
  ];
  for (const [name, text, value, ...problems] of rows) {
    it(name, () => {
      const read = readYaml(text);
      assert.equal(JSON.stringify(read.value), value);
      assert.deepEqual(read.problems, problems);
    });
  }

  it('are one error to the strict', () => {
    assert.equal(
      duplicateKeysError(readYaml('a: 1\na: 2\na: 3').problems),
      'yaml: unmarshal errors:\n  line 2: key "a" already set in map\n  line 3: key "a" already set in map',
    );
  });

  it('are counted up to a hundred', () => assert.equal(readYaml('a: 1\n'.repeat(200)).problems.length, 100));
});

describe('YAML that is refused', () => {
  const bomb = (levels: number): string =>
    Array.from({ length: levels }, (_, i) => `a${i}: &a${i} [${`${i === 0 ? 'lol' : `*a${i - 1}`},`.repeat(9)}]`).join(
      '\n',
    );
  const rows: [name: string, text: string, message: RegExp][] = [
    ['malformed', 'a: b: c', /^yaml: line 1: /],
    ['an unknown alias', 'a: *x', /^yaml: unknown anchor 'x' referenced$/],
    ['a cycle', 'a: &x [*x]', /^yaml: anchor 'x' value contains itself$/],
    ['nested aliases', bomb(9), /^yaml: document contains excessive aliasing$/],
    ['one large text many times', `a: &x ${'y'.repeat(10_000)}\nb: [${'*x,'.repeat(100)}]`, /excessive aliasing/],
    [
      'merges of merges',
      `${bomb(1)}\n${Array.from({ length: 40 }, (_, i) => `m${i}: &m${i} {<<: [${i === 0 ? '{a: 1}' : `*m${i - 1},*m${i - 1}`}], k${i}: 1}`).join('\n')}`,
      /excessive aliasing/,
    ],
    ['merge of a text', '<<: a', /^yaml: map merge requires map or sequence of maps as the value$/],
    ['a list as key', '? [a]\n: b', /^unsupported map key of type: /],
    ['no number of JSON', 'a: .inf', /^json: unsupported value: \+Inf$/],
    ['the wrong tag', 'a: !!int x', /^yaml: cannot decode !!str `x` as a !!int$/],
    ['deep nesting', '['.repeat(2000), /^yaml: line 1: nesting exceeded maxDepth/],
    [
      'nesting by aliases',
      `a: &a ${'['.repeat(600)}${']'.repeat(600)}\nb: ${'['.repeat(600)}*a${']'.repeat(600)}`,
      /^yaml: exceeded max depth$/,
    ],
  ];
  for (const [name, text, message] of rows) {
    it(name, () => assert.throws(() => readYaml(text), { name: 'DecodeError', message }));
  }
});
