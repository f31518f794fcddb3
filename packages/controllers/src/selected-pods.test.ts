import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import type { Pod } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import { EVERYTHING, matchesLabels, NOTHING, selectorFromObject } from '@binnacle/machinery';
import type { Selector } from '@binnacle/machinery';
import { SelectedPods } from './selected-pods.ts';

type Labels = { readonly [key: string]: string };

function labelsOf(random: Random, most: number): Labels {
  const keys = ['app', 'tier', 'constructor', '__proto__x'];
  const chosen = Array.from({ length: randomBelow(random, most + 1) }, () => keys[randomBelow(random, keys.length)]);
  return Object.fromEntries(chosen.map((key) => [key, `v${randomBelow(random, 2)}`]));
}

const pod = (name: string, namespace: string, labels: Labels | undefined): Pod => ({
  metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
  spec: { containers: [] },
});
/** Of each sort: certain of a value, of several, of none, of everything, of nothing. */
function selectorOf(random: Random): Selector {
  const [value, other] = ['v0', 'v1'];
  const choices: readonly Selector[] = [
    selectorFromObject({ matchLabels: labelsOf(random, 2) }),
    selectorFromObject({ matchLabels: labelsOf(random, 2), matchExpressions: [{ key: 'tier', operator: 'Exists' }] }),
    selectorFromObject({ matchExpressions: [{ key: 'app', operator: 'In', values: [value] }] }),
    selectorFromObject({ matchExpressions: [{ key: 'app', operator: 'In', values: [value, other] }] }),
    selectorFromObject({ matchExpressions: [{ key: 'constructor', operator: 'NotIn', values: [value] }] }),
    EVERYTHING,
    NOTHING,
  ];
  return choices[randomBelow(random, choices.length)] ?? NOTHING;
}

test('the same as asking everybody for every pod, whatever comes, changes and goes', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = createSeededRandom(seed);
    const pods = new Map<string, Pod>();
    const selectors = new Map<string, { readonly namespace: string; readonly selector: Selector }>();
    const index = new SelectedPods({ get: (key) => pods.get(key), list: () => [...pods.values()] });
    for (let step = 0; step < 150; step++) {
      const [name, namespace] = [`x${randomBelow(random, 6)}`, `n${randomBelow(random, 2)}`];
      const key = `${namespace}/${name}`;
      const gone = randomBelow(random, 4) === 0;
      if (randomBelow(random, 3) === 0) {
        const selector = selectorOf(random);
        if (gone) selectors.delete(key);
        else selectors.set(key, { namespace, selector });
        if (gone) index.remove(key);
        else index.set(key, namespace, selector);
      } else {
        const before = pods.get(key);
        const after = gone
          ? undefined
          : pod(name, namespace, randomBelow(random, 5) === 0 ? undefined : labelsOf(random, 4));
        if (after === undefined) pods.delete(key);
        else pods.set(key, after);
        index.movePod(before, after);
      }
      for (const [each, wanted] of selectors) {
        const naive = [...pods.values()].filter(
          ({ metadata }) => metadata.namespace === wanted.namespace && matchesLabels(wanted.selector, metadata.labels),
        );
        const found = index.podsOf(each).map(cacheKey).toSorted();
        assert.deepEqual(found, naive.map(cacheKey).toSorted(), `seed ${seed}, step ${step}: ${each}`);
        assert.ok(index.countOf(each) >= found.length);
        for (const one of pods.values()) {
          assert.equal(index.selectorsOf(one).includes(each), naive.includes(one), `seed ${seed}, step ${step}`);
        }
      }
    }
  }
});
