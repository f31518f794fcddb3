import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Command, Option } from 'commander';
import { normaliseArguments, pointToHelp, refuseMissingValues } from './spelling.ts';

describe('flags of one letter in every spelling', () => {
  const rows: readonly [readonly string[], { readonly output?: string; readonly v?: string }][] = [
    [['-o', 'json'], { output: 'json' }],
    [['-ojson'], { output: 'json' }],
    [['-o=json'], { output: 'json' }],
    [['--output=json'], { output: 'json' }],
    [['-v=2'], { v: '2' }],
    [['-v2'], { v: '2' }],
    [['-v', '2'], { v: '2' }],
    [['--v=2'], { v: '2' }],
    [['-v=2x'], { v: '2x' }],
    [['-o=a=b'], { output: 'a=b' }],
  ];
  for (const [args, expected] of rows) {
    test(args.join(' '), () => {
      const command = new Command()
        .exitOverride()
        .addOption(new Option('-o, --output <format>'))
        .addOption(new Option('-v, --v <level>'));
      command.parse(normaliseArguments(args), { from: 'user' });
      assert.deepEqual(command.opts(), expected);
    });
  }
});

test('the version is asked for in both ways, and only of the program', () => {
  assert.deepEqual(normaliseArguments(['--version']), ['version']);
  assert.deepEqual(normaliseArguments(['up', '--version']), ['up', '--version']);
});

test('a mistake is told with the place of the help, not with all of it', () => {
  let told = '';
  const program = new Command('top');
  const below = program.command('below').option('--known', 'a flag that help would tell');
  for (const command of [program, below]) {
    command.exitOverride().configureOutput({ writeErr: (text) => (told += text) });
  }
  pointToHelp(program);
  assert.throws(() => program.parse(['below', '--zzz'], { from: 'user' }));
  assert.equal(told, "error: unknown option '--zzz'\nsee: top below --help\n");
});

describe('what stands in the place of a value', () => {
  const parsed = (args: readonly string[]): object => {
    const top = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
    top
      .option('--dir <dir>')
      .option('--file <file...>')
      .option('--list <names>', 'names', (text) => text.split(','))
      .option('--switch')
      .addOption(new Option('--choice <choice>').choices(['on', 'off']).default('on'));
    refuseMissingValues(top);
    return top.parse(args, { from: 'user' }).opts();
  };
  const rows: readonly [readonly string[], object | RegExp][] = [
    [['--dir', 'a', '--switch'], { choice: 'on', dir: 'a', switch: true }],
    [['--dir', '--switch'], /--dir <dir>' argument '--switch' is invalid. its value is missing/],
    [['--dir=--switch'], /its value is missing/],
    [['--file', '--dir', 'a'], /its value is missing/],
    [['--dir='], /it is empty/],
    [['--file', ''], /it is empty/],
    [['--file', 'a', 'b', '--file=c'], { choice: 'on', file: ['a', 'b', 'c'] }],
    [['--dir', '-1'], { choice: 'on', dir: '-1' }],
    [['--list='], { choice: 'on', list: [''] }],
    [['--list', 'a,b', '--choice', 'off'], { choice: 'off', list: ['a', 'b'] }],
    [['--choice', '--dir'], /its value is missing/],
    [['--choice=maybe'], /Allowed choices are on, off/],
  ];
  for (const [args, expected] of rows) {
    test(args.join(' '), () => {
      if (expected instanceof RegExp) assert.throws(() => parsed(args), expected);
      else assert.deepEqual(parsed(args), expected);
    });
  }
});
