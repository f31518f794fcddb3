import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Command } from 'commander';
import type { Option } from 'commander';
import { countOption, durationOption, parseCount, parseList, parseShare, switchOption } from './flag-options.ts';

/** What a command with the option makes of its arguments; the refusal where it takes them not. */
function taken(option: Option, ...args: readonly string[]): unknown {
  let told = '';
  const command = new Command('it').exitOverride().configureOutput({ writeErr: (text) => (told += text) });
  try {
    return command.addOption(option).parse(args, { from: 'user' }).opts()[option.attributeName()];
  } catch {
    return told.trimEnd();
  }
}

describe('a switch, as those of Go', () => {
  for (const [args, expected] of [
    [['--on'], true],
    [['--on=true'], true],
    [['--on=false'], false],
    [[], undefined],
    [['--on=yes'], "error: option '--on [value]' argument 'yes' is invalid. expected true or false"],
    [['--on='], "error: option '--on [value]' argument '' is invalid. expected true or false"],
  ] as const) {
    test(args.join(' ') || 'not given', () => assert.equal(taken(switchOption('on', ''), ...args), expected));
  }
});

describe('a duration', () => {
  for (const [given, expected] of [
    ['1m30s', 90_000],
    ['0', 0],
    ['5', `error: option '--wait <duration>' argument '5' is invalid. time: missing unit in duration "5"`],
    ['-5s', `error: option '--wait <duration>' argument '-5s' is invalid. time: invalid duration "-5s"`],
  ] as const) {
    test(given, () => assert.equal(taken(durationOption('wait', ''), `--wait=${given}`), expected));
  }
});

describe('a number', () => {
  const refusal = (given: string): string =>
    `error: option '--n <n>' argument '${given}' is invalid. expected a whole number`;
  for (const [given, expected] of [
    ['0', 0],
    ['999999999', 999_999_999],
    ['1000000000', refusal('1000000000')],
    ['-1', refusal('-1')],
    ['1.5', refusal('1.5')],
    ['0x10', refusal('0x10')],
    ['1e3', refusal('1e3')],
    ['', refusal('')],
  ] as const) {
    test(`given as "${given}"`, () => assert.equal(taken(countOption('n <n>', ''), `--n=${given}`), expected));
  }

  test('of nodes has five digits at the most, a share a fraction', () => {
    assert.deepEqual(['0', '7', '99999'].map(parseCount), [0, 7, 99_999]);
    for (const bad of ['100000', '-1', '1.0', ' 1', '', 'one'])
      assert.throws(() => parseCount(bad), /whole number/, bad);
    assert.deepEqual(['0', '0.1', '12', '1.000000001'].map(parseShare), [0, 0.1, 12, 1.000000001]);
    for (const bad of ['.5', '1.', '-0.1', '1e-3', 'NaN', '', '1.0000000001']) {
      assert.throws(() => parseShare(bad), /expected a number/, bad);
    }
  });
});

test('of a list what is empty is nothing', () => {
  assert.deepEqual(parseList('a,b'), ['a', 'b']);
  assert.deepEqual(parseList(',a,,b,'), ['a', 'b']);
  assert.deepEqual(parseList(''), []);
  assert.deepEqual(parseList('*,-one'), ['*', '-one']);
});
