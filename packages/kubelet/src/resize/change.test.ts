import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, ResourceRequirements } from '@binnacle/api/core/v1';
import { testPod } from '../testing/node.ts';
import { container } from '../testing/seen.ts';
import { dueChanges, takesMemory } from './change.ts';

const restartFor = (resourceName: string) => ({ resizePolicy: [{ resourceName, restartPolicy: 'RestartContainer' }] });
const SMALL: ResourceRequirements = { requests: { cpu: '100m', memory: '10Mi' }, limits: { memory: '20Mi' } };
const MORE_CPU: ResourceRequirements = { ...SMALL, requests: { cpu: '200m', memory: '10Mi' } };

function due(of: Partial<Container>, had: ResourceRequirements = SMALL, state: 'running' | 'exited' = 'running') {
  const pod = testPod({ container: of });
  return dueChanges(pod, [container(pod, { state })], () => had);
}

const rows: readonly [string, ReturnType<typeof due>, readonly boolean[]][] = [
  ['the same', due({ resources: SMALL }), []],
  ['more CPU', due({ resources: MORE_CPU }), [false]],
  ['more CPU, by a restart', due({ resources: MORE_CPU, ...restartFor('cpu') }), [true]],
  ['more CPU where memory restarts', due({ resources: MORE_CPU, ...restartFor('memory') }), [false]],
  ['another request of memory alone restarts too', due({ resources: {}, ...restartFor('memory') }), [true]],
  ['what does not run is not changed', due({ resources: MORE_CPU }, SMALL, 'exited'), []],
];
for (const [name, changes, restarts] of rows)
  test(`due: ${name}`, () =>
    assert.deepEqual(
      changes.map((c) => c.restarts),
      restarts,
    ));

test('an init container that ends by itself is changed as it runs, whatever its policy', () => {
  const init = { name: 'once', image: 'i', resources: MORE_CPU, ...restartFor('cpu') };
  const of = (restartPolicy?: string) => {
    const pod = testPod({
      spec: { initContainers: [{ ...init, ...(restartPolicy === undefined ? {} : { restartPolicy }) }] },
    });
    return dueChanges(pod, [container(pod, { name: 'once' })], () => SMALL).map((change) => change.restarts);
  };
  assert.deepEqual([of(), of('OnFailure'), of('Always')], [[false], [false], [true]]);
});

test('what shrinks comes first', () => {
  const sized = (name: string, memory: string): Container => ({ name, image: 'i', resources: { limits: { memory } } });
  const pod = testPod({ spec: { containers: [sized('grows', '3Gi'), sized('shrinks', '1Gi')] } });
  const running = ['grows', 'shrinks'].map((name) => container(pod, { name }));
  const changes = dueChanges(pod, running, () => ({ limits: { memory: '2Gi' } }));
  assert.deepEqual(
    changes.map((c) => [c.container.name, takesMemory(c)]),
    [
      ['shrinks', true],
      ['grows', false],
    ],
  );
});
