import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { isOwn, readKept, writeKept } from './kept-code.ts';

const KEPT_CODE = new URL('kept-code.ts', import.meta.url).href;
const STAMP = { tag: 0xdead_beef, source: 7 };

let folder: string;
let path: string;
describe('code that is kept', () => {
  beforeEach(() => {
    folder = makeTestFolder().path;
    path = join(folder, 'a.code');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  describe('what is read back', () => {
    test('is what was written, for its text and its V8 only', () => {
      writeKept(path, STAMP, Buffer.from('code'));
      assert.equal(readKept(path, STAMP)?.toString(), 'code');
      assert.equal(readKept(path, { ...STAMP, tag: 1 }), undefined);
      assert.equal(readKept(path, { ...STAMP, source: 8 }), undefined);
      assert.equal(statSync(path).mode & 0o777, 0o600);
      writeKept(path, { ...STAMP, source: 8 }, Buffer.from('other'));
      assert.equal(readKept(path, { ...STAMP, source: 8 })?.toString(), 'other');
    });

    for (const [what, spoil] of [
      ['of which a byte is another', () => writeFileSync(path, readFileSync(path).fill(0, 18, 19))],
      ['that is cut off', () => writeFileSync(path, readFileSync(path).subarray(0, 18))],
      ['that is cut off in its stamp', () => writeFileSync(path, readFileSync(path).subarray(0, 5))],
      ['that is empty', () => writeFileSync(path, '')],
      ['that others may write', () => chmodSync(path, 0o620)],
      ['in a folder that others may write', () => chmodSync(folder, 0o777)],
      ['that is not there', () => rmSync(path)],
      [
        'but a folder',
        () => {
          rmSync(path);
          mkdirSync(path);
        },
      ],
    ] as const) {
      test(`is not a file ${what}`, () => {
        writeKept(path, STAMP, Buffer.from('code'));
        spoil();
        assert.equal(readKept(path, STAMP), undefined);
      });
    }

    for (const room of [0, 19, 20, 100]) {
      test(`begins where V8 needs no copy of it, also with a desk of ${room} bytes`, () => {
        writeKept(path, STAMP, Buffer.from('code'));
        const desk = Buffer.allocUnsafeSlow(room).fill('x');
        const code = readKept(path, STAMP, desk);
        assert.equal(code?.toString(), 'code');
        assert.equal(code.byteOffset % 8, 0);
        assert.equal(code.buffer === desk.buffer, room >= 20, 'what has room lies there');
      });
    }

    test('is not behind a link: where it leads is not known to be ours', () => {
      writeKept(path, STAMP, Buffer.from('code'));
      const link = join(folder, 'link');
      symlinkSync(path, link);
      assert.equal(isOwn(link), false);
      assert.equal(readKept(link, STAMP), undefined);
    });
  });

  test('what cannot be written is left, with nothing half of it', () => {
    mkdirSync(path);
    writeKept(path, STAMP, Buffer.from('code'));
    assert.equal(existsSync(`${path}.${process.pid}`), false);
    writeKept(join(folder, 'gone/a.code'), STAMP, Buffer.from('code'));
    assert.equal(existsSync(join(folder, 'gone')), false);
  });

  describe('a program', () => {
    /** Says what it was given, whether it is strict, and, where told to, that it has started. */
    const PROGRAM = `
const { channel } = require('node:diagnostics_channel');
const { basename } = require('node:path');
const { stdout, argv } = process;
function used() { return [1, 2, 3].map((n) => n * 2).join(); }
const isStrict = (function () { return this === undefined; })();
stdout.write([basename(__filename), typeof module.exports, used(), isStrict].join(' '));
if (argv.includes('start')) setImmediate(() => channel('binnacle.started').publish());
`;
    const SAYS = 'program.cjs object 2,4,6 true';
    const TELL_TAG = `function tell() {
    process.stdout.write(JSON.stringify({ tag: require('node:v8').cachedDataVersionTag() }));
  }`;

    function writeProgram(text: string): void {
      const program = `(function (exports, require, module, __filename) {"use strict";${text}\n})`;
      writeFileSync(join(folder, 'program.cjs'), program);
    }

    function runText(text: string): string {
      writeProgram(text);
      return run('');
    }

    function run(word: string): string {
      const file = join(folder, 'program.cjs');
      const code = `import { runWithKeptCode } from ${JSON.stringify(KEPT_CODE)};
      runWithKeptCode(${JSON.stringify(file)}, ${JSON.stringify(path)});`;
      const args = ['--input-type=module', '--eval', code, word];
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.deepEqual([stderr, status], ['', 0]);
      return stdout;
    }

    beforeEach(() => writeProgram(PROGRAM));

    test('that did not start keeps nothing, one that did keeps its code, and the next one runs by it', () => {
      assert.equal(run('fail'), SAYS);
      assert.equal(existsSync(path), false);
      assert.equal(run('start'), SAYS);
      const first = statSync(path).mtimeMs;
      assert.equal(run('start'), SAYS);
      assert.equal(statSync(path).mtimeMs, first, 'what is good is not written again');
    });

    test('that has changed is compiled anew, and its code kept', () => {
      run('start');
      writeProgram(PROGRAM.replace('n * 2', 'n * 3'));
      const before = readFileSync(path);
      assert.equal(run('start'), SAYS.replace('2,4,6', '3,6,9'));
      assert.notDeepEqual(readFileSync(path), before);
    });

    test('has the flags that Node has by itself: for others the code of Node’s own modules is not good, and all are compiled', () => {
      const { tag } = JSON.parse(runText(`${TELL_TAG} tell();`)) as { tag: number };
      const bare = spawnSync(process.execPath, ['--eval', `${TELL_TAG} tell();`], { encoding: 'utf8' });
      assert.deepEqual({ tag }, JSON.parse(bare.stdout));
    });

    for (const flags of [
      ['--memory-reducer-gc-count=0'],
      ['--memory-reducer-gc-count=0', '--heap-growing-percent=100'],
    ])
      test(`keeps its code though idle memory has set ${flags.join(' and ')} by then, which stays set`, () => {
        const text = `${TELL_TAG} for (const flag of ${JSON.stringify(flags)}) require('node:v8').setFlagsFromString(flag);
      const before = require('node:v8').cachedDataVersionTag();
      require('node:diagnostics_channel').channel('binnacle.started').publish();
      process.on('exit', () => { if (before === require('node:v8').cachedDataVersionTag()) tell(); });`;
        assert.notEqual(runText(text), '', 'the flag is gone');
        const first = statSync(path).mtimeMs;
        runText(text);
        assert.equal(statSync(path).mtimeMs, first, 'the code was not good for the next start');
      });

    test('runs where its code is a stranger’s', () => {
      writeFileSync(path, 'nonsense');
      chmodSync(path, 0o666);
      assert.equal(run('start'), SAYS);
    });
  });
});
