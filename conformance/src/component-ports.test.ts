/** A controller manager and a scheduler as processes tell of themselves on a port each, to whom the API server says they may. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { CLUSTER_ROLE_BINDINGS, DEPLOYMENTS, isPodReady, LEASES, PODS, SERVICE_ACCOUNTS } from '@binnacle/api';
import type { Lease } from '@binnacle/api/coordination/v1';
import { loadKubeconfig } from '@binnacle/client/node';
import { startBinnacle, startProcesses, TestkitError, waitFor } from '@binnacle/testkit';
import type { BinnacleProcess, ProcessCluster } from '@binnacle/testkit';
import { deployment } from './manifests.ts';

/** What a caller shows: a token, a certificate, nothing. */
interface Shown {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
}

async function ask(port: number, path: string, { token, cert, key }: Shown): Promise<readonly [number, string]> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const pair = cert === undefined || key === undefined ? {} : { cert, key };
  // Nobody vouches for a certificate that a component makes itself.
  const asked = request({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false, ...pair });
  asked.end();
  const [response] = await once(asked, 'response');
  let body = '';
  for await (const part of response) body += String(part);
  return [response.statusCode, body];
}

function portOf({ ready: { securePort } }: BinnacleProcess): number {
  if (securePort === undefined) throw new TestkitError('it does not say where it is asked');
  return securePort;
}

describe('components that run alone', () => {
  let cluster: ProcessCluster;
  let manager: BinnacleProcess;
  let scheduler: BinnacleProcess;
  let admin: Shown;
  const tokens: { [name: string]: string } = {};

  before(async () => {
    cluster = await startProcesses({ runtime: 'simulated', nodes: 1 });
    await cluster.controllerManager().kill();
    const config = await cluster.kubeconfigFor('system:kube-controller-manager');
    manager = await cluster.start(['controller-manager', '--kubeconfig', config, '--node-monitor-grace-period=45s']);
    const second = ['--scheduler-name', 'second', '--kubeconfig', await cluster.kubeconfigFor('system:kube-scheduler')];
    scheduler = await cluster.start(['scheduler', ...second]);
    const { cert, key } = (await loadKubeconfig(cluster.kubeconfig)).wire;
    admin = { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
    const { client } = cluster;
    await client.resource(CLUSTER_ROLE_BINDINGS).create({
      metadata: { name: 'watcher' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:monitoring' },
      subjects: [{ kind: 'ServiceAccount', name: 'watcher', namespace: 'default' }],
    });
    const accounts = client.resource(SERVICE_ACCOUNTS, 'default');
    const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: {} };
    for (const name of ['watcher', 'nobody']) {
      await accounts.create({ metadata: { name } });
      const { status } = await accounts.subresource<{ readonly status: { readonly token: string } }>(
        'create',
        name,
        'token',
        asked,
      );
      tokens[name] = status.token;
    }
    await waitFor<Lease>({
      client,
      resource: LEASES,
      namespace: 'kube-system',
      name: 'kube-controller-manager',
      what: 'the manager to lead',
      until: ([lease]) => lease?.spec.holderIdentity === manager.ready.identity,
    });
    await client.resource(PODS, 'default').create({
      metadata: { name: 'one' },
      spec: { schedulerName: 'second', containers: [{ name: 'c', image: 'example.org/c:1' }] },
    });
    await client.resource(DEPLOYMENTS, 'default').create(deployment('web', 2));
    await waitFor({
      client,
      resource: PODS,
      namespace: 'default',
      what: 'three ready pods',
      until: (pods) => pods.filter(isPodReady).length === 3,
    });
  });
  after(() => cluster?.stop());

  test('a token that may reads figures, one that may not does not, health is everybody’s', async () => {
    for (const part of [manager, scheduler]) {
      const port = portOf(part);
      assert.deepEqual(await ask(port, '/healthz', {}), [200, 'ok']);
      const codes = [{}, { token: tokens['nobody'] ?? '' }, { token: 'none' }, { token: tokens['watcher'] ?? '' }];
      const seen = await Promise.all(codes.map(async (shown) => (await ask(port, '/metrics', shown))[0]));
      assert.deepEqual(seen, [403, 403, 401, 200]);
      assert.equal((await ask(port, '/configz', { token: tokens['watcher'] ?? '' }))[0], 403);
    }
  });

  test('the manager tells how it leads and what its controllers do', async () => {
    const port = portOf(manager);
    const [, figures] = await ask(port, '/metrics', admin);
    for (const line of [
      /^leader_election_master_status\{name="kube-controller-manager"\} 1$/m,
      /^running_managed_controllers\{name="deployment-controller",manager="kube-controller-manager"\} 1$/m,
      /^workqueue_adds_total\{name="replicaset"\} [1-9]/m,
      /^workqueue_depth\{name="deployment"\} 0$/m,
      /^kubernetes_build_info\{major="1",minor="36",/m,
      /^process_resident_memory_bytes [1-9]/m,
    ])
      assert.match(figures, line);
    const [code, health] = await ask(port, '/healthz?verbose', {});
    assert.equal(code, 200);
    assert.match(
      health,
      /^\[\+\]leaderElection ok\n(.*\n)*\[\+\]garbage-collector-controller ok\n(.*\n)*healthz check passed\n$/,
    );
    assert.deepEqual((await ask(port, '/livez', {}))[0], 404, 'as upstream’s');
    const shown = JSON.parse((await ask(port, '/configz', admin))[1]) as { readonly [group: string]: object };
    assert.partialDeepStrictEqual(shown['kubecontrollermanager.config.k8s.io'], {
      Generic: { LeaderElection: { LeaderElect: true, LeaseDuration: '15s' } },
      NodeLifecycleController: { NodeMonitorGracePeriod: '45s' },
    });
  });

  test('the scheduler tells what it scheduled, and that it is ready', async () => {
    const port = portOf(scheduler);
    const [, figures] = await ask(port, '/metrics', admin);
    assert.match(figures, /^scheduler_schedule_attempts_total\{result="scheduled",profile="second"\} 1$/m);
    assert.deepEqual(await ask(port, '/livez', {}), [200, 'ok']);
    assert.deepEqual(await ask(port, '/readyz?verbose', {}), [
      200,
      '[+]shutdown ok\n[+]sched-handler-sync ok\nreadyz check passed\n',
    ]);
    const shown = JSON.parse((await ask(port, '/configz', admin))[1]) as { readonly componentconfig: object };
    assert.partialDeepStrictEqual(shown.componentconfig, {
      LeaderElection: { LeaderElect: false },
      PodMaxBackoffSeconds: 10,
      Profiles: [{ SchedulerName: 'second' }],
    });
    assert.match(
      (await ask(port, '/metrics/slis', admin))[1],
      /^kubernetes_healthcheck\{type="readyz",name="shutdown"\} 1$/m,
    );
  });

  test('it may be switched off, and a port that is taken is told where it was asked for', async () => {
    const config = await cluster.kubeconfigFor('system:kube-scheduler');
    const args = ['scheduler', '--scheduler-name', 'third', '--kubeconfig', config];
    const none = await cluster.start([...args, '--secure-port=0']);
    assert.equal(none.ready.securePort, undefined);
    await assert.rejects(
      startBinnacle([...args, `--secure-port=${portOf(scheduler)}`]),
      /cannot listen on 127\.0\.0\.1/,
    );
    await assert.rejects(startBinnacle([...args, '--tls-cert-file=/nowhere']), /belong together/);
  });
});
