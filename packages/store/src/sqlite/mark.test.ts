import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { MarkFile, readMark } from './mark.ts';

function scratch(t: { after: (run: () => void) => void }): string {
  const directory = makeTestFolder().path;
  t.after(() => rmSync(directory, { recursive: true }));
  return join(directory, 'mark');
}

/** Flips a bit, as a disk may. */
function damage(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

test('there is none', (t) => {
  assert.equal(readMark(scratch(t)), undefined);
});

test('what was written is read, by a later process too; only the owner may', (t) => {
  const path = scratch(t);
  const first = new MarkFile(path, { id: 9, reserved: 100, durable: 1 });
  assert.deepEqual(readMark(path), { id: 9, reserved: 100, durable: 1 });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  first.note(7);
  assert.deepEqual(readMark(path), { id: 9, reserved: 100, durable: 7 });
  first.reserve(200, 50);
  first.note(60);
  first.close();
  assert.deepEqual(readMark(path), { id: 9, reserved: 200, durable: 60 });
  const second = new MarkFile(path, { id: 9, reserved: 300, durable: 60 });
  assert.deepEqual(readMark(path), { id: 9, reserved: 300, durable: 60 });
  second.close();
});

test('a reservation that was half written leaves the one before it', (t) => {
  const path = scratch(t);
  const file = new MarkFile(path, { id: 9, reserved: 100, durable: 1 });
  file.reserve(200, 2);
  file.close();
  // The second write went to the first place.
  damage(path, 20);
  assert.deepEqual(readMark(path), { id: 9, reserved: 100, durable: 1 });
  damage(path, 512 + 20);
  assert.equal(readMark(path), 'damaged');
});

test('a note that is torn falls back to what was made durable', (t) => {
  const path = scratch(t);
  const file = new MarkFile(path, { id: 9, reserved: 100, durable: 1 });
  file.reserve(200, 50);
  file.note(60);
  file.close();
  damage(path, 4096 + 3);
  assert.deepEqual(readMark(path), { id: 9, reserved: 200, durable: 50 });
});

test('an empty file is no mark', (t) => {
  const path = scratch(t);
  writeFileSync(path, '');
  assert.equal(readMark(path), 'damaged');
});
