import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restoreText } from './restore-text.ts';

const chains = (all: { readonly [chain: string]: readonly string[] }): ReadonlyMap<string, readonly string[]> =>
  new Map(Object.entries(all));

const ROWS: readonly (readonly [name: string, change: Parameters<typeof restoreText>[1], text: string])[] = [
  ['nothing changed', { before: chains({ A: ['-j B'] }), after: chains({ A: ['-j B'] }) }, ''],
  [
    'what is another is emptied and written, what is gone is deleted last',
    {
      before: chains({ A: ['-j B'], B: [] }),
      after: chains({ A: ['-j C'], C: ['-j DROP'] }),
      leftovers: ['C', 'D'],
    },
    '*nat\n:A - [0:0]\n:C - [0:0]\n:B - [0:0]\n:D - [0:0]\n-A A -j C\n-A C -j DROP\n-X B\n-X D\nCOMMIT\n',
  ],
  [
    'ways in alone',
    { before: chains({}), after: chains({}), entrances: ['-I OUTPUT 1 -j A'] },
    '*nat\n-I OUTPUT 1 -j A\nCOMMIT\n',
  ],
];

for (const [name, change, text] of ROWS) test(name, () => assert.equal(restoreText('nat', change), text));

test('a rule that is several lines is told to nobody: it would be another’s command', () => {
  const after = chains({ A: ['-s 10.0.0.0/8\n-F INPUT\n-j DROP'] });
  assert.throws(() => restoreText('nat', { before: chains({}), after }), { code: 'network' });
});
