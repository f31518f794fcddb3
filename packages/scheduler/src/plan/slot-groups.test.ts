/** Nodes that are asked by groups are told the same as those that are asked one by one, and as good a one is chosen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultProfile } from '../profile.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Dice } from '../testing/random-objects.ts';
import { Scene } from '../testing/scene.ts';
import type { Plugin, Refusal } from './framework.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const HOST = 'kubernetes.io/hostname';
const SHUN: Refusal = { plugin: 'Domains', reasons: ['shunned'], unresolvable: false };

/** Looks at seven topologies and at a number of each host, below zero and broken ones too; says so, or does not. */
function domains(isSaid: boolean, ofHost: Float64Array): Plugin {
  return {
    name: 'Domains',
    ...(isSaid && {
      looksAt: (_, { nodes }) => [
        ...KEYS.map((key) => ({ topology: nodes.topology(key) })),
        { topology: nodes.topology(HOST), sums: ofHost },
        { topology: nodes.topology('absent'), presenceOnly: true },
      ],
    }),
    filter: (_, { nodes }) => {
      const [{ domainOf: a }, { domainOf: host }] = [nodes.topology('a'), nodes.topology(HOST)];
      return (slot) => (a[slot] === 1 || ofHost[host[slot]!]! > 3.5 ? SHUN : undefined);
    },
    score: (_, { nodes }) => {
      const columns = KEYS.map((key) => nodes.topology(key));
      const host = nodes.topology(HOST);
      return (slot) => columns.reduce((sum, c, i) => sum + c.domainOf[slot]! * i, 50) + ofHost[host.domainOf[slot]!]!;
    },
  };
}

function sceneWith(isSaid: boolean, ofHost: Float64Array): Scene {
  const plugin = domains(isSaid, ofHost);
  const profile = defaultProfile();
  const own = { factory: { name: plugin.name, create: () => plugin }, weight: 1 };
  return new Scene({ profile: { ...profile, plugins: [...profile.plugins, own] } });
}

test('property: seven topologies and broken numbers make the same decisions by groups and by nodes', () => {
  for (let seed = 1; seed <= 8; seed++) {
    const dice = new Dice(seed);
    const ofHost = Float64Array.from({ length: 200 }, () => dice.one([-2, -0.5, 0, 0.25, 1, 3, 4, 5000]));
    const [grouped, single] = [sceneWith(true, ofHost), sceneWith(false, ofHost)];
    const nodes = Array.from({ length: 150 }, (_, i) => {
      const labels = Object.fromEntries(KEYS.flatMap((key) => (dice.chance(80) ? [[key, `v${dice.below(2)}`]] : [])));
      return makeNode(`n${i}`, { cpu: dice.one(['2', '4']), labels, unschedulable: dice.chance(10) });
    });
    grouped.nodes(...nodes);
    single.nodes(...nodes);
    for (let step = 0; step < 60; step++) {
      const pod = makePod(`p${step}`, { cpu: '300m' });
      const [one, other] = [grouped.decide(pod), single.decide(pod)];
      const about = `seed ${seed}, step ${step}`;
      assert.equal(one.decision.evidence.groups !== undefined, step > 0, about);
      assert.equal(other.decision.evidence.groups, undefined, about);
      assert.deepEqual(one.explanation.refused, other.explanation.refused, about);
      const byNode = (scored: typeof one.explanation.scored) => new Map(scored.map((s) => [s.node, s] as const));
      const [told, asked] = [byNode(one.explanation.scored), byNode(other.explanation.scored)];
      assert.deepEqual(told, asked, about);
      assert.equal(told.get(one.node ?? '')?.total, told.get(other.node ?? '')?.total, about);
      for (const scene of [grouped, single]) scene.state.assume(scene.demand(pod), one.node ?? '');
      // A number of the host changes with what is placed there.
      const host = grouped.state.nodes.topology(HOST).domainOf[grouped.state.nodes.slotOf(one.node ?? '')!]!;
      ofHost[host]! -= 0.5;
    }
  }
});

test('nodes of which more than a thousand are unlike are asked one by one', () => {
  const scene = sceneWith(true, new Float64Array(2_000));
  const labels = (i: number): Record<string, string> => ({ b: `v${i % 40}`, c: `v${Math.floor(i / 40)}` });
  scene.nodes(...Array.from({ length: 1_200 }, (_, i) => makeNode(`n${i}`, { labels: labels(i) })));
  for (let i = 0; i < 3; i++) {
    const { decision, node, explanation } = scene.schedule(makePod(`p${i}`, { cpu: '1' }));
    assert.equal(decision.evidence.groups, undefined);
    assert.equal(explanation.scored[0]?.total, explanation.scored.find((s) => s.node === node)?.total);
  }
});
