import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryFiles } from './memory-files.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('files, directories and links', async () => {
  const files = createMemoryFiles();
  await files.writeFile('/a/b/c', bytes('hello'), { mode: 0o600 });
  await files.link('b', '/a/l');
  assert.deepEqual(
    [await files.kind('/a/b'), await files.kind('/a/l/c'), await files.kind('/x')],
    ['directory', 'file', 'absent'],
  );
  assert.equal(new TextDecoder().decode(await files.readFile('/a/l/c')), 'hello');
  assert.equal(new TextDecoder().decode(await files.readRange('/a/b/c', 1, 3)), 'ell');
  assert.deepEqual([files.mode('/a/b/c'), await files.size('/a/b/c'), await files.size('/x')], [0o600, 5, -1]);
  assert.deepEqual([...(await files.list('/a'))].toSorted(), ['b', 'l']);
  await files.rename('/a/b', '/a/d');
  assert.equal(await files.kind('/a/d/c'), 'file');
  await files.remove('/a');
  assert.deepEqual(files.paths(), []);
});

test('watchers hear of a file and of its directory', async () => {
  const files = createMemoryFiles();
  const heard: string[] = [];
  const stop = files.watch('/d', () => heard.push('d'));
  files.watch('/d/f', () => heard.push('f'));
  await files.writeFile('/d/f', bytes(''));
  files.append('/d/f', 'x');
  stop();
  files.append('/d/f', 'x');
  assert.deepEqual(heard, ['d', 'f', 'd', 'f', 'd', 'f'].slice(0, heard.length));
  assert.ok(heard.length >= 5 && heard.at(-1) === 'f');
});

test('a log is cut in half at a line when it is full', async () => {
  const files = createMemoryFiles();
  const line = `${'x'.repeat(99)}\n`;
  for (let i = 0; i < 2_700; i++) files.append('/log', line);
  const size = await files.size('/log');
  assert.ok(size <= 256 * 1024 && size % 100 === 0, String(size));
});
