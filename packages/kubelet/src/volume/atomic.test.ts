import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PathError } from '../errors.ts';
import { writePayload } from './atomic.ts';
import { createMemoryFiles } from './memory-files.ts';
import type { PayloadFile } from './payload.ts';

const entries = (content: { readonly [path: string]: string }): ReadonlyMap<string, PayloadFile> =>
  new Map(
    Object.entries(content).map(([path, text]) => [path, { content: new TextEncoder().encode(text), mode: 0o644 }]),
  );

async function shown(files: ReturnType<typeof createMemoryFiles>, path: string): Promise<string | undefined> {
  const bytes = await files.readFile(path);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

test('new content takes the place of the old as a whole', async () => {
  const files = createMemoryFiles();
  await writePayload(files, '/v', { entries: entries({ a: '1', 'dir/b': '2' }), stamp: 0 });
  assert.deepEqual([await shown(files, '/v/a'), await shown(files, '/v/dir/b')], ['1', '2']);
  await writePayload(files, '/v', { entries: entries({ a: '3' }), stamp: 1_000 });
  assert.deepEqual([await shown(files, '/v/a'), await shown(files, '/v/dir/b')], ['3', undefined]);
  assert.deepEqual((await files.list('/v')).toSorted(), ['..1970_01_01_00_00_01.000', '..data', 'a']);
});

test('what fails in the middle leaves nothing, however often it is tried, and the old stays', async () => {
  const files = createMemoryFiles();
  await writePayload(files, '/v', { entries: entries({ a: '1' }), stamp: 0 });
  const before = await files.list('/v');
  const writeFile = files.writeFile.bind(files);
  files.writeFile = (path, ...rest) =>
    path.endsWith('/b') ? Promise.reject(new PathError(path, 'no space left on device')) : writeFile(path, ...rest);
  for (let stamp = 1; stamp < 10; stamp++)
    await assert.rejects(writePayload(files, '/v', { entries: entries({ a: '2', b: '2' }), stamp }), /no space left/);
  assert.deepEqual(await files.list('/v'), before);
  assert.equal(await shown(files, '/v/a'), '1');
});

test('what a kubelet had begun that was killed goes with the next content', async () => {
  const files = createMemoryFiles();
  await files.writeFile('/v/..1969_12_31_00_00_00.000/half', new Uint8Array(9));
  await writePayload(files, '/v', { entries: entries({ a: '1' }), stamp: 0 });
  assert.deepEqual((await files.list('/v')).toSorted(), ['..1970_01_01_00_00_00.000', '..data', 'a']);
});
