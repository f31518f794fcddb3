/** What is kept from pod to pod of equal shape holds only where local plugins look at nothing else that differs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plugin } from './framework.ts';
import { defaultProfile } from '../profile.ts';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';

/** Looks at a label of the pod. */
function lookingAt(label: string, does: Partial<Plugin> = {}): Plugin {
  return {
    name: `Looking-${label}`,
    isLocal: true,
    localKey: ({ pod }) => pod.metadata.labels?.[label] ?? '',
    ...does,
  };
}

function sceneWith(...plugins: readonly Plugin[]): Scene {
  const own = plugins.map((plugin) => ({ factory: { name: plugin.name, create: () => plugin }, weight: 100 }));
  const profile = defaultProfile();
  const scene = new Scene({ profile: { ...profile, plugins: [...profile.plugins, ...own] } });
  return scene.nodes(makeNode('a'), makeNode('aa'));
}

const ask = (scene: Scene, labels: Record<string, string>): string | undefined =>
  scene.decide(makePod('p', { labels })).node;

test('what a plugin looks at besides counts also where it only scores', () => {
  const scene = sceneWith(
    lookingAt('to', {
      score: ({ pod }, { nodes }) => {
        const wanted = nodes.slotOf(pod.metadata.labels?.['to'] ?? '');
        return (slot) => (slot === wanted ? 100 : 0);
      },
    }),
  );
  assert.deepEqual(
    ['a', 'aa', 'a'].map((to) => ask(scene, { to })),
    ['a', 'aa', 'a'],
  );
});

test('what two plugins look at is kept apart, wherever the text of one ends', () => {
  const refusal = { plugin: 'Looking-to', reasons: ['elsewhere'], unresolvable: true };
  const scene = sceneWith(
    lookingAt('to', {
      filter: ({ pod }, { nodes }) => {
        const wanted = nodes.slotOf(pod.metadata.labels?.['to'] ?? '');
        return (slot) => (slot === wanted ? undefined : refusal);
      },
    }),
    lookingAt('beside', { filter: () => () => undefined }),
  );
  assert.equal(ask(scene, { to: 'a', beside: 'aa' }), 'a');
  assert.equal(ask(scene, { to: 'aa', beside: 'a' }), 'aa');
});
