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

for (const [type, path, message] of rows) {
  test(`hostPath ${type || 'unchecked'} at ${path}`, async () => {
    const files = createMemoryFiles();
    await files.writeFile('/file', new Uint8Array());
    const done = checkHostPath(files, { path, type: type as 'File' });
    await (message === undefined ? done : assert.rejects(done, { message }));
  });
}
