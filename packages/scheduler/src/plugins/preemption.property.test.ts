/**
 * Preemption makes room where the plain definition says that it costs least, in any cluster and under any budgets.
 * More seeds: `SCHEDULER_SEEDS=5000 node --test packages/scheduler/src/plugins/preemption.property.test.ts`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMESPACES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { PodDisruptionBudget } from '@binnacle/api/policy/v1';
import { POD_DISRUPTION_BUDGETS } from '../refs.ts';
import { naiveRefusal } from '../testing/naive.ts';
import type { NaiveCluster } from '../testing/naive.ts';
import { naiveNominations } from '../testing/naive-preemption.ts';
import { Dice, randomNode, randomPod } from '../testing/random-objects.ts';
import { randomStorage, showStorage, withRandomVolumes } from '../testing/random-volumes.ts';
import { Scene } from '../testing/scene.ts';

const SEEDS = Number(process.env['SCHEDULER_SEEDS'] ?? 30);
const NODES = 5;

/** One of some importance, that runs since some time. */
function important(dice: Dice, pod: Pod, most: number): Pod {
  const startTime = `2026-01-01T00:0${dice.below(6)}:00Z`;
  const { deletionTimestamp: _, ...metadata } = pod.metadata; // One that goes already is another story.
  return { metadata, spec: { ...pod.spec, priority: dice.below(most + 1) }, status: { startTime } };
}

function randomBudget(dice: Dice, i: number): PodDisruptionBudget {
  const selector = { matchLabels: { app: dice.one(['web', 'db', 'cache']) } };
  const disruptionsAllowed = dice.below(3);
  return {
    metadata: { name: `b${i}`, namespace: dice.one(['default', 'default', 'other']) },
    spec: { selector },
    status: { disruptionsAllowed, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  };
}

test(`property: in ${SEEDS} clusters room is made where it costs least`, () => {
  const seen = { made: 0, none: 0, apart: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const dice = new Dice(seed);
    const scene = new Scene({ seed });
    const storage = randomStorage(dice);
    showStorage(scene, storage);
    const namespaces = new Map([['default', { team: 'red' }]]);
    scene.object(NAMESPACES, { metadata: { name: 'default', labels: { team: 'red' } }, spec: {} });
    const nodes = Array.from({ length: NODES }, (_, i) => randomNode(dice, `n${i}`));
    scene.nodes(...nodes);
    const budgets = Array.from({ length: dice.below(4) }, (_, i) => randomBudget(dice, i));
    for (const budget of budgets) scene.object(POD_DISRUPTION_BUDGETS, budget);
    const placed: { pod: Pod; node: string }[] = [];
    for (let step = 0; step < 30; step++) {
      const cluster: NaiveCluster = { nodes, placed, namespaces, storage };
      const random = withRandomVolumes(dice, randomPod(dice, `p${step}`));
      const pod = important(dice, random, step < 15 ? 2 : 5);
      const about = `seed ${seed}, step ${step}`;
      const outcome = scene.decide(pod);
      if (outcome.node !== undefined) {
        placed.push({ pod, node: outcome.node });
        scene.placed(pod, outcome.node);
        continue;
      }
      assert.ok(
        nodes.every((node) => naiveRefusal(cluster, pod, node) !== undefined),
        about,
      );
      const cheapest = naiveNominations(cluster, budgets, pod);
      const { nominatedNode = '' } = scene.postFilter(pod) ?? {};
      if (cheapest.length === 0) seen.none++;
      else seen.made++;
      if (cheapest.length === 1) seen.apart++;
      const isRight = nominatedNode === '' ? cheapest.length === 0 : cheapest.includes(nominatedNode);
      assert.ok(isRight, `${about}: room is made on "${nominatedNode}" in place of [${cheapest.join()}]`);
    }
  }
  // All sorts of it were met.
  for (const [what, times] of Object.entries(seen)) assert.ok(times > SEEDS / 4, `${what}: ${times}`);
});
