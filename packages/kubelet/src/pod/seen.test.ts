import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { container, sandbox, seenOf } from '../testing/seen.ts';
import { hasRegularContainer, podText, restartsAfter, sandboxNeeded, shouldStart } from './seen.ts';

const rows: readonly [string, string, Partial<Container>, number, boolean][] = [
  ['always', 'Always', {}, 0, true],
  ['on failure, well', 'OnFailure', {}, 0, false],
  ['on failure, badly', 'OnFailure', {}, 1, true],
  ['never', 'Never', {}, 1, false],
  ['its own policy wins', 'Never', { restartPolicy: 'OnFailure' }, 1, true],
  [
    'a rule that fits',
    'Never',
    {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
    },
    42,
    true,
  ],
  [
    'a rule that does not',
    'Never',
    {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
    },
    1,
    false,
  ],
  [
    'a rule by exclusion',
    'Never',
    {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'NotIn', values: [0] } }],
    },
    1,
    true,
  ],
];

for (const [name, restartPolicy, own, exitCode, wanted] of rows) {
  test(`restart: ${name}`, () => {
    const pod = testPod({ spec: { restartPolicy: restartPolicy as 'Always' } });
    assert.equal(restartsAfter(pod, { name: 'main', ...own }, exitCode), wanted);
  });
}

test('a pod in words', () => assert.equal(podText(testPod()), 'web_default(uid-web)'));

test('a sandbox is needed when there is none that can be used', () => {
  const pod = testPod();
  const needed = (...sandboxes: ReturnType<typeof sandbox>[]): [boolean, number] => {
    const answer = sandboxNeeded(seenOf(pod, { sandboxes }));
    return [answer.needed, answer.attempt];
  };
  assert.deepEqual(needed(), [true, 0]);
  assert.deepEqual(needed(sandbox({ attempt: 3 })), [false, 3]);
  assert.deepEqual(needed(sandbox({ attempt: 3, state: 'notReady' })), [true, 4]);
  const host = testPod({ spec: { hostNetwork: true } });
  assert.equal(sandboxNeeded(seenOf(host, { sandboxes: [sandbox({ ips: [] })] })).needed, false);
});

test('regular containers count in their own sandbox only', () => {
  const pod = testPod();
  const seen = seenOf(pod, { containers: [container(pod)] });
  assert.deepEqual([hasRegularContainer(seen, 's0'), hasRegularContainer(seen, 's1')], [true, false]);
});

for (const [name, restartPolicy, of, expected] of [
  ['none is there', 'Never', undefined, true],
  ['it runs', 'Always', { state: 'running' }, false],
  ['it is made, and not started', 'Never', { state: 'created' }, true],
  ['nobody knows', 'Never', { state: 'unknown' }, true],
  ['it ended well', 'Always', { state: 'exited' }, true],
  ['it ended well, for good', 'OnFailure', { state: 'exited' }, false],
  ['it failed', 'OnFailure', { state: 'exited', exitCode: 1 }, true],
  ['it failed, for good', 'Never', { state: 'exited', exitCode: 1 }, false],
  ['another one is there', 'Never', { name: 'constructor' }, true],
] as const)
  test(`a container is to be started: ${name}`, () => {
    const pod = testPod({ spec: { restartPolicy } });
    const main = pod.spec.containers[0]!;
    assert.equal(
      shouldStart(seenOf(pod, { containers: of === undefined ? [] : [container(pod, of)] }), main),
      expected,
    );
  });
test('a container is to be started: the newest one counts', () => {
  const pod = testPod({ spec: { restartPolicy: 'Never' } });
  const containers = [container(pod, { attempt: 1 }), container(pod, { attempt: 0, state: 'unknown' })];
  assert.equal(shouldStart(seenOf(pod, { containers }), pod.spec.containers[0]!), false);
});
