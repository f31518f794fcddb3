import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { buildCommit } from './build-commit.ts';

const A = 'a'.repeat(40);
const B = 'b'.repeat(40);

const ROWS: readonly (readonly [
  name: string,
  files: { readonly [path: string]: string },
  from: string,
  commit: string,
])[] = [
  ['written when the package was built', { commit: `${A}\n` }, 'lib/x', A],
  ['of a branch', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${A}\n` }, 'apps/b/src', A],
  [
    'of a branch that is packed',
    {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/packed-refs': `# pack\n${B} refs/heads/other\n${A} refs/heads/main\n`,
    },
    'src',
    A,
  ],
  ['of no branch', { '.git/HEAD': `${A}\n` }, '.', A],
  [
    'of a further working tree',
    {
      'tree/.git': 'gitdir: ../.git/worktrees/tree\n',
      '.git/worktrees/tree/HEAD': 'ref: refs/heads/w\n',
      '.git/worktrees/tree/commondir': '../..\n',
      '.git/refs/heads/w': `${B}\n`,
      '.git/HEAD': `${A}\n`,
    },
    'tree/src',
    B,
  ],
  ['of a repository without a commit', { '.git/HEAD': 'ref: refs/heads/main\n' }, 'src', ''],
  ['nonsense', { '.git': 'x', commit: 'y' }, 'src', ''],
];

for (const [name, files, from, commit] of ROWS) {
  test(`the commit: ${name}`, () => {
    const root = makeTestFolder().path;
    try {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      assert.equal(buildCommit(join(root, from)), commit);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
}
