import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepsOf } from './pattern-size.ts';
import { PatternError, readPattern } from './read-pattern.ts';

const DOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';

const TAKEN: readonly [name: string, source: string][] = [
  ['names of domains', `^${DOMAIN}$`],
  ['a thousand letters of a class', '^[a-zA-Z0-9_.-]{1,1000}$'],
  ['letters of any script, by the hundred', '^[\\p{L}\\p{N} _-]{1,256}(,[\\p{L}\\p{N} _-]{1,256}){0,2}$'],
  ['eighteen lists of a thousand', 'x{1,1000}'.repeat(18)],
  ['braces that mean themselves', 'a{1000}'.repeat(10) + '[{1000}]'.repeat(100) + '\\{1000}'.repeat(100) + '{,9}'],
  ['what is quoted', `\\Q${'([{9}'.repeat(1000)}\\E{2}`],
  ['a class of its own end', '[]a]{1,900}[^]a]{1,900}[[:alpha:]]{1,900}[\\]]{1,900}'],
  ['what is no pattern', '((([[[)))]]]{{{'],
  ['ten thousand characters', 'abcde'.repeat(2000)],
];
const REFUSED: readonly [name: string, source: string][] = [
  ['more than ten thousand characters', 'abcde'.repeat(2000) + 'f'],
  ['thirty lists of a thousand', '[a-z]{1,1000}'.repeat(30)],
  ['groups in groups', '((ab?c){1,30}d){1,30}'.repeat(10)],
  ['classes of Unicode, each a table', '\\pL'.repeat(500)],
  ['such classes in brackets', '[\\p{L}\\P{N}]'.repeat(500)],
  ['lists behind a class that is quoted', `\\Q[\\E${'x{1,1000}'.repeat(30)}`],
  ['lists behind a class that ends at once', `[]]${'x{1,1000}'.repeat(30)}`],
  ['lists behind a named class', `[[:digit:]]${'x{1000}'.repeat(30)}`],
  ['groups that nobody closes', '('.repeat(20) + 'x{1,1000}'.repeat(30)],
];

test('what people write is taken', () => {
  for (const [name, source] of TAKEN) assert.notEqual(stepsOf(source), undefined, name);
});

test('what would become too large is refused without compiling it, in the words of Go', () => {
  for (const [name, source] of REFUSED) {
    assert.equal(stepsOf(source), undefined, name);
    assert.throws(
      () => readPattern(source),
      (error) => error instanceof PatternError && error.message === 'error parsing regexp: expression too large',
    );
  }
});

test('what RE2 does not take is refused in its words', () => {
  assert.throws(() => readPattern('('), /missing closing \)/);
  assert.throws(() => readPattern('x{1001}'), /invalid repeat/);
  assert.ok(readPattern('^a+$').expression.matcher('aaa').find());
});
