import { test } from 'node:test';
import { CLUSTER_SCENARIOS } from './test-cluster-scenarios.ts';
import { checkGrowth, SCENARIOS } from './test-growth.ts';

for (const [name, scenario] of Object.entries({ ...SCENARIOS, ...CLUSTER_SCENARIOS })) {
  test(`what one object costs does not grow with their number: ${name}`, () => checkGrowth(scenario, [4, 16]));
}
