import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';

let folder: string;
let temporary: string;
let code: string;
describe('the launcher', () => {
  beforeEach(() => {
    folder = makeTestFolder().path;
    temporary = join(folder, 'tmp');
    code = join(temporary, `binnacle-code-${process.getuid?.()}`);
    mkdirSync(temporary);
    copyFileSync(join(import.meta.dirname, '../launch.mjs'), join(folder, 'launch.mjs'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/main.ts'), 'process.stdout.write(String(process.argv[2]));');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Launches a small program in place of ours, which must run whatever becomes of the folder. */
  function launch(more: NodeJS.ProcessEnv = {}): void {
    const { NODE_COMPILE_CACHE: _cache, ...env } = process.env;
    const options = { encoding: 'utf8', env: { ...env, TMPDIR: temporary, ...more } } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'launch.mjs'), 'word'], options);
    assert.deepEqual([status, stderr, stdout], [0, '', 'word']);
  }

  test('compiled code is kept in a folder that nobody else can look into', () => {
    launch();
    assert.equal(statSync(code).mode & 0o777, 0o700);
    assert.equal(readdirSync(code).length, 1);
  });

  for (const [what, make] of [
    [
      'that others may write',
      () => {
        mkdirSync(code);
        chmodSync(code, 0o777);
      },
    ],
    [
      'behind a link',
      () => {
        mkdirSync(join(folder, 'elsewhere'));
        symlinkSync(join(folder, 'elsewhere'), code);
      },
    ],
  ] as const) {
    test(`a folder ${what} is not used: what is kept there is run`, () => {
      make();
      launch();
      assert.deepEqual(readdirSync(code), []);
    });
  }

  test('whoever names a folder for compiled code has it there', () => {
    launch({ NODE_COMPILE_CACHE: join(folder, 'mine') });
    assert.equal(readdirSync(join(folder, 'mine')).length, 1);
    assert.deepEqual(readdirSync(temporary), []);
  });
});
