import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '@binnacle/base/testing';
import { CompileError, CostError, EvaluationError } from './errors.ts';
import { compile } from './program.ts';
import { environment } from './testing/environment.ts';
import { DYN, INT, listOf, mapOf, STRING } from './types.ts';
import type { Type } from './types.ts';
import { Timestamp } from './values.ts';
import type { Value } from './values.ts';

const SELF = { self: listOf(STRING), many: listOf(listOf(STRING)), names: mapOf(STRING, INT), any: DYN, text: STRING };

/** Estimates with every list of at most 10 items and every text of at most 100 characters. */
function estimate(source: string): readonly [number, number] {
  const { min, max } = compile(source, environment(SELF)).estimate((path) => {
    const isText = path[0] === 'text' || (path[0] === 'self' && path.length === 2) || path.length === 3;
    return { min: 0, max: isText ? 100 : 10 };
  });
  return [min, max];
}

const ESTIMATES: readonly (readonly [string, number, number])[] = [
  ['self.size() > 0', 3, 3],
  ["self.all(x, x == 'a')", 2, 52],
  ["self.all(x, x.startsWith('a'))", 2, 52],
  ["self.exists(x, x.contains('ab'))", 2, 152],
  ['many.all(l, l.all(x, x.size() > 3))', 2, 652],
  ["text.matches('^a+$')", 2, 12],
  ["text + text == 'aa'", 3, 23],
  ['self.map(x, x.size())', 12, 152],
  ['names.all(k, names[k] > 0)', 2, 72],
  ["text in ['a', 'b']", 13, 13],
  ["text == 'a' ? self.size() == 1 : true", 2, 5],
  ['any.a.b == 1', 2, 2],
  ['has(any.a)', 1, 1],
];

for (const [source, min, max] of ESTIMATES) {
  test(`estimates ${source}`, () => assert.deepEqual(estimate(source), [min, max]));
}

interface Hostile {
  readonly name: string;
  readonly source: string;
  readonly types?: { readonly [name: string]: Type };
  readonly variables?: { readonly [name: string]: Value };
}

const LONG = 'a'.repeat(300_000);
const NUMBERS = Array.from({ length: 100_000 }, (_, i) => BigInt(i));

