/** What people do with workloads by kubectl, on real containers: rollouts, scaling, jobs by hand, draining, preemption. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EVENTS, HORIZONTAL_POD_AUTOSCALERS, isPodReady, PODS } from '@binnacle/api';
import type { Pod, ResourceRequirements } from '@binnacle/api/core/v1';
import type { Client } from '@binnacle/client';
import {
  containerPids,
  findKubectl,
  kubectlOutput,
  runKubectl,
  skipWithoutContainerd,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import type { Kubectl, KubectlResult, OneProcessCluster } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const NAMESPACE = 'default';
const skip = await skipWithoutContainerd();
/** Runs until it is asked to end. */
const FOREVER = 'trap "exit 0" TERM; while :; do sleep 1; done';
/** Takes all that it is given. */
const BUSY = 'trap "exit 0" TERM; while :; do :; done';
/** Above what is asked for, and a part of what the machine has: other suites run beside this one. */
const BUSY_RESOURCES = { requests: { cpu: '50m' }, limits: { cpu: '150m' } };

const containerIds = (pods: readonly Pod[]): string[] =>
  pods.map((pod) => pod.status?.containerStatuses?.[0]?.containerID ?? '');

const container = (script: string, resources: ResourceRequirements = {}) => ({
  name: 'c',
  image: IMAGE,
  imagePullPolicy: 'Never',
  command: ['sh', '-c', script],
  resources,
});

const template = (app: string, script: string, resources?: ResourceRequirements) => ({
  metadata: { labels: { app } },
  spec: { terminationGracePeriodSeconds: 1, containers: [container(script, resources)] },
});

/** A workload whose pods are labelled `app=NAME`. */
const workload = (kind: string, name: string, spec: object, script = FOREVER) =>
  JSON.stringify({
    apiVersion: kind === 'ReplicationController' ? 'v1' : 'apps/v1',
    kind,
    metadata: { name },
    spec: { selector: { matchLabels: { app: name } }, template: template(name, script), ...spec },
  });

/** Kinds that say how many: what their definitions have beside, and their row when there is none. */
const SCALED: readonly (readonly [kind: string, more: (name: string) => object, row: RegExp])[] = [
  ['Deployment', () => ({}), /^\S+\s+0\/0\s+0\s+0\s/],
  ['ReplicaSet', () => ({}), /^\S+\s+0\s+0\s+0\s/],
  ['StatefulSet', () => ({ serviceName: 'none' }), /^\S+\s+0\/0\s/],
  ['ReplicationController', (app) => ({ selector: { app } }), /^\S+\s+0\s+0\s+0\s/],
];

