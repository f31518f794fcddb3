import assert from 'node:assert/strict';
import test from 'node:test';
import {
  formatSelector,
  matchesLabels,
  parseLabelSelector,
  requiresExactLabel,
  selectorFromObject,
  storedSelector,
  selectorFromSet,
} from './label-selector.ts';

type Labels = Record<string, string>;
const MATCHES: [selector: string, yes: Labels[], no: Labels[]][] = [
  ['', [{}, { a: 'b' }], []],
  ['a=b', [{ a: 'b' }], [{}, { a: 'c' }]],
  ['a==b,c', [{ a: 'b', c: '' }], [{ a: 'b' }]],
  ['a!=b', [{}, { a: 'c' }], [{ a: 'b' }]],
  ['e in (x, y)', [{ e: 'x' }, { e: 'y' }], [{}, { e: 'z' }]],
  ['e notin (x)', [{}, { e: 'z' }], [{ e: 'x' }]],
  ['!f', [{}], [{ f: '' }]],
  ['n>5,n<10', [{ n: '7' }], [{}, { n: '5' }, { n: 'x' }]],
  ['a=', [{ a: '' }], [{ a: 'x' }, {}]],
  ['example.com/in in (in)', [{ 'example.com/in': 'in' }], [{}]],
  ['a in (,x)', [{ a: '' }, { a: 'x' }], [{ a: 'y' }]],
];
for (const [text, yes, no] of MATCHES) {
  test(`"${text}" matches what it should`, () => {
    const selector = parseLabelSelector(text);
    for (const labels of yes) assert.equal(matchesLabels(selector, labels), true, JSON.stringify(labels));
    for (const labels of no) assert.equal(matchesLabels(selector, labels), false, JSON.stringify(labels));
    assert.deepEqual(parseLabelSelector(formatSelector(selector)).requirements.length, selector.requirements.length);
  });
}

// Provenance: the parser of upstream's labels package (v1.36) and bug reports that quote it.
const REFUSED: [string, string][] = [
  ['type=app,versionv1.0.1)', "unable to parse requirement: found ')', expected: in, notin, =, ==, !=, gt, lt"],
  ['x (', "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt"],
  ['=x', "found '=', expected: !, identifier, or 'end of string'"],
  ['a=b,', "found '', expected: identifier after ','"],
  ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ['a in x', "unable to parse requirement: found 'x' expected: '('"],
  ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
  [
    'a=%',
    `unable to parse requirement: values[0][a]: Invalid value: "%": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
  ],
];
for (const [text, message] of REFUSED) {
  test(`"${text}" is refused`, () => assert.throws(() => parseLabelSelector(text), { code: 'selector', message }));
}

test('a stored selector that cannot be read chooses nothing, any other what it says', () => {
  const expressions = (operator: string, ...values: string[]) => ({
    matchExpressions: [{ key: 'a', operator: operator as 'In', values }],
  });
  for (const bad of [expressions('Near', 'b'), expressions('In'), expressions('In', 'not a value')]) {
    assert.throws(() => selectorFromObject(bad), { code: 'selector' });
    assert.equal(matchesLabels(storedSelector(bad), { a: 'b' }), false);
  }
  assert.deepEqual(storedSelector(expressions('In', 'b')), selectorFromObject(expressions('In', 'b')));
  assert.deepEqual(storedSelector({}), selectorFromObject({}));
});

test('a selector object: absent matches nothing, empty everything', () => {
  assert.equal(matchesLabels(selectorFromObject(undefined), { a: 'b' }), false);
  assert.equal(matchesLabels(selectorFromObject({}), { a: 'b' }), true);
  const selector = selectorFromObject({
    matchLabels: { a: 'b' },
    matchExpressions: [{ key: 'c', operator: 'NotIn', values: ['d', 'e'] }],
  });
  assert.equal(formatSelector(selector), 'a=b,c notin (d,e)');
  assert.throws(() => selectorFromObject({ matchExpressions: [{ key: 'c', operator: 'Is' as 'In' }] }), {
    message: '"Is" is not a valid label selector operator',
  });
});

test('the exact value that a selector requires', () => {
  assert.equal(requiresExactLabel(selectorFromSet({ a: 'b' }), 'a'), 'b');
  assert.equal(requiresExactLabel(parseLabelSelector('a in (x,y)'), 'a'), undefined);
});