const HOSTILE: readonly Hostile[] = [
  { name: 'parentheses 50,000 deep', source: `${'('.repeat(49_000)}1${')'.repeat(49_000)}` },
  { name: 'lists 50,000 deep', source: `${'['.repeat(49_000)}${']'.repeat(49_000)}` },
  { name: 'a sum of 40,000', source: Array.from({ length: 40_000 }, () => '1').join('+') },
  { name: 'more than 100,000 characters', source: `'${'a'.repeat(100_001)}'` },
  { name: 'a list that doubles', source: doubled('[1, 2]', '+') },
  { name: 'optMap in optMap', source: `optional.of(1)${'.optMap(x, x)'.repeat(60)}.orValue(1) + 1 / 0` },
  { name: 'sortBy after sortBy', source: `[2, 1]${'.sortBy(x, x)'.repeat(60)}[0] + 1 / 0` },
  {
    name: 'three folds in each other',
    source: 'n.all(a, n.all(b, n.all(c, a + b + c >= 0)))',
    variables: { n: NUMBERS },
  },
  { name: 'lists joined in a fold', source: 'n.map(x, (n + n).size()).size() > 0', variables: { n: NUMBERS } },
  {
    name: 'a pattern that goes back',
    source: "t.matches('(a+)+$') || 1 / 0 > 0",
    variables: { t: `${'a'.repeat(3000)}b` },
  },
  { name: 'a long pattern on a long text', source: 't.matches(t)', variables: { t: LONG.slice(0, 9000) } },
  {
    name: 'a pattern that braces repeat, on a text of as many characters',
    source: "t.matches('((a|b)*){1,300}((a|b)*){1,300}((a|b)*){1,300}c?$') || 1 / 0 > 0",
    variables: { t: LONG },
  },
  {
    name: 'patterns of many numbers in braces',
    source: '[1, 2, 3, 4].all(x, !"a".matches(p + string(x)))',
    variables: { p: '[a-z]{1,1000}'.repeat(300) },
  },
  { name: 'repetition in repetition', source: "'a'.matches('((a{900}){900}){900}')" },
  {
    name: 'a long text looked at in a fold',
    source: "n.all(x, t.charAt(0) == 'a')",
    variables: { n: NUMBERS, t: LONG },
  },
  {
    name: 'texts of one length compared in a fold',
    source: 'n.exists(x, t in [u])',
    variables: { n: NUMBERS, t: `${LONG}a`, u: `${LONG}b` },
  },
  {
    name: 'a long text read as an address in a fold',
    source: 'n.all(x, !isURL(t))',
    variables: { n: NUMBERS, t: LONG },
  },
  {
    name: 'long texts put in order in a fold',
    source: 'n.all(x, [t, t].isSorted())',
    variables: { n: NUMBERS, t: LONG },
  },
  {
    name: 'many answers that are far longer than what they are made of',
    source: "n.map(x, t.replace('a', t)).size() > 0",
    variables: { n: NUMBERS.slice(0, 1000), t: 'a'.repeat(4000) },
  },
  {
    name: 'zones that nobody knows, asked for in a fold',
    source: "n.all(x, at.getHours('Etc/GMT+' + string(x)) >= 0 || true)",
    variables: { n: NUMBERS, at: new Timestamp(0n) },
  },
  { name: 'deep comparison in a fold', source: 'n.all(x, n == n)', variables: { n: NUMBERS } },
  { name: 'lists.range without end', source: 'lists.range(9223372036854775807).size()' },
  { name: 'a text that doubles', source: doubled("'aaaaaaaaaaaaaaaa'", '+') },
  { name: 'replace that multiplies', source: "t.replace('', t).replace('', t).size()", variables: { t: LONG } },
];

/** `[x].map(x, x + x).map(x, x + x)…`: twice as long each time. */
function doubled(start: string, operator: string): string {
  return `[${start}]${`.map(x, x ${operator} x)`.repeat(50)}[0].size() > 0`;
}

for (const { name, source, variables = {} } of HOSTILE) {
  test(`ends soon and with an error: ${name}`, () => {
    const types = Object.fromEntries(Object.keys(variables).map((one) => [one, DYN]));
    let error: unknown;
    const ms = cpuMs(() => {
      try {
        error = compile(source, environment(types)).run(new Map(Object.entries(variables)), 1_000_000).error;
      } catch (refused) {
        error = refused;
      }
    });
    const isKnown = error instanceof CompileError || error instanceof CostError || error instanceof EvaluationError;
    assert.ok(isKnown, `ended with ${String(error)}`);
    assert.ok(ms < 5000, `took ${ms} ms`);
  });
}

for (const source of ['n.all(x, t.size() > 0)', "n.all(x, t != 'a')", "n.all(x, t > 'a')"]) {
  test(`a text that is looked at again and again is walked over once: ${source}`, () => {
    const program = compile(source, environment({ n: listOf(INT), t: STRING }));
    const variables = new Map<string, Value>([
      ['n', Array.from({ length: 50_000 }, () => 1n)],
      ['t', 'x'.repeat(1_000_000)],
    ]);
    let value: unknown;
    const ms = cpuMs(() => ({ value } = program.run(variables, 1_000_000)));
    assert.equal(value, true);
    assert.ok(ms < 5000, `took ${ms} ms`);
  });
}

test('map over a long list is linear', () => {
  const { value, error } = compile('n.map(x, x + 1).size()', environment({ n: listOf(INT) })).run(
    new Map([['n', Array.from({ length: 50_000 }, () => 1n)]]),
    10_000_000,
  );
  assert.equal(error, undefined);
  assert.equal(value, 50_000n);
});
