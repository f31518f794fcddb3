import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Dice } from '../testing/random-objects.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { ClusterState } from './cluster-state.ts';
import { demandOf } from './demand.ts';
import { leastOf } from './tally.ts';

const ZONE = 'topology.kubernetes.io/zone';

test('property: the smallest count is that of all domains with a node that takes part, whoever comes and goes', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const dice = new Dice(seed);
    const state = new ClusterState();
    const zones = Array.from({ length: 8 }, (_, i) => `z${i % 5}`);
    // The nodes of one zone take no part.
    for (const [i, zone] of zones.entries()) state.setNode(makeNode(`n${i}`, { labels: { [ZONE]: zone } }));
    const takesPart = (_: number, slot: number): boolean => zones[slot] !== 'z4';
    const tallyNow = () => state.tally('t', 0, () => ({ keys: [ZONE], weigh: () => [1], takesPart })).columns[0]!;
    const placed: { uid: string; zone: string }[] = [];
    for (let step = 0; step < 60; step++) {
      const gone = dice.chance(45) ? placed.splice(dice.below(Math.max(1, placed.length)), 1)[0] : undefined;
      if (gone !== undefined) state.release(gone.uid);
      else {
        const at = dice.below(zones.length);
        const demand = demandOf(makePod(`p${step}`));
        state.assume(demand, `n${at}`);
        placed.push({ uid: demand.uid, zone: zones[at]! });
      }
      const counts = ['z0', 'z1', 'z2', 'z3'].map((zone) => placed.filter((p) => p.zone === zone).length);
      // Not asked each time: what changes in between is followed.
      if (dice.chance(60)) assert.equal(leastOf(tallyNow()), Math.min(...counts), `seed ${seed}, step ${step}`);
    }
  }
});

test('where no node takes part, there is no smallest count', () => {
  const state = new ClusterState();
  state.setNode(makeNode('n', { labels: {} }));
  const [column] = state.tally('t', 0, () => ({ keys: [ZONE], weigh: () => [1] })).columns;
  assert.deepEqual([column?.present, leastOf(column!)], [0, Infinity]);
});

test('property: each kind of pods is counted in all tallies that are about it, however many of both come and go', () => {
  for (let seed = 1; seed <= 12; seed++) {
    const dice = new Dice(seed);
    const state = new ClusterState();
    for (let i = 0; i < 4; i++) state.setNode(makeNode(`n${i}`, { labels: { [ZONE]: `z${i % 2}` } }));
    const totalOf = (app: string): number => {
      const onlyWithLabels = { namespace: 'default', labels: [['app', app]] as const };
      const spec = { keys: [ZONE], weigh: () => [1], ...(app === '' ? {} : { onlyWithLabels }) };
      return state.tally(`of ${app}`, 0, () => spec).columns[0]!.total;
    };
    const placed: { uid: string; app: string }[] = [];
    for (let step = 0; step < 400; step++) {
      const gone = dice.chance(45) ? placed.splice(dice.below(Math.max(1, placed.length)), 1)[0] : undefined;
      if (gone !== undefined) state.release(gone.uid);
      else {
        // Of more kinds than tallies are kept.
        const app = `a${dice.below(90)}`;
        const demand = demandOf(makePod(`p${step}`, { labels: { app } }));
        state.assume(demand, `n${dice.below(4)}`);
        placed.push({ uid: demand.uid, app });
      }
      if (!dice.chance(60)) continue;
      const app = dice.chance(10) ? '' : `a${dice.below(90)}`;
      const count = placed.filter((pod) => app === '' || pod.app === app).length;
      assert.equal(totalOf(app), count, `seed ${seed}, step ${step}`);
    }
  }
});
