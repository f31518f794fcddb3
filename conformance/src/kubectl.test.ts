/** The story as a user types it, with the real kubectl, without extra flags; each version that the machine has. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findKubectl, kubectlOutput, runKubectl, startOneProcess } from '@binnacle/testkit';
import type { Kubectl, KubectlResult, OneProcessCluster } from '@binnacle/testkit';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const WANTED = ['1.27', '1.33'];

const found = await Promise.all(WANTED.map((minor) => findKubectl(minor)));
const kubectls = found.filter((k) => k !== undefined);
if (kubectls.length === 0) {
  const any = await findKubectl();
  if (any !== undefined) kubectls.push(any);
}

test(
  'there is a kubectl to test with',
  { skip: process.env['CI'] === 'true' ? false : kubectls.length === 0 && 'no kubectl on this machine' },
  () => {
    assert.ok(kubectls.length > 0);
  },
);

for (const kubectl of kubectls) {
  describe(`kubectl ${kubectl.version}`, () => storyOf(kubectl));
}

function storyOf(kubectl: Kubectl): void {
  let cluster: OneProcessCluster;
  const run = (...args: string[]): Promise<string> => kubectlOutput(kubectl, cluster.kubeconfig, args);
  const attempt = (args: string[], input?: string): Promise<KubectlResult> =>
    runKubectl(kubectl, cluster.kubeconfig, args, input);
  before(async () => {
    cluster = await startOneProcess({ runtime: 'simulated', nodes: 2 });
  });
  after(() => cluster?.stop());

  for (const file of ['frontend-controller.yaml', 'frontend-controller.json']) {
    test(`create -f ${file} ends in three ready pods`, async () => {
      assert.equal(await run('create', '-f', EXAMPLES + file), 'replicationcontroller/frontend created\n');
      await run('wait', '--for=condition=Ready', 'pod', '-l', 'tier=frontend', '--timeout=20s');
      const table = await run('get', 'rc,pods', '-o', 'wide');
      assert.match(table, /NAME\s+DESIRED\s+CURRENT\s+READY\s+AGE\s+CONTAINERS\s+IMAGES\s+SELECTOR/);
      assert.match(table, /replicationcontroller\/frontend\s+3\s+3\s+3\s/);
      const rows = table.split('\n').filter((l) => l.startsWith('pod/'));
      assert.equal(rows.length, 3);
      for (const row of rows)
        assert.match(row, /^pod\/frontend-\w{5}\s+1\/1\s+Running\s+0\s+\S+\s+\d+\.\d+\.\d+\.\d+\s+node-\d\s/);
      await run('delete', 'rc', 'frontend', '--cascade=foreground');
      await run('wait', '--for=delete', 'pod', '-l', 'tier=frontend', '--timeout=20s');
      assert.equal(await run('get', 'pods', '-o', 'name'), '');
    });
  }

  test('create shows its calls with -v=10', async () => {
    const shown = await attempt(['create', '-f', `${EXAMPLES}frontend-controller.yaml`, '-v=10']);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stderr, /POST.*\/api\/v1\/namespaces\/default\/replicationcontrollers/);
    assert.match(shown.stderr, /201 Created/);
    await run('delete', 'rc', 'frontend');
  });

  test('imperative commands: deployment, scale, rollout, undo', async () => {
    await run('create', 'deployment', 'web', '--image=binnacle.local/frontend:1.0', '--replicas=2');
    await run('rollout', 'status', 'deployment/web', '--timeout=20s');
    await run('scale', 'deployment/web', '--replicas=3');
    await run('rollout', 'status', 'deployment/web', '--timeout=20s');
    await run('set', 'image', 'deployment/web', 'frontend=binnacle.local/frontend:2.0');
    await run('rollout', 'status', 'deployment/web', '--timeout=20s');
    assert.match(
      await run('get', 'deployment', 'web', '-o', 'wide'),
      /web\s+3\/3\s+3\s+3\s+\S+\s+frontend\s+binnacle\.local\/frontend:2\.0/,
    );
    await run('rollout', 'undo', 'deployment/web');
    await run('rollout', 'status', 'deployment/web', '--timeout=20s');
    assert.match(await run('rollout', 'history', 'deployment/web'), /3\s+<none>/);
    assert.equal(
      await run('get', 'deployment', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}'),
      'binnacle.local/frontend:1.0',
    );
    await run('delete', 'deployment', 'web');
  });

  test('apply, edit by patch, label, annotate, diffless re-apply', async () => {
    const manifest = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings' },
      data: { colour: 'blue' },
    });
    assert.match((await attempt(['apply', '-f', '-'], manifest)).stdout, /configmap\/settings created/);
    assert.match((await attempt(['apply', '-f', '-'], manifest)).stdout, /configmap\/settings unchanged/);
    assert.match(
      (await attempt(['apply', '-f', '-'], manifest.replace('blue', 'red'))).stdout,
      /configmap\/settings configured/,
    );
    await run('label', 'configmap', 'settings', 'tier=test');
    await run('annotate', 'configmap', 'settings', 'note=hello');
    assert.equal(await run('get', 'configmap', '-l', 'tier=test', '-o', 'jsonpath={.items[*].data.colour}'), 'red');
    await run('delete', 'configmap', 'settings');
  });

  test('describe, explain, api-resources, top-level questions', async () => {
    assert.match(await run('describe', 'node', 'node-0'), /Conditions:[\s\S]*Ready\s+True/);
    assert.match(await run('explain', 'pod.spec.containers'), /FIELDS|FIELD/);
    assert.match(await run('api-resources'), /replicationcontrollers\s+rc\s+v1\s+true\s+ReplicationController/);
    assert.equal((await run('auth', 'can-i', 'delete', 'pods')).trim(), 'yes');
    assert.match(await run('get', '--raw', '/readyz?verbose'), /readyz check passed/);
  });

  test('namespaces come and go', async () => {
    await run('create', 'namespace', 'short');
    await run('create', '-n', 'short', '-f', `${EXAMPLES}frontend-controller.yaml`);
    await run('delete', 'namespace', 'short', '--timeout=30s');
    const gone = await attempt(['get', 'namespace', 'short']);
    assert.match(gone.stderr, /Error from server \(NotFound\): namespaces "short" not found/);
  });

  test('bad manifests: the words of Kubernetes, and nothing stored', async () => {
    const pod = (spec: unknown): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bad' }, spec });
    const rows: { name: string; input: string; message: RegExp }[] = [
      {
        name: 'missing image',
        input: pod({ containers: [{ name: 'c' }] }),
        message: /The Pod "bad" is invalid: spec\.containers\[0\]\.image: Required value/,
      },
      {
        name: 'unknown field',
        input: pod({ containers: [{ name: 'c', image: 'i', imagee: 'x' }] }),
        message: /unknown field "spec\.containers\[0\]\.imagee"/,
      },
      {
        name: 'wrong type',
        input: pod({ containers: 'none' }),
        message: /cannot unmarshal string into Go|invalid type/,
      },
      {
        name: 'unknown kind',
        input: JSON.stringify({ apiVersion: 'v1', kind: 'Poddd', metadata: { name: 'bad' } }),
        message: /no matches for kind "Poddd" in version "v1"/,
      },
    ];
    for (const row of rows) {
      const refused = await attempt(['create', '-f', '-'], row.input);
      assert.equal(refused.code, 1, row.name);
      assert.match(refused.stderr, row.message, row.name);
    }
    assert.match((await attempt(['get', 'pod', 'bad'])).stderr, /NotFound/);
  });
}
