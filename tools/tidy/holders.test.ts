import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unheld } from './holders.ts';

const known = { checks: new Set(['imports']), isTest: (path: string) => path === 'packages/a/src/b.test.ts' };
const page = (laws: string): string => `# A\n\n1. no law\n\n## Laws\n\n${laws}\n\nMore.\n\n## Else\n\n1. none\n`;

const rows: readonly [string, string, readonly string[]][] = [
  ['a check', page('1. **A.** Words `x`. _Held by_: `imports`'), []],
  ['a test, on a line of its own', page('1. **A.** Words.\n   _Held by_: `packages/a/src/b.test.ts`, `imports`'), []],
  ['nothing', page('1. **A.**\n2. **B.** _Held by_: `imports`'), ['law 1 names nothing that holds it']],
  ['names before the word', page('1. **A.** `imports`'), ['law 1 names nothing that holds it']],
  ['what is not there', page('1. **A.** _Held by_: `magic`'), ['law 1 is held by magic, which is neither']],
  ['no laws', '# A\n', ['there are no laws']],
];

for (const [name, text, wanted] of rows) {
  test(`a law held by ${name}`, () => {
    const said = unheld(text, known);
    assert.equal(said.length, wanted.length, said.join('\n'));
    for (const [at, part] of wanted.entries()) assert.ok(said[at]?.includes(part), said[at]);
  });
}
