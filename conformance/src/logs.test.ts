/** `kubectl logs` as users type it: simulated nodes in one process, kubelets of their own over TLS, real containers. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import {
  findKubectl,
  kubectlOutput,
  runKubectl,
  skipWithoutContainerd,
  startContainerdCluster,
  startOneProcess,
  startProcesses,
  waitFor,
} from '@binnacle/testkit';
import type { KubectlResult, TestCluster } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const found = (await findKubectl('1.33')) ?? (await findKubectl());
const noKubectl = found === undefined && process.env['CI'] !== 'true' && 'no kubectl on this machine';
const noContainers = noKubectl || (await skipWithoutContainerd());
const SIMULATED = 'simulated.binnacle.dev';

interface Row {
  readonly name: string;
  readonly skip: string | false;
  start(): Promise<TestCluster & { readonly kubeconfig: string }>;
}

const ROWS: readonly Row[] = [
  { name: 'simulated nodes in one process', skip: noKubectl, start: () => startOneProcess({ runtime: 'simulated' }) },
  { name: 'a kubelet of its own, over TLS', skip: noKubectl, start: () => startProcesses({ runtime: 'simulated' }) },
  { name: 'real containers', skip: noContainers, start: () => startContainerdCluster() },
];

/** The same pods for real and for simulated containers: annotations steer these, commands those. */
const TALKER = {
  metadata: { name: 'talker', annotations: { [`${SIMULATED}/log`]: 'one\ntwo\nthree' } },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: ['main', 'side'].map((name) => ({
      name,
      image: IMAGE,
      command: ['sh', '-c', 'echo one; echo two; echo three; exec sleep 1000'],
    })),
  },
};
const CRASHER = {
  metadata: {
    name: 'crasher',
    annotations: {
      [`${SIMULATED}/log`]: 'last words',
      [`${SIMULATED}/exit-after`]: '200ms',
      [`${SIMULATED}/exit-code`]: '3',
      [`${SIMULATED}/exit-times`]: '1',
    },
  },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'main',
        image: IMAGE,
        command: ['sh', '-c', 'echo last words; test -e /seen/it && exec sleep 1000; touch /seen/it; exit 3'],
        volumeMounts: [{ name: 'seen', mountPath: '/seen' }],
      },
    ],
    volumes: [{ name: 'seen', emptyDir: {} }],
  },
};

for (const row of ROWS) describe(`kubectl logs: ${row.name}`, { skip: row.skip }, () => logsOf(row));

function logsOf(row: Row): void {
  let cluster: Awaited<ReturnType<Row['start']>>;
  const kubectl = (...args: string[]): Promise<string> => {
    assert.ok(found);
    return kubectlOutput(found, cluster.kubeconfig, args);
  };
  const attempt = (...args: string[]): Promise<KubectlResult> => {
    assert.ok(found);
    return runKubectl(found, cluster.kubeconfig, args);
  };
  const untilPod = (name: string, what: string, until: (pod: Pod) => boolean): Promise<unknown> =>
    waitFor({
      client: cluster.client,
      resource: PODS,
      namespace: 'default',
      name,
      what,
      until: (all) => all[0] !== undefined && until(all[0]),
    });
  before(async () => {
    cluster = await row.start();
    const pods = cluster.client.resource(PODS, 'default');
    for (const pod of [TALKER, CRASHER]) await pods.create(pod as never);
    await untilPod('talker', 'both containers', (p) => p.status?.containerStatuses?.every((c) => c.ready) === true);
  });
  after(() => cluster?.stop());

  test('whole, the last lines, with times, limited, by label', async () => {
    assert.equal(await kubectl('logs', 'talker', '-c', 'side'), 'one\ntwo\nthree\n');
    assert.equal(await kubectl('logs', 'talker', '-c', 'main', '--tail=2'), 'two\nthree\n');
    assert.equal(await kubectl('logs', 'talker', '-c', 'main', '--limit-bytes=5'), 'one\nt');
    assert.equal(await kubectl('logs', 'talker', '-c', 'main', '--since=1h', '--tail=1'), 'three\n');
    const lines = (await kubectl('logs', 'talker', '-c', 'main', '--timestamps')).trim().split('\n');
    assert.equal(lines.length, 3);
    for (const line of lines) assert.match(line, /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?:one|two|three)$/);
    assert.match(await kubectl('logs', 'talker', '--all-containers', '--prefix'), /\[pod\/talker\/side\] three/);
  });

  test('followed until the reader goes', async () => {
    assert.ok(found);
    const args = ['--kubeconfig', cluster.kubeconfig, 'logs', '-f', 'talker', '-c', 'main'];
    const reader = spawn(found.path, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let seen = '';
    for await (const piece of reader.stdout.setEncoding('utf8')) {
      seen += String(piece);
      if (seen.endsWith('three\n')) break;
    }
    assert.equal(seen, 'one\ntwo\nthree\n');
    assert.equal(reader.exitCode, null, 'it goes on reading');
    const exit = once(reader, 'exit');
    reader.kill('SIGTERM');
    await exit;
    assert.equal(await kubectl('logs', 'talker', '-c', 'main', '--tail=1'), 'three\n', 'nobody else is disturbed');
  });

  test('the container before this one', async () => {
    await untilPod('crasher', 'its restart', (p) => {
      const status = p.status?.containerStatuses?.[0];
      return status?.restartCount === 1 && status.ready;
    });
    assert.equal(await kubectl('logs', 'crasher', '--previous'), 'last words\n');
    const refused = await attempt('logs', 'talker', '-c', 'main', '--previous');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /previous terminated container "main" in pod "talker" not found/);
  });

  test('what there is no log of', async () => {
    const raw = await attempt('get', '--raw', '/api/v1/namespaces/default/pods/talker/log');
    assert.match(raw.stderr, /a container name must be specified for pod talker, choose one of: \[main side\]/);
    const wrong = await attempt('logs', 'talker', '-c', 'third');
    assert.match(wrong.stderr, /container third is not valid for pod talker/);
    const absent = await attempt('logs', 'nobody');
    assert.match(absent.stderr, /pods "nobody" not found/);
    const stranger = await attempt('logs', 'talker', '-c', 'main', '--as=somebody');
    assert.match(
      stranger.stderr,
      /pods "talker" is forbidden: User "somebody" cannot get resource "pods(?:\/log)?" in API group ""/,
    );
  });
}
