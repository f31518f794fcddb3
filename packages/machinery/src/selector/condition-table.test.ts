import { deepEqual, equal } from 'node:assert/strict';
import test from 'node:test';
import { ConditionTable } from './condition-table.ts';
import { matchesFields, parseFieldSelector } from './field-selector.ts';
import { matchesLabels, parseLabelSelector } from './label-selector.ts';

type Labels = { readonly [key: string]: string };
const own = (text: string): Labels => JSON.parse(text) as Labels;

const ROWS: readonly [conditions: string, yes: readonly Labels[], no: readonly Labels[]][] = [
  ['a=b', [{ a: 'b' }, { a: 'b', z: 'z' }], [{}, { a: 'c' }]],
  ['a=b,a=c', [], [{ a: 'b' }, { a: 'c' }, {}]],
  ['a in (b,c),a in (c,d)', [{ a: 'c' }], [{ a: 'b' }, { a: 'd' }, {}]],
  ['a!=b,a!=c', [{}, { a: 'd' }], [{ a: 'b' }, { a: 'c' }]],
  ['a in (b,c),a notin (c)', [{ a: 'b' }], [{ a: 'c' }, {}]],
  ['a,!b', [{ a: '' }], [{}, { a: '', b: '' }]],
  ['a,!a', [], [{}, { a: '' }]],
  ['a,a=x', [{ a: 'x' }], [{}, { a: 'y' }]],
  ['n>5,n>7,n<10,n<20', [{ n: '8' }, { n: '+9' }], [{}, { n: '7' }, { n: '10' }, { n: 'x' }, { n: '' }]],
  ['constructor', [{ constructor: 'x' } as unknown as Labels], [{}, { a: 'constructor' }]],
  ['!toString', [{}], [own('{"toString":"x"}')]],
];
for (const [conditions, yes, no] of ROWS) {
  test(`"${conditions}" by table, by the words of the selector, and among many others`, () => {
    const selector = parseLabelSelector(conditions);
    const table = new ConditionTable(selector.requirements);
    const many = parseLabelSelector(`${conditions},${Array.from({ length: 20 }, (_, i) => `!pad${i}`).join(',')}`);
    for (const [labels, wanted] of [...yes.map((l) => [l, true] as const), ...no.map((l) => [l, false] as const)]) {
      const answers = [table.matches(labels), matchesLabels(selector, labels), matchesLabels(many, labels)];
      deepEqual(answers, [wanted, wanted, wanted], JSON.stringify(labels));
    }
  });
}

test('many conditions and no labels at all', () => {
  const absent = parseLabelSelector(Array.from({ length: 20 }, (_, i) => `!k${i}`).join(','));
  equal(matchesLabels(absent, undefined), true);
  const present = parseLabelSelector(Array.from({ length: 20 }, (_, i) => `k${i}`).join(','));
  equal(matchesLabels(present, undefined), false);
});

test('one of many values', () => {
  const values = Array.from({ length: 100 }, (_, i) => `v${i}`).join(',');
  equal(matchesLabels(parseLabelSelector(`a in (${values})`), { a: 'v99' }), true);
  equal(matchesLabels(parseLabelSelector(`a in (${values})`), { a: 'v100' }), false);
  equal(matchesLabels(parseLabelSelector(`a notin (${values})`), { a: 'v99' }), false);
  equal(matchesLabels(parseLabelSelector(`a notin (${values})`), {}), true);
});

test('many terms on fields are what few are', () => {
  const read = (name: string) => (field: string) => (field === 'metadata.name' ? name : undefined);
  const others = Array.from({ length: 20 }, (_, i) => `metadata.name!=x${i}`).join(',');
  const answers = (text: string): boolean[] =>
    ['a', 'x7', ''].map((name) => matchesFields(parseFieldSelector(text), read(name)));
  deepEqual(answers(others), [true, false, true]);
  deepEqual(answers(`${others},metadata.name=a`), [true, false, false]);
  deepEqual(answers(`${others},metadata.name=a,metadata.name=b`), [false, false, false]);
  deepEqual(answers(`${others},spec.x=`), [true, false, true]);
});
