import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger, VirtualClock } from '@binnacle/base';
import { pass } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { createFileSource } from './file-source.ts';

const manifest = (name: string, image = 'x'): Uint8Array =>
  new TextEncoder().encode(
    `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {containers: [{name: c, image: "${image}"}]}}`,
  );

async function start(isTold = false): Promise<{
  clock: VirtualClock;
  files: ReturnType<typeof createMemoryFiles>;
  heard: string[];
  stop: () => void;
}> {
  const clock = new VirtualClock();
  const files = createMemoryFiles();
  await files.writeFile('/m/a.yaml', manifest('a'));
  await files.writeFile('/m/.hidden.yaml', manifest('hidden'));
  const heard: string[] = [];
  const source = createFileSource({ path: '/m', files, clock, log: silentLogger });
  const stop = source.follow('n', {
    upsert: (pod) => heard.push(`+${pod.metadata.name ?? ''} ${pod.spec.containers[0]?.image ?? ''}`),
    remove: (pod) => heard.push(`-${pod.metadata.name ?? ''} ${pod.spec.containers[0]?.image ?? ''}`),
    ready: () => heard.push('ready'),
    refused: (file, reason) => isTold && heard.push(`? ${file} ${reason ?? 'fine'}`),
  });
  await pass(clock, 10);
  return { clock, files, heard, stop };
}

test('what is there comes first, then additions, changes and removals', async () => {
  const { clock, files, heard, stop } = await start();
  assert.deepEqual(heard.splice(0), ['+a-n x', 'ready']);
  await files.writeFile('/m/b.yaml', manifest('b'));
  await pass(clock, 50);
  assert.deepEqual(heard.splice(0), ['+b-n x']);
  await files.writeFile('/m/a.yaml', manifest('a', 'y'));
  await pass(clock, 50);
  assert.deepEqual(heard.splice(0), ['-a-n x', '+a-n y']);
  await files.remove('/m/b.yaml');
  await pass(clock, 50);
  assert.deepEqual(heard.splice(0), ['-b-n x']);
  stop();
  await files.writeFile('/m/c.yaml', manifest('c'));
  await pass(clock, 50);
  assert.deepEqual(heard, []);
});

// Editors leave copies behind. Two pods of one name would have one mirror between them.
test('of two files with a pod of one name the second waits until the first has gone', async () => {
  const { clock, files, heard, stop } = await start(true);
  heard.length = 0;
  await files.writeFile('/m/a.yaml~', manifest('a', 'old'));
  await files.writeFile('/m/Z.yaml', manifest('z'));
  await pass(clock, 50);
  assert.deepEqual(heard.splice(0), ['+z-n x', "? a.yaml~ /m/a.yaml~: duplicate pod name, it is a.yaml's"]);
  await files.writeFile('/m/b.yaml', manifest('b'));
  await pass(clock, 50);
  assert.deepEqual(heard.splice(0), ['+b-n x']);
  await files.remove('/m/a.yaml');
  await pass(clock, 50);
  assert.deepEqual(heard.splice(0), ['-a-n x', '? a.yaml~ fine', '+a-n old']);
  stop();
});

test('a name that a file gives up is free in the same look for one that was read before', async () => {
  const { clock, files, heard, stop } = await start(true);
  await files.writeFile('/m/B.yaml', manifest('a', 'other'));
  await pass(clock, 50);
  heard.length = 0;
  await files.writeFile('/m/a.yaml', manifest('c'));
  await pass(clock, 50);
  assert.deepEqual(heard, ['-a-n x', '+c-n x', '? B.yaml fine', '+a-n other']);
  stop();
});

test('two files that exchange the names of their pods', async () => {
  const { clock, files, heard, stop } = await start();
  await files.writeFile('/m/b.yaml', manifest('b'));
  await pass(clock, 50);
  heard.length = 0;
  await files.writeFile('/m/a.yaml', manifest('b', 'new'));
  await files.writeFile('/m/b.yaml', manifest('a', 'new'));
  await pass(clock, 50);
  assert.deepEqual(heard, ['-a-n x', '-b-n x', '+a-n new', '+b-n new']);
  stop();
});

test('a file that cannot be used leaves the pod that it was', async () => {
  const { clock, files, heard, stop } = await start();
  heard.length = 0;
  await files.writeFile('/m/a.yaml', new TextEncoder().encode('kind: ['));
  await pass(clock, 50);
  assert.deepEqual(heard, []);
  await files.remove('/m/a.yaml');
  await pass(clock, 50);
  assert.deepEqual(heard, ['-a-n x']);
  stop();
});

test('what is refused is told, and does not stop the rest', async () => {
  const clock = new VirtualClock();
  const files = createMemoryFiles();
  await files.makeDirectory('/m/a-folder');
  await files.writeFile('/m/b.yaml', new TextEncoder().encode('{apiVersion: v1, kind: ReplicationController}'));
  await files.writeFile('/m/c.yaml', manifest('c'));
  const told: unknown[] = [];
  const source = createFileSource({
    path: '/m',
    files,
    clock,
    log: silentLogger,
  });
  const heard: string[] = [];
  const stop = source.follow('n', {
    upsert: (pod) => heard.push(pod.metadata.name ?? ''),
    remove: () => undefined,
    ready: () => heard.push('ready'),
    refused: (file, reason) => told.push([file, reason]),
  });
  await pass(clock, 10);
  assert.deepEqual(heard, ['c-n', 'ready']);
  assert.deepEqual(told.splice(0), [
    ['a-folder', '/m/a-folder: is not a file'],
    ['b.yaml', '/m/b.yaml: a v1 Pod is wanted, this is v1 ReplicationController'],
  ]);
  await files.writeFile('/m/b.yaml', manifest('b'));
  await files.remove('/m/a-folder');
  await pass(clock, 50);
  assert.deepEqual(told, [
    ['a-folder', undefined],
    ['b.yaml', undefined],
  ]);
  stop();
});

test('a file that is larger than any manifest is refused without being read', async () => {
  const { clock, files, heard, stop } = await start();
  heard.length = 0;
  const size = files.size.bind(files);
  files.size = async (path) => (path === '/m/huge.yaml' ? 2 ** 40 : size(path));
  const asked: string[] = [];
  const readRange = files.readRange.bind(files);
  files.readRange = (path, offset, length) => {
    asked.push(path);
    return readRange(path, offset, length);
  };
  await files.writeFile('/m/huge.yaml', manifest('huge'));
  await files.writeFile('/m/z.yaml', manifest('z'));
  await pass(clock, 50);
  assert.deepEqual(heard, ['+z-n x']);
  assert.equal(asked.includes('/m/huge.yaml'), false);
  stop();
});
