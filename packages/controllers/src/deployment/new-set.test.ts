import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { cpuMs } from '@binnacle/base/testing';
import type { Deployment, ReplicaSet } from '@binnacle/api/apps/v1';
import { updateNewSet } from './new-set.ts';

type Annotations = { readonly [key: string]: string };
const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';
const template = { metadata: {}, spec: { containers: [] } };
const deployment = (annotations: Annotations = {}, minReadySeconds?: number): Deployment => ({
  metadata: { name: 'd', annotations },
  spec: { template, selector: {}, ...(minReadySeconds === undefined ? {} : { minReadySeconds }) },
});
const set = (annotations?: Annotations, minReadySeconds?: number): ReplicaSet => ({
  metadata: { name: 's', ...(annotations === undefined ? {} : { annotations }) },
  spec: { selector: {}, template, ...(minReadySeconds === undefined ? {} : { minReadySeconds }) },
});
/** The annotations of a new set beside old ones of these revisions. */
function annotated(of: Deployment, newSet: ReplicaSet, ...revisions: readonly string[]): Annotations | undefined {
  const oldSets = revisions.map((revision) => set({ [REVISION]: revision }));
  return updateNewSet({ deployment: of, newSet, oldSets }, newSet).metadata.annotations;
}

const ROWS: readonly [name: string, before: Annotations, others: readonly string[], after: Annotations][] = [
  ['the only one', {}, [], { [REVISION]: '1' }],
  ['the newest already', { [REVISION]: '3' }, ['1', '2'], { [REVISION]: '3' }],
  ['one higher than it should be stays', { [REVISION]: '9' }, ['1'], { [REVISION]: '9' }],
  ['newest again: its former number is kept', { [REVISION]: '1' }, ['2'], { [REVISION]: '3', [HISTORY]: '1' }],
  ['newest once more', { [REVISION]: '3', [HISTORY]: '1' }, ['4'], { [REVISION]: '5', [HISTORY]: '1,3' }],
  ['past 53 bits', { [REVISION]: '1' }, ['9007199254740993'], { [REVISION]: '9007199254740994', [HISTORY]: '1' }],
  ['what is no number stays', { [REVISION]: 'x' }, ['1'], { [REVISION]: 'x' }],
  ['an empty number is none', { [REVISION]: '' }, ['1'], { [REVISION]: '2' }],
  ['old sets without numbers, or with odd ones', {}, ['', 'x', '-4', '2'], { [REVISION]: '3' }],
];
for (const [name, before, others, after] of ROWS)
  test(`the revision of the new set: ${name}`, () =>
    assert.deepEqual(annotated(deployment(), set(before), ...others), after));

test('the deployment’s annotations travel, but for those that belong to one object', () => {
  const own: Annotations = {
    note: 'new',
    constructor: 'c',
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
    [REVISION]: '7',
    [HISTORY]: '1,2',
    'deployment.kubernetes.io/desired-replicas': '1',
    'deployment.kubernetes.io/max-replicas': '2',
    'deprecated.deployment.rollback.to': '1',
  };
  const before = { [REVISION]: '1', note: 'old', mine: 'kept' };
  assert.deepEqual(annotated(deployment(own), set(before)), {
    [REVISION]: '1',
    note: 'new',
    mine: 'kept',
    constructor: 'c',
  });
});

for (const [name, wanted, is, same] of [
  ['as wanted', 5, 5, true],
  ['nobody says any', undefined, undefined, true],
  ['none said is none wanted', 0, undefined, true],
  ['another', 5, 4, false],
  ['no longer', undefined, 4, false],
] as const)
  test(`minReadySeconds of the new set: ${name}`, () => {
    const newSet = set({ [REVISION]: '1' }, is);
    const made = updateNewSet({ deployment: deployment({}, wanted), newSet, oldSets: [] }, newSet);
    assert.equal(made === newSet, same);
    assert.equal(made.spec.minReadySeconds ?? 0, wanted ?? 0);
  });

// Upstream's limit: 2,000 characters, the oldest go first.
const ones = (count: number): string => Array.from({ length: count }, () => '1').join(',');
for (const [name, before, after] of [
  ['just as many as fit', ones(999), `${ones(999)},8`],
  ['one too many', ones(1000), `${ones(999)},8`],
  ['a long number goes whole', `${'1'.repeat(30)},${ones(990)}`, `${ones(990)},8`],
  ['one that is too long by itself', '1'.repeat(3000), '8'],
] as const)
  test(`former revisions of a set: ${name}`, () => {
    const made = annotated(deployment(), set({ [REVISION]: '8', [HISTORY]: before }), '9');
    assert.equal(made?.[HISTORY], after);
    assert.ok((made?.[HISTORY] ?? '').length <= 2000);
  });
test('former revisions that fill all room for annotations cost one look', () => {
  const ms = cpuMs(() => {
    const made = annotated(deployment(), set({ [REVISION]: '8', [HISTORY]: ones(131_000) }), '9');
    assert.equal(made?.[HISTORY], `${ones(999)},8`);
  });
  assert.ok(ms < 5000, `${ms}: was a minute`);
});
