import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { CommandFailedError } from '../errors.ts';
import { openDataDir } from './data-dir.ts';
import { readDownRecord, rememberForDown } from './down-record.ts';
import { fileError, readRecord, systemError, writePrivateFile } from './record-file.ts';
import { claim, readRunning } from './run-file.ts';

function scratch(t: { after: (run: () => void) => void }): string {
  const directory = makeTestFolder().path;
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

function assertOneLine(run: () => unknown, said: RegExp): void {
  assert.throws(run, (error: unknown) => {
    assert.ok(error instanceof CommandFailedError, String(error));
    assert.doesNotMatch(error.message, /\n/);
    assert.match(error.message, said);
    return true;
  });
}

const GARBAGE: readonly { name: string; text: string; said: RegExp }[] = [
  { name: 'empty', text: '', said: /run\.json is empty; if no binnacle runs there, delete it$/ },
  { name: 'zeros, as a loss of power leaves', text: '\0\0\0\0', said: /run\.json is damaged: it is no JSON object/ },
  { name: 'half', text: '{"pid": 12', said: /run\.json is damaged: it is no JSON object/ },
  { name: 'a list', text: '[]', said: /run\.json is damaged: it is no JSON object/ },
  { name: 'null', text: 'null', said: /run\.json is damaged: it is no JSON object/ },
  { name: 'no pid', text: '{"server":"x"}', said: /run\.json is damaged: it names no process/ },
  { name: 'a pid that would mean many', text: '{"pid":-1,"startTicks":"1"}', said: /it names no process/ },
];

for (const { name, text, said } of GARBAGE) {
  test(`run.json is ${name}`, (t) => {
    const dataDir = openDataDir(scratch(t));
    writeFileSync(dataDir.runFile, text);
    assertOneLine(() => readRunning(dataDir), said);
    assertOneLine(() => claim(dataDir), said);
  });
}

test('what a copy of a data directory brought along is nothing that runs there', (t) => {
  const original = openDataDir(join(scratch(t), 'a'));
  claim(original);
  rememberForDown(original, { endpoint: 'unix:///x' });
  assert.equal(readRunning(original)?.pid, process.pid);
  const copied = join(scratch(t), 'b');
  cpSync(original.root, copied, { recursive: true });
  const copy = openDataDir(copied);
  assert.equal(readRunning(copy), undefined);
  assert.deepEqual(readDownRecord(copy), {});
  claim(copy);
  assert.equal(readRunning(copy)?.pid, process.pid);
  renameSync(original.root, `${original.root}-moved`);
  assert.equal(readRunning(openDataDir(`${original.root}-moved`))?.pid, process.pid);
});

test('down.json is garbage', (t) => {
  const dataDir = openDataDir(scratch(t));
  writeFileSync(join(dataDir.root, 'down.json'), 'x');
  assertOneLine(() => readDownRecord(dataDir), /down\.json is damaged/);
  writeFileSync(join(dataDir.root, 'down.json'), '{"podCidr":5,"endpoint":"unix:///x"}');
  assert.deepEqual(readDownRecord(dataDir), { endpoint: 'unix:///x' });
});

test('the data directory is a file, or lies below one', (t) => {
  const file = join(scratch(t), 'file');
  writeFileSync(file, '');
  assertOneLine(() => openDataDir(file), /^cannot use the data directory .*file: it is a file, not a folder$/);
  assertOneLine(() => openDataDir(join(file, 'below')), /below: a part of the path is a file, not a folder$/);
});

test('a data directory that others may read is made private, with a word', (t) => {
  const root = scratch(t);
  mkdirSync(join(root, 'pki'), { mode: 0o755 });
  chmodSync(root, 0o750);
  const said: string[] = [];
  openDataDir(root, (line) => said.push(line));
  assert.deepEqual(
    [root, join(root, 'pki')].map((folder) => statSync(folder).mode & 0o777),
    [0o700, 0o700],
  );
  assert.deepEqual(said, [
    `others could read ${root} (mode 750); it is private now`,
    `others could read ${join(root, 'pki')} (mode 755); it is private now`,
  ]);
  openDataDir(root, () => assert.fail('said twice'));
});

test('a file is replaced whole, private, and leaves nothing beside it; what is in the way is named', (t) => {
  const directory = scratch(t);
  const path = join(directory, 'below', 'record.json');
  writePrivateFile(path, '{"a":1}');
  assert.deepEqual(readRecord(path), { a: 1 });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(join(directory, 'below')), ['record.json']);
  assert.equal(readRecord(join(directory, 'none')), undefined);
  assertOneLine(
    () => writePrivateFile(join(path, 'x'), ''),
    /^cannot write .*record\.json\/x: (?:it is|a part of the)/,
  );
  assertOneLine(() => readRecord(directory), /: it is a folder, not a file$/);
});

test('what is not the system refusing is passed on', () => {
  const bug = new TypeError('x is not a function');
  assert.equal(fileError('write', '/x', bug), bug);
});

test('files of the folders that others may read are made private too, with one line', (t) => {
  const root = scratch(t);
  mkdirSync(join(root, 'pki'), { mode: 0o700 });
  const keys = ['ca.key', 'sa.key'].map((name) => join(root, 'pki', name));
  for (const key of keys) writeFileSync(key, 'secret', { mode: 0o644 });
  const said: string[] = [];
  openDataDir(root, (line) => said.push(line));
  assert.deepEqual(
    keys.map((key) => statSync(key).mode & 0o777),
    [0o600, 0o600],
  );
  assert.deepEqual(said, [`others could read 2 files in ${join(root, 'pki')}; private now`]);
});

test('a folder that takes none is refused at once', { skip: process.platform !== 'linux' }, () => {
  // The platform's own way to make all folders of a path never ends here.
  assertOneLine(() => openDataDir('/proc/binnacle'), /^cannot use the data directory \/proc\/binnacle: .*made there$/);
  assertOneLine(() => writePrivateFile('/proc/binnacle/record.json', '{}'), /^cannot write /);
});

const REFUSALS: readonly { name: string; error: object; said: RegExp }[] = [
  {
    name: 'with a path',
    error: { code: 'ENOSPC', syscall: 'write', path: '/x' },
    said: /cannot write \/x: the disk is full/,
  },
  {
    name: 'to open',
    error: { code: 'EACCES', syscall: 'open', path: '/x' },
    said: /cannot open \/x: permission denied/,
  },
];
for (const { name, error, said } of REFUSALS) {
  test(`what the system refuses anywhere is one line: ${name}`, () => {
    const told = systemError(Object.assign(new Error('refused'), error));
    assert.ok(told instanceof CommandFailedError);
    assert.match(told.message, said);
  });
}

test('an error without a file, or with a code of its own, keeps its stack', () => {
  for (const error of [
    new Error('bug'),
    Object.assign(new Error('x'), { code: 'EWHAT', syscall: 'open', path: '/x' }),
  ]) {
    assert.equal(systemError(error), error);
  }
});
