import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import type { Random } from '@binnacle/base';
import type { Pod, Service } from '@binnacle/api/core/v1';
import { cacheKey } from '@binnacle/client';
import { ServicePods } from './service-pods.ts';

type Labels = { readonly [key: string]: string };

function labelsOf(random: Random, most: number): Labels {
  const keys = ['app', 'tier', 'constructor', '__proto__x'];
  const chosen = Array.from({ length: randomBelow(random, most + 1) }, () => keys[randomBelow(random, keys.length)]);
  return Object.fromEntries(chosen.map((key) => [key, `v${randomBelow(random, 2)}`]));
}

const pod = (name: string, namespace: string, labels: Labels): Pod => ({
  metadata: { name, namespace, labels },
  spec: { containers: [] },
});
const service = (name: string, namespace: string, selector: Labels): Service => ({
  metadata: { name, namespace },
  spec: { selector },
});

test('the same as asking every service for every pod, whatever comes, changes and goes', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = createSeededRandom(seed);
    const pods = new Map<string, Pod>();
    const services = new Map<string, Service>();
    const index = new ServicePods({ get: (key) => pods.get(key), list: () => [...pods.values()] });
    for (let step = 0; step < 150; step++) {
      const [name, namespace] = [`x${randomBelow(random, 6)}`, `n${randomBelow(random, 2)}`];
      const key = `${namespace}/${name}`;
      const gone = randomBelow(random, 4) === 0;
      if (randomBelow(random, 3) === 0) {
        const one = service(name, namespace, labelsOf(random, 2));
        if (gone) services.delete(key);
        else services.set(key, one);
        if (gone) index.removeService(key);
        else index.setService(one);
      } else {
        const before = pods.get(key);
        const after = gone ? undefined : pod(name, namespace, labelsOf(random, 4));
        if (after === undefined) pods.delete(key);
        else pods.set(key, after);
        index.movePod(before, after);
      }
      for (const [each, { spec, metadata }] of services) {
        const wanted = Object.entries(spec.selector ?? {});
        const naive = [...pods.values()].filter(
          (one) =>
            wanted.length > 0 &&
            one.metadata.namespace === metadata.namespace &&
            wanted.every(([label, value]) => one.metadata.labels?.[label] === value),
        );
        const found = index.podsOf(each).map(cacheKey).toSorted();
        assert.deepEqual(found, naive.map(cacheKey).toSorted(), `seed ${seed}, step ${step}: ${each}`);
        for (const one of pods.values()) {
          assert.equal([...index.servicesOf(one)].includes(each), naive.includes(one), `seed ${seed}, step ${step}`);
        }
      }
    }
  }
});
