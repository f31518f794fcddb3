import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { refuseUnknown, understand } from './usage.ts';
import type { Usage } from './usage.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const USAGE: Usage = {
  text: 'what it is',
  flags: { check: 'boolean', to: 'string' },
  refuse: (words) => refuseUnknown(words, ['one', 'two']),
};

describe('what is typed behind a script', () => {
  test('is understood', () => {
    const { flags, words } = understand(USAGE, ['two', '--check', '--to', 'there', 'one']) ?? {};
    assert.deepEqual([{ ...flags }, words], [{ check: true, to: 'there' }, ['two', 'one']]);
  });

  for (const args of [['--help'], ['-h'], ['nothing', '--help']])
    test(`may be a question: ${args.join(' ')}`, () => assert.equal(understand(USAGE, args), undefined));

  for (const [args, said] of [
    [['three'], /^there is no "three"; there are: one, two$/],
    [['--nosuch'], /^Unknown option '--nosuch'$/],
    [['-x'], /^Unknown option '-x'$/],
    [['--to'], /'--to <value>' argument missing/],
    [['--check=yes'], /'--check' does not take an argument/],
  ] as const)
    test(`is refused: ${args.join(' ')}`, () => {
      const refused = (error: unknown): boolean => error instanceof RangeError && said.test(error.message);
      assert.throws(() => understand(USAGE, args), refused);
    });

  test('has no words unless some are taken', () => {
    assert.throws(() => understand({ text: '' }, ['a']), /no words are taken, and "a" is one/);
  });
});

/** With a word that each of them does not know; those that take none know none. */
const SCRIPTS = [
  ['tools/tiers/main.ts', 'npm test'],
  ['tools/tiers/list.ts', 'TIER'],
  ['tools/tiers/held.ts', 'flakes'],
  ['tools/check.mjs', 'npm run check'],
  ['tools/guest/main.ts', 'npm run guest'],
  ['tools/tidy/main.ts', 'npm run tidy'],
  ['tools/ledger/main.ts', 'ledger'],
  ['tools/gen/main.ts', 'npm run gen'],
  ['tools/release/build.ts', 'npm run build'],
  ['tools/setup/lock.ts', 'lock.ts'],
  ['apps/bench/src/main.ts', 'npm run bench'],
] as const;

for (const [script, name] of SCRIPTS)
  test(`${script} says what it takes, and does nothing for what it does not know`, () => {
    const run = (
      ...args: string[]
    ): { readonly status: number | null; readonly stdout: string; readonly stderr: string } =>
      spawnSync(process.execPath, [script, ...args], { cwd: ROOT, encoding: 'utf8' });
    const help = run('--help');
    assert.deepEqual([help.status, help.stderr, help.stdout.includes(name)], [0, '', true]);
    for (const arg of ['nosuchword', '--nosuchflag']) {
      const { status, stdout, stderr } = run(arg);
      assert.deepEqual([status, stdout, stderr.includes(name)], [2, '', true], `${arg}: ${stderr}`);
    }
  });
