import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryFiles } from '../memory-files.ts';
import { checkHostPath } from './host-path.ts';

const rows: readonly [string, string, string | undefined][] = [
  ['', '/none', undefined],
  ['Directory', '/none', 'hostPath type check failed: /none is not a directory'],
  ['DirectoryOrCreate', '/file', 'hostPath type check failed: /file is not a directory'],
  ['FileOrCreate', '/file', undefined],
  ['CharDevice', '/file', 'hostPath type check failed: /file is not a character device'],
];

// Pods that begin at once want one lock, not one each.
test('a file that somebody makes meanwhile stays theirs', async () => {
  const memory = createMemoryFiles();
  let looks = 0;
  const look = memory.kind.bind(memory);
  memory.kind = async (path) => {
    const kind = await look(path);
    if (looks++ === 0) await memory.writeFile(path, new TextEncoder().encode('theirs'));
    return kind;
  };
  await checkHostPath(memory, { path: '/run/lock', type: 'FileOrCreate' });
  assert.equal(new TextDecoder().decode(await memory.readFile('/run/lock')), 'theirs');
});

for (const [type, path, message] of rows) {
  test(`hostPath ${type || 'unchecked'} at ${path}`, async () => {
    const files = createMemoryFiles();
    await files.writeFile('/file', new Uint8Array());
    const done = checkHostPath(files, { path, type: type as 'File' });
    await (message === undefined ? done : assert.rejects(done, { message }));
  });
}
