import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPod, setUp } from './testing/scene.ts';

const D = 'simulated.binnacle.dev';
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

test("a script's log, line by line, from the container's start to its removal", async () => {
  const { node, runtime, clock } = setUp();
  const id = await createPod(runtime, { [`${D}/log`]: 'one\ntwo' });
  const { logPath: path } = await runtime.containerStatus(id);
  assert.equal(await node.logs.size(path), 0, 'not started, nothing written');
  let told = 0;
  const stop = node.logs.watch(path, () => told++);
  await runtime.startContainer(id);
  assert.equal(told, 1);
  stop();
  const stamp = new Date(clock.now()).toISOString();
  const whole = `${stamp} stdout F one\n${stamp} stdout F two\n`;
  assert.equal(text(await node.logs.readRange(path, 0, 1000)), whole);
  assert.equal(text(await node.logs.readRange(path, 5, 10)), whole.slice(5, 15));
  assert.equal(await node.logs.size(path), whole.length);
  await runtime.stopContainer(id, 0);
  assert.equal(await node.logs.size(path), whole.length, 'a container that ended keeps its log');
  await runtime.removeContainer(id);
  assert.equal(told, 1);
  assert.equal(await node.logs.size(path), -1);
  assert.equal(await node.logs.readRange(path, 0, 10), undefined);
});

test('a container without a script has an empty log', async () => {
  const { node, runtime } = setUp();
  const id = await createPod(runtime, {});
  await runtime.startContainer(id);
  const { logPath } = await runtime.containerStatus(id);
  assert.equal(text(await node.logs.readRange(logPath, 0, 10)), '');
});
