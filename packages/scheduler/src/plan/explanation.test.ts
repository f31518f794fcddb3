import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';
import { ExplanationLog } from './explanation.ts';

function largeScene(): Scene {
  return new Scene().nodes(
    ...Array.from({ length: 2_000 }, (_, i) => makeNode(`n${i}`, { unschedulable: i % 4 === 0, cpu: '4' })),
  );
}

test('every score of every node is kept, at any size of the cluster', () => {
  const { explanation } = largeScene().decide(makePod('p', { cpu: '1' }));
  assert.equal(explanation.scored.length, 1_500);
  assert.deepEqual(Object.keys(explanation.scored[0]?.by ?? {}).sort(), [
    'NodeResourcesBalancedAllocation',
    'NodeResourcesFit',
  ]);
  const [refused] = explanation.refused;
  assert.deepEqual([refused?.plugin, refused?.nodes, refused?.names.length], ['NodeUnschedulable', 500, 500]);
});

test('what a decision said of nodes is not changed by what happens to them later', () => {
  const scene = largeScene();
  const log = new ExplanationLog(10);
  const { decision } = scene.decide(makePod('p', { cpu: '1' }));
  assert.ok(decision.kind === 'placed');
  log.put({ pod: 'default/p', at: 1, node: decision.node }, decision.evidence);
  const before = log.get('default/p');
  scene.state.removeNode('n1');
  scene.nodes(makeNode('late'));
  scene.schedule(makePod('q', { cpu: '3' }));
  assert.deepEqual(log.get('default/p'), before);
});

test('memory is bounded: old decisions first lose what was said of each node, then are forgotten', () => {
  const scene = largeScene();
  const log = new ExplanationLog(1_000);
  for (let i = 0; i < 1_200; i++) {
    const { decision } = scene.decide(makePod('p', { cpu: '1' }));
    assert.ok(decision.kind === 'placed');
    log.put({ pod: `default/p${i}`, at: i, node: decision.node }, decision.evidence);
  }
  assert.equal(log.pods().length, 1_000);
  assert.equal(log.get('default/p199'), undefined);
  const old = log.get('default/p200');
  assert.deepEqual([old?.isComplete, old?.scored.length], [false, 0]);
  assert.equal(typeof old?.node, 'string');
  const complete = log.pods().filter((pod) => log.get(pod)?.isComplete === true).length;
  // 4 KB of verdicts and two columns of 32 KB each, at most, in 16 MiB.
  assert.ok(complete >= 200 && complete < 600, String(complete));
  assert.equal(log.get('default/p1199')?.scored.length, 1_500);
});

test('memory is bounded where one pod is decided again and again, beside one that is not', () => {
  const scene = new Scene().nodes(makeNode('n', { cpu: '4' }));
  const log = new ExplanationLog(1_000);
  const { decision } = scene.decide(makePod('p', { cpu: '1' }));
  assert.ok(decision.kind === 'placed');
  for (const pod of ['once', ...Array.from({ length: 100 }, () => 'often')]) {
    log.put({ pod, at: 1, node: decision.node }, decision.evidence);
  }
  assert.deepEqual([log.pods(), log.detailed], [['once', 'often'], 2]);
  assert.deepEqual(
    log.pods().map((pod) => log.get(pod)?.isComplete),
    [true, true],
  );
});
