/** All stories of refusals, in one cluster. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findKubectl, kubectlOutput, startOneProcess } from '@binnacle/testkit';
import type { Kubectl, OneProcessCluster } from '@binnacle/testkit';
import { podSecurityStories } from './pod-security.ts';
import { policyStories } from './policies.ts';
import { quotaStories } from './quota.ts';
import { sceneOf } from './scene.ts';
import type { Begin } from './scene.ts';
import { webhookStories } from './webhooks.ts';

/** Tells all stories with each of these kubectls, in one cluster. */
export function tellRefusals(minors: readonly (string | undefined)[]): void {
  let cluster: OneProcessCluster;
  before(async () => {
    cluster = await startOneProcess({ runtime: 'simulated', nodes: 1, store: 'memory' });
  });
  after(() => cluster?.stop());
  for (const minor of minors) {
    describe(minor === undefined ? "this machine's kubectl" : `kubectl ${minor}`, { timeout: 120_000 }, () => {
      let tool: Kubectl;
      before(async () => {
        const found = await findKubectl(minor);
        assert.ok(found !== undefined, `kubectl ${minor ?? ''} is on this machine`);
        tool = found;
      });
      const begin: Begin = async (name) => {
        const namespace = `${name}-${tool.version.split('.')[1] ?? ''}`;
        await kubectlOutput(tool, cluster.kubeconfig, ['create', 'namespace', namespace]);
        return sceneOf(tool, cluster.kubeconfig, namespace);
      };
      const all = { ...podSecurityStories, ...quotaStories, ...webhookStories, ...policyStories };
      for (const [name, story] of Object.entries(all)) test(name, () => story(begin));
    });
  }
}
