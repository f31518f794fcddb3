import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pass, startTestNode, testPod } from '../testing/node.ts';
import { container } from '../testing/seen.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { discardable } from './clearing.ts';
import { sortNewestFirst } from './seen.ts';

const pod = testPod();
const all = sortNewestFirst([
  container(pod, { attempt: 3, state: 'created' }),
  container(pod, { attempt: 2 }),
  container(pod, { attempt: 1, state: 'exited' }),
  container(pod, { attempt: 0, state: 'exited' }),
  container(pod, { name: 'other', state: 'exited' }),
]);

for (const [isOver, wanted] of [
  [false, ['main-0']],
  [true, ['main-3', 'main-1', 'other-0', 'main-0']],
] as const)
  test(`what may go of a pod that ${isOver ? 'has ended' : 'goes on'}: nothing that runs`, () => {
    const ids = discardable(all, isOver).map(({ id }) => id);
    assert.deepEqual(ids.toSorted(), [...wanted].toSorted());
  });

test('of an instance that restarts have left behind rotated logs go too', async () => {
  const files = createMemoryFiles();
  const t = await startTestNode({ files });
  t.source.put(testPod({ metadata: { annotations: { 'simulated.binnacle.dev/exit-after': '1s' } } }));
  await pass(t.clock, 3_000);
  const logs = '/var/log/pods/default_web_uid-web/main';
  for (const name of ['0.log', '0.log.20260101-000000', '1.log', '1.log.20260101-000000'])
    await files.writeFile(`${logs}/${name}`, new Uint8Array(9));
  await pass(t.clock, 11_000);
  assert.deepEqual(await files.list(logs), ['1.log', '1.log.20260101-000000']);
  await t.scope.close();
});
