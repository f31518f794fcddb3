import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { PodFailurePolicyRule } from '@binnacle/api/batch/v1';
import type { Pod } from '@binnacle/api/core/v1';
import { judgeFailure } from './failure-policy.ts';

const pod: Pod = {
  metadata: { name: 'p', namespace: 'ns' },
  spec: { containers: [] },
  status: {
    conditions: [{ type: 'DisruptionTarget', status: 'True' }],
    containerStatuses: [
      { name: 'main', state: { terminated: { exitCode: 42 } }, ready: false, restartCount: 0, image: '', imageID: '' },
      { name: 'log', state: { terminated: { exitCode: 0 } }, ready: false, restartCount: 0, image: '', imageID: '' },
    ],
  },
};
const codes = (values: readonly number[], operator: 'In' | 'NotIn' = 'In', containerName?: string) => ({
  onExitCodes: { operator, values, ...(containerName === undefined ? {} : { containerName }) },
});
const disrupted = { onPodConditions: [{ type: 'DisruptionTarget' }] };

const ROWS: readonly [string, readonly PodFailurePolicyRule[], string, string][] = [
  ['no rule', [], 'Count', ''],
  [
    'an exit code',
    [{ action: 'FailJob', ...codes([1, 42]) }],
    'FailJob',
    'Container main for pod ns/p failed with exit code 42 matching FailJob rule at index 0',
  ],
  ['another exit code', [{ action: 'FailJob', ...codes([1]) }], 'Count', ''],
  ['none of these', [{ action: 'FailIndex', ...codes([1], 'NotIn') }], 'FailIndex', ''],
  ['of another container, which ended well', [{ action: 'FailJob', ...codes([0, 1], 'NotIn', 'log') }], 'Count', ''],
  [
    'the first that fits',
    [
      { action: 'FailJob', ...codes([7]) },
      { action: 'Ignore', ...disrupted },
      { action: 'FailJob', ...codes([42]) },
    ],
    'Ignore',
    'Pod ns/p has condition DisruptionTarget matching Ignore rule at index 1',
  ],
  ['a condition that is false', [{ action: 'Ignore', onPodConditions: [{ type: 'Ready' }] }], 'Count', ''],
];
for (const [name, rules, action, message] of ROWS) {
  test(name, () => {
    const verdict = judgeFailure({ rules }, pod);
    assert.equal(verdict.action, action);
    if (message !== '') assert.equal(verdict.message, message);
  });
}
