import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Pod, ResourceQuota } from '@binnacle/api/core/v1';
import { ExtendedResourceClasses, quotaAmounts, quotaEvaluators } from '@binnacle/api';
import { countsOtherwise, isUncounted, quotaStatus, usedBy } from './quota-status.ts';

const counting = {
  nowMs: 0,
  evaluatorOf: quotaEvaluators({
    ...{ classes: new ExtendedResourceClasses(() => []), pod: () => undefined, claimsForPod: () => [] },
  }),
};
const PODS = { group: '', resource: 'pods' };
const SECRETS = { group: '', resource: 'secrets' };
const quota = (hard: { readonly [name: string]: string }, more: Partial<ResourceQuota> = {}): ResourceQuota => ({
  metadata: { name: 'q' },
  spec: { hard },
  ...more,
});
const pod = (cpu: string, more: Partial<Pod['spec']> = {}): Pod => ({
  metadata: {},
  spec: { containers: [{ name: 'c', image: 'x', resources: { requests: { cpu } } }], ...more },
});
const shown = (of: ResourceQuota, pods: readonly Pod[] | number): string =>
  quotaAmounts.shownAmounts(usedBy(of, [{ kind: typeof pods === 'number' ? SECRETS : PODS, objects: pods }], counting));

for (const [name, of, objects, expected] of [
  [
    'what is asked for',
    quota({ pods: '5', 'requests.cpu': '1' }),
    [pod('100m'), pod('1')],
    'pods=2,requests.cpu=1100m',
  ],
  ['nothing there', quota({ pods: '5', 'requests.cpu': '1', secrets: '1' }), [], 'pods=0,requests.cpu=0'],
  ['by number', quota({ secrets: '5', 'count/secrets': '6' }), 3, 'count/secrets=3,secrets=3'],
  ['by number, none', quota({ secrets: '5' }), 0, 'secrets=0'],
  [
    'those in scope only',
    { metadata: {}, spec: { hard: { pods: '5' }, scopes: ['Terminating'] } },
    [pod('1'), pod('1', { activeDeadlineSeconds: 5 })],
    'pods=1',
  ],
] as const satisfies readonly (readonly [string, ResourceQuota, readonly Pod[] | number, string])[]) {
  test(`used: ${name}`, () => assert.equal(shown(of, objects), expected));
}

const used = quotaAmounts.amountsFrom({ pods: '2' });
test('the status is written when it is another, and what nobody counts stays as it was', () => {
  const status = {
    hard: { pods: '5', 'count/gone.example.com': '1' },
    used: { pods: '2', 'count/gone.example.com': '1' },
  };
  const right = quota(status.hard, { status });
  assert.equal(quotaStatus(right, used), status);
  assert.deepEqual(quotaStatus({ ...right, spec: { hard: { pods: '5' } } }, used), {
    hard: { pods: '5' },
    used: { pods: '2' },
  });
  assert.deepEqual(quotaStatus(quota({ pods: '7' }), used), { hard: { pods: '7' }, used: { pods: '2' } });
  const foreign = { ...right, status: { ...status, hard: { pods: '9' } } };
  assert.deepEqual(quotaStatus(foreign, used), status);
  assert.deepEqual([isUncounted(right), isUncounted(foreign), isUncounted(quota({ pods: '1' }))], [false, true, true]);
  const otherwiseWritten = { hard: { cpu: '1000m' }, used: {} };
  assert.equal(quotaStatus(quota({ cpu: '1' }, { status: otherwiseWritten }), new Map()), otherwiseWritten);
});

test('most changes of a pod change nothing that is counted', () => {
  const all = [quota({ pods: '5' }), quota({ pods: '5' }, { spec: { hard: { pods: '5' }, scopes: ['Terminating'] } })];
  const changes = (before: Pod, after: Pod): boolean => countsOtherwise(PODS, { before, after, ...counting }, all);
  assert.equal(changes(pod('1'), { ...pod('1'), status: { phase: 'Running' } }), false);
  assert.equal(changes(pod('1'), { ...pod('1'), status: { phase: 'Succeeded' } }), true);
  assert.equal(changes(pod('1'), pod('1', { activeDeadlineSeconds: 5 })), true);
  assert.equal(changes(pod('1'), pod('2')), true);
});

for (const [name, told, counted, charged, expected] of [
  ['nothing was charged', '3', '1', {}, '1'],
  ['one charged is to come', '2', '1', { pods: '1' }, '2'],
  ['one charged, two gone', '3', '1', { pods: '1' }, '2'],
  ['one charged, and stored', '2', '2', { pods: '1' }, '2'],
  ['more stored than told', '1', '2', { pods: '1' }, '2'],
  ['charged for something else', '2', '1', { 'requests.cpu': '1' }, '1'],
] as const satisfies readonly (readonly [string, string, string, { readonly [name: string]: string }, string])[]) {
  test(`a count beside what was charged a moment ago: ${name}`, () => {
    const hard = { pods: '9' };
    const of = quota(hard, { status: { hard, used: { pods: told } } });
    const status = quotaStatus(of, quotaAmounts.amountsFrom({ pods: counted }), quotaAmounts.amountsFrom(charged));
    assert.deepEqual(status.used, { pods: expected });
    if (told === expected) assert.equal(status, of.status, 'nothing to write');
  });
}
