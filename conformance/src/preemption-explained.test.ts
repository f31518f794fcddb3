/** Why a pod gets whose room, asked as people ask: with kubectl and `binnacle explain`. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NODES, PODS } from '@binnacle/api';
import { findKubectl, kubectlOutput, runBinnacle, startOneProcess, waitFor } from '@binnacle/testkit';
import type { Kubectl, OneProcessCluster } from '@binnacle/testkit';
import type { PodExplanation, PodPreemption } from '@binnacle/trace';
import { IMAGE } from './manifests.ts';

const found = await findKubectl();

describe('preemption explained', { skip: found === undefined && 'this machine has no kubectl' }, () => {
  let cluster: OneProcessCluster;
  let node: string;
  let cpu: string;
  before(async () => {
    cluster = await startOneProcess({ runtime: 'simulated', nodes: 2 });
    const { items } = await cluster.client.resource(NODES).list();
    const [first] = items.toSorted((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''));
    node = first?.metadata.name ?? '';
    // More than half of the node: two of them never fit, whatever its size.
    cpu = `${Number(first?.status?.allocatable?.['cpu'] ?? 0) * 600}m`;
  });
  after(() => cluster?.stop());

  const kubectl = (...args: readonly string[]): Promise<string> =>
    kubectlOutput(found as Kubectl, cluster.kubeconfig, args);
  const explain = (...args: readonly string[]): Promise<string> =>
    runBinnacle(['explain', '--kubeconfig', cluster.kubeconfig, 'pod', ...args]);
  const run = (name: string, namespace: string, spec: object): Promise<string> => {
    const resources = { requests: { cpu } };
    const overrides = {
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': node },
        containers: [{ name, image: IMAGE, resources }],
        ...spec,
      },
    };
    return kubectl('run', name, '-n', namespace, `--image=${IMAGE}`, `--overrides=${JSON.stringify(overrides)}`);
  };
  const bound = (name: string, namespace: string): Promise<unknown> =>
    waitFor({
      client: cluster.client,
      resource: PODS,
      namespace,
      name,
      what: `${name} has its node`,
      until: (all) => all[0]?.spec.nodeName === node,
    });

  test('whose room a pod got, by what, and what became of it; who may not list pods there hears of no names', async () => {
    await kubectl('create', 'namespace', 'theirs');
    await kubectl('create', 'priorityclass', 'urgent', '--value=1000');
    await run('meek', 'theirs', { terminationGracePeriodSeconds: 0 });
    await bound('meek', 'theirs');
    await run('bold', 'default', { priorityClassName: 'urgent' });
    await bound('bold', 'default');
    const text = await explain('bold');
    assert.match(text, /^preemption: 1 candidate of 1 node tried$/m);
    assert.match(text, /^nothing to gain on 1 node \(Preemption is not helpful for scheduling\): /m);
    assert.ok(text.includes(`candidate ${node}: 1 victim, highest priority 0: theirs/meek (0)`), text);
    assert.ok(text.includes(`chosen: ${node}, the only one left`), text);
    assert.match(text, /^1 victim was asked to end$/m);
    assert.ok(text.includes(`placed on ${node}`), text);

    const path = '/apis/trace.binnacle.dev/v1/namespaces/default/explanations/bold';
    const { preemption } = JSON.parse(await kubectl('get', '--raw', path)) as PodExplanation;
    assert.deepEqual(preemption?.listed[0]?.named, [{ namespace: 'theirs', name: 'meek', priority: 0 }]);
    const json = JSON.parse(await explain('bold', '-o', 'json')) as { preemption: PodPreemption };
    assert.deepEqual(json.preemption, preemption);
    assert.match(await explain('bold', '-o', 'yaml'), /^preemption:$/m);

    await kubectl('create', 'clusterrole', 'node-lister', '--verb=list', '--resource=nodes');
    await kubectl('create', 'clusterrolebinding', 'nora-nodes', '--clusterrole=node-lister', '--user=nora');
    await kubectl('create', 'rolebinding', 'nora', '-n', 'default', '--clusterrole=view', '--user=nora');
    const seen = await kubectl('get', '--raw', path, '--as=nora');
    assert.doesNotMatch(seen, /meek/);
    const [candidate] = (JSON.parse(seen) as PodExplanation).preemption?.listed ?? [];
    assert.deepEqual([candidate?.node, candidate?.victims, candidate?.named], [node, 1, []]);
  });

  test('a pod that never takes room says so', async () => {
    const overrides = ['--preemption-policy=Never', '--value=2000'];
    await kubectl('create', 'priorityclass', 'patient', ...overrides);
    await run('waiting', 'default', { priorityClassName: 'patient' });
    await waitFor({
      client: cluster.client,
      resource: PODS,
      namespace: 'default',
      name: 'waiting',
      what: 'it is told why it waits',
      until: ([pod]) => pod?.status?.conditions?.some(({ reason }) => reason === 'Unschedulable') === true,
    });
    assert.match(await explain('waiting'), /^preemption: not eligible due to preemptionPolicy=Never\.$/m);
  });
});
