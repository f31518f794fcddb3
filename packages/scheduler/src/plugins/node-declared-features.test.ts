import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Container } from '@binnacle/api/core/v1';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';

const restarting = (action: 'Restart' | 'RestartAllContainers'): Container => ({
  name: 'c',
  image: 'i',
  restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [1] } }],
});
const ALL = makePod('p', { containers: [restarting('RestartAllContainers')] });
const FEATURE = 'RestartAllContainersOnContainerExits';

test('a pod goes where its features are declared, and waits where they are nowhere', () => {
  const declaring = { ...makeNode('b'), status: { ...makeNode('b').status, declaredFeatures: ['Other', FEATURE] } };
  assert.equal(new Scene().nodes(makeNode('a'), declaring).decide(ALL).node, 'b');
  const { message, refusedBy } = new Scene().nodes(makeNode('a')).decide(ALL);
  assert.match(message ?? '', /1 node\(s\) didn't match Pod's required features/);
  assert.deepEqual(refusedBy, ['NodeDeclaredFeatures']);
});

test('a node that begins to declare a feature is looked at again', () => {
  const scene = new Scene().nodes(makeNode('a'));
  assert.equal(scene.decide(ALL).node, undefined);
  assert.equal(
    scene.state.setNode({ ...makeNode('a'), status: { ...makeNode('a').status, declaredFeatures: [FEATURE] } }),
    true,
  );
  assert.equal(scene.decide(ALL).node, 'a');
});

test('only a node that declares something else wakes it', () => {
  const plugin = new Scene().plugins.byName.get('NodeDeclaredFeatures');
  const hint = plugin?.wakesOn?.find(({ resource }) => resource === 'nodes');
  const [before, after] = [makeNode('a'), { ...makeNode('a'), status: { declaredFeatures: [FEATURE] } }];
  const reach = (a: typeof before, b: typeof before) =>
    hint?.reaches?.({ resource: 'nodes', action: 'update', before: a, after: b });
  assert.deepEqual([reach(before, after), reach(before, before)], ['all', []]);
});
