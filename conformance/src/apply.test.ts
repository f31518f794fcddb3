/** Server-side apply as people do it, with the real kubectl of each version that the machine has. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findKubectl, kubectlOutput, runKubectl, startOneProcess } from '@binnacle/testkit';
import type { Kubectl, KubectlResult, OneProcessCluster } from '@binnacle/testkit';

const WANTED = ['1.27', '1.30', '1.33'];
const found = await Promise.all(WANTED.map((minor) => findKubectl(minor)));
const kubectls = found.filter((k) => k !== undefined);

test(
  'there is a kubectl to test with',
  { skip: process.env['CI'] === 'true' ? false : kubectls.length === 0 && 'no kubectl on this machine' },
  () => assert.ok(kubectls.length > 0),
);

for (const kubectl of kubectls) describe(`kubectl ${kubectl.version}`, () => applyOf(kubectl));

const map = (name: string, data: object): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

function applyOf(kubectl: Kubectl): void {
  let cluster: OneProcessCluster;
  const run = (...args: string[]): Promise<string> => kubectlOutput(kubectl, cluster.kubeconfig, args);
  const attempt = (input: string, ...args: string[]): Promise<KubectlResult> =>
    runKubectl(kubectl, cluster.kubeconfig, args, input);
  before(async () => {
    cluster = await startOneProcess({ runtime: 'simulated', nodes: 1 });
  });
  after(() => cluster?.stop());

  test('apply --server-side, a conflict, and --force-conflicts', async () => {
    const serverSide = ['apply', '--server-side', '-f', '-'];
    const first = await attempt(map('a', { k: 'v' }), ...serverSide);
    assert.equal(first.stdout, 'configmap/a serverside-applied\n', first.stderr);
    const other = await attempt(map('a', { k: 'w' }), ...serverSide, '--field-manager=other');
    assert.match(other.stderr, /Apply failed with 1 conflict: conflict with "kubectl": \.data\.k/);
    const forced = await attempt(map('a', { k: 'w' }), ...serverSide, '--field-manager=other', '--force-conflicts');
    assert.equal(forced.code, 0, forced.stderr);
    assert.equal(await run('get', 'configmap', 'a', '-o', 'jsonpath={.data.k}'), 'w');
  });

  test('diff --server-side shows what an apply would change, and stores nothing', async () => {
    const diff = await attempt(map('a', { k: 'x' }), 'diff', '--server-side', '--force-conflicts', '-f', '-');
    assert.equal(diff.code, 1, diff.stderr);
    assert.match(diff.stdout, /\n-\s+k: w\n\+\s+k: x\n/);
    assert.equal(await run('get', 'configmap', 'a', '-o', 'jsonpath={.data.k}'), 'w');
  });

  test('--show-managed-fields names who owns what; without it nothing is seen', async () => {
    const shown = await run('get', 'configmap', 'a', '-o', 'yaml', '--show-managed-fields');
    assert.match(shown, /managedFields:[\s\S]*f:k: \{\}[\s\S]*manager: other\n\s+operation: Apply/);
    assert.doesNotMatch(await run('get', 'configmap', 'a', '-o', 'yaml'), /managedFields/);
  });

  test('from client-side apply to server-side apply without a conflict, and dropped fields go', async () => {
    await attempt(map('b', { k: 'v', gone: 'g' }), 'apply', '-f', '-');
    const over = await attempt(map('b', { k: 'w' }), 'apply', '--server-side', '-f', '-');
    assert.equal(over.code, 0, over.stderr);
    assert.equal(await run('get', 'configmap', 'b', '-o', 'jsonpath={.data}'), '{"k":"w"}');
  });

  test('a field that nobody declared', async () => {
    const bad = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, dat: {} });
    const refused = await attempt(bad, 'apply', '--server-side', '-f', '-');
    assert.match(
      refused.stderr,
      /failed to create typed patch object \(default\/c; \/v1, Kind=ConfigMap\): \.dat: field not declared in schema/,
    );
  });

  test('a deployment is rolled out, scaled by somebody else, and then contested', async () => {
    const deployment = (replicas: number): string =>
      JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: {
          replicas,
          selector: { matchLabels: { app: 'web' } },
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'c', image: 'binnacle.local/frontend:1.0', ports: [{ containerPort: 80 }] }] },
          },
        },
      });
    const made = await attempt(deployment(1), 'apply', '--server-side', '-f', '-');
    assert.equal(made.code, 0, made.stderr);
    await run('rollout', 'status', 'deployment/web', '--timeout=20s');
    assert.equal((await attempt(deployment(1), 'apply', '--server-side', '-f', '-')).code, 0);
    await run('scale', 'deployment/web', '--replicas=2');
    const contested = await attempt(deployment(1), 'apply', '--server-side', '-f', '-');
    assert.match(
      contested.stderr,
      /conflict with "kubectl[.\d]*" with subresource "scale" using apps\/v1: \.spec\.replicas/,
    );
    await run('delete', 'deployment', 'web');
  });

  test('an apply set prunes what it no longer lists', async () => {
    const env = { KUBECTL_APPLYSET: 'true' };
    const before = process.env['KUBECTL_APPLYSET'];
    Object.assign(process.env, env);
    try {
      const set = ['apply', '--server-side', '-f', '-', '--prune', '--applyset=configmaps/set', '-n', 'default'];
      const list = (...items: string[]): string => `{"apiVersion":"v1","kind":"List","items":[${items.join(',')}]}`;
      const both = await attempt(list(map('p', { k: '1' }), map('q', { k: '1' })), ...set);
      assert.equal(both.code, 0, both.stderr);
      const one = await attempt(list(map('p', { k: '1' })), ...set);
      assert.match(one.stdout, /configmap\/q pruned/, one.stderr);
      assert.equal((await attempt('', 'get', 'configmap', 'q')).code, 1);
    } finally {
      if (before === undefined) delete process.env['KUBECTL_APPLYSET'];
      else process.env['KUBECTL_APPLYSET'] = before;
    }
  });
}
