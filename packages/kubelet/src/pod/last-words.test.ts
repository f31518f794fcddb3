import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kubeletConfig } from '../config.ts';
import { testPod } from '../testing/node.ts';
import { container } from '../testing/seen.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { LastWords } from './last-words.ts';
import type { PodWorld } from './world.ts';

const pod = testPod({
  container: { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
});

test('each is read once, and forgotten with its container', async () => {
  const files = createMemoryFiles();
  const config = kubeletConfig({ nodeName: 'n' });
  const words = new LastWords({ files, config } as unknown as PodWorld);
  const say = (attempt: number, text: string): Promise<void> =>
    files.writeFile(`/var/lib/kubelet/pods/uid-web/containers/main/${attempt}`, new TextEncoder().encode(text));
  const ended = (attempt: number) => container(pod, { attempt, state: 'exited', exitCode: 1 });
  for (let attempt = 0; attempt < 50; attempt++) {
    await say(attempt, `end ${attempt}`);
    const all = [ended(attempt), ...(attempt === 0 ? [] : [ended(attempt - 1)])];
    assert.equal(words.areMissing(all), true);
    await words.hear(pod, all);
    assert.equal(words.areMissing(all), false);
  }
  assert.deepEqual([...words.messages.values()], ['end 48', 'end 49']);
  await say(49, 'another');
  await words.hear(pod, [ended(49)]);
  assert.deepEqual([...words.messages.values()], ['end 49']);
  await words.hear(pod, []);
  assert.equal(words.messages.size, 0);
});
