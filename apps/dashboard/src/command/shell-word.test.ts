import { equal } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { shellWord } from './shell-word.ts';

const ROWS: readonly (readonly [name: string, text: string, word: string])[] = [
  ['a name', 'web-1.a', 'web-1.a'],
  ['a target', 'deployments.apps/web', 'deployments.apps/web'],
  ['a role of the system', 'system:controller:job-controller', 'system:controller:job-controller'],
  ['nothing', '', "''"],
  ['spaces', 'a b', "'a b'"],
  ['a command', '$(touch /tmp/x)`id`', "'$(touch /tmp/x)`id`'"],
  ['quotes', `a'b"c`, `'a'\\''b"c'`],
  ['an end of line', 'a\nrm b', String.raw`$'a\u000arm b'`],
  ['an end of line and quotes', "a\n'\\", String.raw`$'a\u000a\'\\'`],
  ['turned text', 'a\u202eb', String.raw`$'a\u202eb'`],
  ['other letters', '이름', "'이름'"],
];
for (const [name, text, word] of ROWS) test(name, () => equal(shellWord(text), word));

test('a shell reads each word as it was', () => {
  const words = ROWS.map(([, text]) => text);
  const command = `printf '%s\\0' ${words.map(shellWord).join(' ')}`;
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  equal(execFileSync('bash', ['-c', command], { env, encoding: 'utf8' }), words.map((word) => `${word}\0`).join(''));
});
