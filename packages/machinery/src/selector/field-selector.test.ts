import assert from 'node:assert/strict';
import test from 'node:test';
import { formatFieldSelector, matchesFields, parseFieldSelector, requiresExactMatch } from './field-selector.ts';

const OBJECT: Record<string, string> = { 'metadata.name': 'x', 'spec.nodeName': '', 'a.b': 'p,q=r\\' };

const MATCHES: [selector: string, matches: boolean][] = [
  ['', true],
  ['metadata.name=x', true],
  ['metadata.name==x,spec.nodeName=', true],
  ['metadata.name!=x', false],
  ['spec.nodeName!=', false],
  ['a.b=p\\,q\\=r\\\\', true],
  ['unknown=', true],
];
for (const [text, matches] of MATCHES) {
  test(`"${text}" ${matches ? 'matches' : 'does not match'}`, () => {
    const selector = parseFieldSelector(text);
    assert.equal(
      matchesFields(selector, (field) => OBJECT[field]),
      matches,
    );
    assert.deepEqual(parseFieldSelector(formatFieldSelector(selector)), selector);
  });
}

// Provenance: upstream's fields package.
for (const [text, message] of [
  ['a', "invalid selector: 'a'; can't understand 'a'"],
  ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
  ['a=b=c', 'invalid field selector: unescaped character in value: ='],
] as const) {
  test(`"${text}" is refused`, () => assert.throws(() => parseFieldSelector(text), { code: 'selector', message }));
}

test('the exact value that a selector requires', () => {
  assert.equal(requiresExactMatch(parseFieldSelector('spec.nodeName=n1'), 'spec.nodeName'), 'n1');
  assert.equal(requiresExactMatch(parseFieldSelector('spec.nodeName!=n1'), 'spec.nodeName'), undefined);
});
