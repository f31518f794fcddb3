import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import type { Wish } from '../rights/rules.ts';
import { groupKinds, isOffered } from './kind-groups.ts';

test('every kind stands somewhere, unknown groups among the custom ones', () => {
  const plain = { version: 'v1', namespaced: true, shortNames: [], categories: [], verbs: [], subresources: [] };
  const groups = groupKinds([
    { ...plain, group: '', resource: 'pods', kind: 'Pod' },
    { ...plain, group: 'apps', resource: 'deployments', kind: 'Deployment' },
    { ...plain, group: '', resource: 'constructor', kind: 'Odd' },
    { ...plain, group: 'constructor', resource: 'wheels', kind: 'Wheel' },
  ]);
  deepEqual(
    groups.map(({ group, resources }) => [group, ...resources.map(({ kind }) => kind)]),
    [
      ['workloads', 'Deployment', 'Pod'],
      ['cluster', 'Odd'],
      ['custom', 'Wheel'],
    ],
  );
});

const kind = (group: string, resource: string, namespaced = true) => ({
  ...{ group, resource, namespaced, version: 'v1', kind: 'X' },
  ...{ shortNames: [], categories: [], verbs: [], subresources: [] },
});
/** Who may list pods, and nothing else. */
const pods = ({ verb, group, resource }: Wish): boolean => verb === 'list' && group === '' && resource === 'pods';
const OFFERED: readonly (readonly [what: ReturnType<typeof kind>, namespace: string, isShown: boolean])[] = [
  [kind('', 'pods'), 'shop', true],
  [kind('', 'secrets'), 'shop', false],
  [kind('metrics.k8s.io', 'pods'), 'shop', false],
  [kind('', 'secrets'), '', true],
  [kind('', 'nodes', false), '', false],
  [kind('', 'nodes', false), 'shop', false],
];
for (const [what, namespace, isShown] of OFFERED) {
  const where = namespace === '' ? 'all namespaces' : namespace;
  test(`${what.group}/${what.resource} in ${where}: ${isShown ? 'offered' : 'left out'}`, () =>
    equal(isOffered(what, namespace, pods), isShown));
}