describe('kubectl and workloads on containerd', { skip }, () => {
  let cluster: OneProcessCluster;
  let client: Client;
  let kubectl: Kubectl;
  before(async () => {
    const found = await findKubectl('1.33').then((wanted) => wanted ?? findKubectl());
    assert.ok(found, 'there is a kubectl on this machine');
    kubectl = found;
    cluster = await startContainerdCluster();
    client = cluster.client;
  });
  after(() => cluster?.stop());

  const run = (...args: string[]): Promise<string> => kubectlOutput(kubectl, cluster.kubeconfig, args);
  const attempt = (...args: string[]): Promise<KubectlResult> => runKubectl(kubectl, cluster.kubeconfig, args);
  const apply = (manifest: string): Promise<string> =>
    kubectlOutput(kubectl, cluster.kubeconfig, ['apply', '-f', '-'], manifest);
  const podsOf = (app: string, what: string, until: (pods: readonly Pod[]) => boolean): Promise<readonly Pod[]> =>
    waitFor({
      client,
      resource: PODS,
      namespace: NAMESPACE,
      labelSelector: `app=${app}`,
      what,
      until,
      deadlineMs: 60_000,
    });
  const ready =
    (count: number) =>
    (pods: readonly Pod[]): boolean =>
      pods.length === count && pods.every((p) => isPodReady(p) && p.metadata.deletionTimestamp === undefined);
  const status = (of: string): Promise<string> => run('rollout', 'status', of, '--timeout=60s');
  const scriptOf = (pod: Pod | undefined): string | undefined => pod?.spec.containers[0]?.command?.[2];

  describe('side by side', { concurrency: 4 }, () => {
    // The first one, as it waits the longest: for two readings, and for the autoscaler's rounds.
    test('autoscale: what its container takes, as the kubelet measures it, brings a second pod', async () => {
      const spec = { replicas: 1, template: template('busy', BUSY, BUSY_RESOURCES) };
      await apply(workload('Deployment', 'busy', spec));
      assert.match(await run('autoscale', 'deployment/busy', '--min=1', '--max=2', '--cpu-percent=50'), /autoscaled/);
      const [autoscaler] = await waitFor({
        client,
        resource: HORIZONTAL_POD_AUTOSCALERS,
        namespace: NAMESPACE,
        name: 'busy',
        what: 'the autoscaler to say so',
        until: ([one]) => one?.status?.desiredReplicas === 2,
        deadlineMs: 90_000,
      });
      const { type, reason } = autoscaler?.status?.conditions?.find((c) => c.type === 'ScalingActive') ?? {};
      assert.deepEqual([type, reason], ['ScalingActive', 'ValidMetricFound']);
      assert.match(
        await run('get', 'events', '--field-selector=involvedObject.name=busy,reason=SuccessfulRescale'),
        /New size: 2; reason: cpu resource utilization \(percentage of request\) above target/,
      );
      await run('delete', 'deployment/busy', 'hpa/busy', '--timeout=60s');
    });

    for (const [kind, spec] of [
      ['Deployment', { replicas: 2 }],
      ['StatefulSet', { replicas: 2, serviceName: 'none', podManagementPolicy: 'Parallel' }],
      ['DaemonSet', {}],
    ] as const) {
      test(`${kind}: rollout status, history, undo and restart`, async () => {
        const name = kind.toLowerCase();
        const of = `${name}/${name}`;
        const count = kind === 'DaemonSet' ? 1 : 2;
        await apply(workload(kind, name, spec));
        await status(of);
        const first = await podsOf(name, 'pods of the first template', ready(count));
        await apply(workload(kind, name, spec, `: second; ${FOREVER}`));
        await status(of);
        await podsOf(
          name,
          'pods of the second template',
          (all) => ready(count)(all) && /second/.test(scriptOf(all[0]) ?? ''),
        );
        assert.match(await run('rollout', 'history', of), /REVISION\s+CHANGE-CAUSE\n1\s+<none>\n2\s+<none>\n/);
        assert.match(await run('rollout', 'history', of, '--revision=2'), /second/);
        assert.match(await run('rollout', 'undo', of, '--to-revision=1'), /rolled back/);
        await status(of);
        const undone = await podsOf(
          name,
          'pods of the first template again',
          (all) => ready(count)(all) && scriptOf(all[0]) === FOREVER,
        );
        assert.match(await run('rollout', 'history', of), /\n2\s+<none>\n3\s+<none>\n/);
        assert.match(await run('rollout', 'restart', of), /restarted/);
        await status(of);
        const restarted = await podsOf(name, 'pods that were started anew', (all) => {
          const ids = new Set(containerIds(undone));
          return ready(count)(all) && containerIds(all).every((id) => !ids.has(id));
        });
        assert.ok(restarted[0]?.metadata.annotations?.['kubectl.kubernetes.io/restartedAt']);
        // Nothing of what was replaced runs any more.
        for (const id of containerIds([...first, ...undone])) assert.deepEqual(containerPids(id), []);
        await run('delete', of, '--timeout=60s');
      });
    }

    for (const [kind, more, row] of SCALED) {
      test(`${kind}: scale to zero and back`, async () => {
        const name = `scaled-${kind.toLowerCase()}`;
        const of = `${kind.toLowerCase()}/${name}`;
        await apply(workload(kind, name, { replicas: 2, ...more(name) }));
        const before = await podsOf(name, 'two pods', ready(2));
        await run('scale', of, '--replicas=0');
        await podsOf(name, 'no pod', (all) => all.length === 0);
        for (const id of containerIds(before)) assert.deepEqual(containerPids(id), []);
        assert.match(await run('get', of, '--no-headers'), row);
        await run('scale', of, '--replicas=2', '--current-replicas=0');
        await podsOf(name, 'two pods again', ready(2));
        await run('delete', of, '--timeout=60s');
      });
    }

    test('create job --from=cronjob, and wait for what becomes of it', async () => {
      await run(
        'create',
        'cronjob',
        'nightly',
        `--image=${IMAGE}`,
        '--schedule=0 0 30 2 *',
        '--',
        'sh',
        '-c',
        'echo done; exit 0',
      );
      await run('create', 'job', 'now', '--from=cronjob/nightly');
      await run('wait', '--for=condition=complete', 'job/now', '--timeout=60s');
      assert.equal(await run('logs', 'job/now'), 'done\n');
      const owner = await run(
        'get',
        'job',
        'now',
        '-o',
        'jsonpath={.metadata.ownerReferences[0].kind} {.metadata.annotations}',
      );
      assert.match(owner, /^CronJob .*"cronjob\.kubernetes\.io\/instantiate":"manual"/);
      await run('delete', 'cronjob', 'nightly');
      await run('wait', '--for=delete', 'job/now', '--timeout=60s');
    });
  });

  describe('one after the other', () => {
    test('a more important pod gets the room of a less important one, whose container ends', async () => {
      const cpus = await run('get', 'nodes', '-o', 'jsonpath={.items[0].status.allocatable.cpu}');
      // More than half of the node: two of them never fit.
      const cpu = `${Number(cpus) * 600}m`;
      const pod = (name: string, more: object) =>
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, labels: { app: name } },
          spec: { terminationGracePeriodSeconds: 1, containers: [container(FOREVER, { requests: { cpu } })], ...more },
        });
      await run('create', 'priorityclass', 'urgent', '--value=1000');
      await apply(pod('low', {}));
      const low = await podsOf('low', 'the pod runs', ready(1));
      await apply(pod('high', { priorityClassName: 'urgent' }));
      await run('wait', '--for=condition=Ready', 'pod/high', '--timeout=60s');
      assert.equal((await attempt('get', 'pod', 'low')).code, 1);
      for (const id of containerIds(low)) assert.deepEqual(containerPids(id), []);
      const uid = await run('get', 'pod', 'high', '-o', 'jsonpath={.metadata.uid}');
      await waitFor({
        client,
        resource: EVENTS,
        namespace: NAMESPACE,
        what: 'both to be told of it',
        until: (all) => {
          const told = (name: string, reason: string): string | undefined =>
            all.find((e) => e.involvedObject.name === name && e.reason === reason)?.message;
          return (
            told('low', 'Preempted')?.startsWith(`Preempted by pod ${uid} on node `) === true &&
            told('low', 'Killing') !== undefined &&
            /Insufficient cpu/.test(told('high', 'FailedScheduling') ?? '') &&
            told('high', 'Scheduled') !== undefined
          );
        },
      });
      await run('delete', 'pod/high', 'priorityclass/urgent');
    });

    // The last one: the node takes nobody meanwhile.
    test('drain goes by the budget, leaves what daemons run, and the node comes back', async () => {
      await apply(workload('Deployment', 'drained', { replicas: 2 }));
      await apply(workload('DaemonSet', 'stays', {}));
      await run('create', 'poddisruptionbudget', 'drained', '--selector=app=drained', '--min-available=1');
      const [daemon] = await podsOf('stays', 'the daemon runs', ready(1));
      const before = await podsOf('drained', 'two pods', ready(2));
      await run('wait', '--for=jsonpath={.status.disruptionsAllowed}=1', 'pdb/drained', '--timeout=30s');
      const node = before[0]?.spec.nodeName ?? '';
      const drain = ['drain', node, '--ignore-daemonsets', '--pod-selector=app in (drained,stays)'];
      const drained = run(...drain, '--force', '--timeout=55s');
      drained.catch(() => undefined); // It is waited for below, unless what comes before fails.
      const held = await podsOf('drained', 'one of the old pods, and one that waits for a node', (all) => {
        const old = all.filter((p) => before.some((one) => one.metadata.uid === p.metadata.uid));
        return all.length === 2 && old.length === 1 && all.some((p) => p.spec.nodeName === undefined);
      });
      const last = held.find((p) => p.spec.nodeName !== undefined)?.metadata.name ?? '';
      const eviction = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: last } });
      const path = `/api/v1/namespaces/${NAMESPACE}/pods/${last}/eviction`;
      const refused = await runKubectl(kubectl, cluster.kubeconfig, ['create', '--raw', path, '-f', '-'], eviction);
      assert.match(
        refused.stderr,
        /\(TooManyRequests\): Cannot evict pod as it would violate the pod's disruption budget\./,
      );
      assert.match(await run('get', 'node', node), /Ready,SchedulingDisabled/);
      await run('delete', 'poddisruptionbudget', 'drained');
      assert.match(await drained, new RegExp(`node/${node} drained`));
      const gone = await podsOf('drained', 'pods without a node', (all) =>
        all.every((p) => p.spec.nodeName === undefined),
      );
      assert.ok(gone.every((p) => !before.some((old) => old.metadata.uid === p.metadata.uid)));
      for (const id of containerIds(before)) assert.deepEqual(containerPids(id), []);
      assert.equal((await podsOf('stays', 'the daemon', ready(1)))[0]?.metadata.uid, daemon?.metadata.uid);
      await run('uncordon', node);
      await podsOf('drained', 'two pods again', ready(2));
      await run('delete', 'deployment/drained', 'daemonset/stays', '--timeout=60s');
    });
  });
});
