/** Helm as people use it: a chart with kinds of its own and hooks; install, upgrade, rollback, what fails, what is left. */
import { startOneProcess, waitFor } from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';
import { CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, DEPLOYMENTS, SECRETS } from '@binnacle/api';
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { builtProgram, runProgram } from './programs.ts';
import type { Ran } from './programs.ts';

const helm = builtProgram('bin/helm');
const chart = fileURLToPath(new URL('../interop/testdata/harbour', import.meta.url));
const NAMESPACE = 'port';
const WAIT = ['--wait', '--timeout', '60s'];

interface Release {
  readonly info: { readonly status: string; readonly notes?: string; readonly description: string };
  readonly version: number;
}

describe('Helm', { skip: helm.skip }, () => {
  let cluster: OneProcessCluster;
  before(async () => {
    cluster = await startOneProcess({ runtime: 'simulated', nodes: 2, store: 'memory' });
  });
  after(async () => cluster?.stop());

  const run = (...args: readonly string[]): Promise<Ran> =>
    runProgram(helm.path, ['--namespace', NAMESPACE, ...args], { kubeconfig: cluster.kubeconfig });
  async function succeed(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...args);
    assert.equal(code, 0, `helm ${args.join(' ')}\n${stdout}${stderr}`);
    return stdout;
  }
  const release = async (...args: readonly string[]): Promise<Release> =>
    JSON.parse(await succeed(...args, '-o', 'json')) as Release;
  const names = async (ref: typeof CONFIG_MAPS | typeof SECRETS): Promise<readonly string[]> => {
    const { items } = await cluster.client.resource(ref, NAMESPACE).list();
    return items.map(({ metadata }) => metadata.name ?? '');
  };
  const page = async () => (await cluster.client.resource(CONFIG_MAPS, NAMESPACE).get('one-page')).data;

  test('install with --wait: kinds first, hooks before and after, notes with what was looked up', async () => {
    const { info, version } = await release('install', 'one', chart, '--create-namespace', ...WAIT);
    assert.deepEqual([info.status, version], ['deployed', 1]);
    assert.match(info.notes ?? '', /one has 2 berths on Kubernetes v1\.36\.\d+.*\n.*The API is at \d+\.\d+\.\d+\.\d+/);
    const deployment = await cluster.client.resource(DEPLOYMENTS, NAMESPACE).get('one-web');
    assert.equal(deployment.status?.availableReplicas, 2);
    const maps = await names(CONFIG_MAPS);
    for (const name of ['one-page', 'one-pre-install', 'one-post-install']) assert.ok(maps.includes(name), name);
    assert.ok(!maps.includes('one-pre-upgrade'));
    assert.match(await succeed('get', 'manifest', 'one'), /kind: Pier/);
    assert.match(await succeed('test', 'one'), /Phase:\s+Succeeded/);
  });

  test('upgrade, its dry run by the server, history and rollback', async () => {
    const dry = await succeed('upgrade', 'one', chart, '--set', 'greeting=dry', '--dry-run=server');
    assert.match(dry, /greeting: "dry"/);
    assert.equal((await page())?.['greeting'], 'ahoy');
    const { info } = await release('upgrade', 'one', chart, '--set', 'greeting=hello,replicas=3', ...WAIT);
    assert.equal(info.status, 'deployed');
    assert.equal((await page())?.['greeting'], 'hello');
    assert.ok((await names(CONFIG_MAPS)).includes('one-pre-upgrade'));
    await succeed('rollback', 'one', '1', ...WAIT);
    assert.equal((await page())?.['greeting'], 'ahoy');
    const history = JSON.parse(await succeed('history', 'one', '-o', 'json')) as { status: string }[];
    assert.deepEqual(
      history.map(({ status }) => status),
      ['superseded', 'superseded', 'deployed'],
    );
    const { items } = await cluster.client.resource(SECRETS, NAMESPACE).list({ labelSelector: 'owner=helm,name=one' });
    assert.deepEqual([...new Set(items.map(({ type }) => type))], ['helm.sh/release.v1']);
  });

  test('--atomic takes back an upgrade whose pods never come, and one whose hook is refused', async () => {
    const stuck = await run('upgrade', 'one', chart, '--set', 'stuck=true', '--atomic', '--timeout', '3s');
    assert.notEqual(stuck.code, 0);
    assert.match(stuck.stderr, /has been rolled back due to atomic being set: context deadline exceeded/);
    const refused = await run('upgrade', 'one', chart, '--set', 'hookFails=true', '--atomic', '--timeout', '30s');
    assert.match(refused.stderr, /pre-upgrade hooks failed: .*ConfigMap "Not_A_Name" is invalid: metadata.name/s);
    assert.equal((await page())?.['greeting'], 'ahoy');
    await waitFor({
      client: cluster.client,
      resource: DEPLOYMENTS,
      namespace: NAMESPACE,
      name: 'one-web',
      what: 'the pods of the release before',
      until: ([found]) =>
        found?.status?.availableReplicas === 2 && found.spec?.template.spec?.nodeSelector === undefined,
    });
  });

  test('what the API refuses is the error of the release; --atomic leaves nothing of it', async () => {
    const { code, stderr } = await run('install', 'bad', chart, '--set', 'replicas=-1', '--atomic', '--timeout', '5s');
    assert.notEqual(code, 0);
    assert.match(stderr, /spec.replicas: Invalid value: -1: must be greater than or equal to 0/);
    assert.deepEqual(
      (await names(CONFIG_MAPS)).filter((name) => name === 'bad-page'),
      [],
    );
  });

  test('what somebody else made is not taken into a release', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'two-page' } } as const;
    await cluster.client.resource(CONFIG_MAPS, NAMESPACE).create(object);
    const { code, stderr } = await run('install', 'two', chart);
    assert.notEqual(code, 0);
    assert.match(
      stderr,
      /ConfigMap "two-page" in namespace "port" exists and cannot be imported .* invalid ownership/s,
    );
  });

  test('uninstall removes what the chart made, runs its hook, and leaves its kinds', async () => {
    await succeed('uninstall', 'one', ...WAIT);
    assert.deepEqual(JSON.parse(await succeed('list', '-a', '-o', 'json')), []);
    const maps = await names(CONFIG_MAPS);
    for (const name of ['one-page', 'one-pre-delete']) assert.ok(!maps.includes(name), name);
    // Of the cluster, not of the release.
    await cluster.client.resource(CUSTOM_RESOURCE_DEFINITIONS).get('piers.harbour.example.com');
  });
});

test('Helm is there', { skip: helm.skip }, async () => {
  const { code, stdout } = await runProgram(helm.path, ['version', '--short'], { kubeconfig: '/dev/null' });
  assert.equal(code, 0);
  assert.match(stdout, /^v\d+\.\d+/);
});
