/** `kubectl exec`, `attach`, `cp`, `port-forward` and `run -i` as users type them, in what each kubectl speaks. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
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
import type { Kubectl, KubectlResult, TestCluster } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

/** SPDY for all; WebSocket for exec; WebSocket for port-forward too. */
const VERSIONS = ['1.27', '1.30', '1.33'];
const kubectls = (await Promise.all(VERSIONS.map((minor) => findKubectl(minor)))).filter(
  (found) => found !== undefined,
);
const newest = kubectls.at(-1) ?? (await findKubectl());
const noKubectl = newest === undefined && process.env['CI'] !== 'true' && 'no kubectl on this machine';
const noContainers = noKubectl || (await skipWithoutContainerd());
const SIMULATED = 'simulated.binnacle.dev';

interface Row {
  readonly name: string;
  readonly skip: string | false;
  readonly isReal: boolean;
  start(): Promise<TestCluster & { readonly kubeconfig: string }>;
}

const ROWS: readonly Row[] = [
  {
    name: 'simulated nodes in one process',
    skip: noKubectl,
    isReal: false,
    start: () => startOneProcess({ runtime: 'simulated' }),
  },
  {
    name: 'a kubelet of its own, over TLS',
    skip: noKubectl,
    isReal: false,
    start: () => startProcesses({ runtime: 'simulated' }),
  },
  { name: 'real containers', skip: noContainers, isReal: true, start: () => startContainerdCluster() },
];

/** The same pods for real and for simulated containers: annotations steer these, commands those. */
const SERVER = {
  metadata: {
    name: 'server',
    annotations: { [`${SIMULATED}/http-port`]: '8080', [`${SIMULATED}/http-body`]: 'hello\n' },
  },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: 'main',
        image: IMAGE,
        command: ['sh', '-c', 'echo hello >/tmp/index.html; httpd -p 8080 -h /tmp; exec sleep 1000'],
      },
    ],
  },
};
const CONSOLE = {
  metadata: { name: 'console' },
  spec: {
    terminationGracePeriodSeconds: 0,
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: IMAGE, command: ['sh'], stdin: true, stdinOnce: true }],
  },
};

describe('kubectl exec', { concurrency: ROWS.length }, () => {
  for (const row of ROWS) describe(row.name, { skip: row.skip, concurrency: 1 }, () => streamsOf(row));
});

function streamsOf(row: Row): void {
  let cluster: Awaited<ReturnType<Row['start']>>;
  const attempt = (kubectl: Kubectl | undefined, args: readonly string[], input?: string): Promise<KubectlResult> => {
    assert.ok(kubectl);
    return runKubectl(kubectl, cluster.kubeconfig, args, input);
  };
  const output = (kubectl: Kubectl | undefined, args: readonly string[], input?: string): Promise<string> => {
    assert.ok(kubectl);
    return kubectlOutput(kubectl, cluster.kubeconfig, args, input);
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
  const isReady = (pod: Pod): boolean => pod.status?.containerStatuses?.every((c) => c.ready) === true;
  before(async () => {
    cluster = await row.start();
    await cluster.client.resource(PODS, 'default').create(SERVER as never);
    await untilPod('server', 'its container', isReady);
  });
  after(() => cluster?.stop());

  for (const kubectl of kubectls) {
    test(`${kubectl.version}: exec: output, errors, exit code`, async () => {
      const done = await attempt(kubectl, ['exec', 'server', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7']);
      assert.deepEqual([done.code, done.stdout], [7, 'out\n']);
      assert.match(done.stderr, /^err\ncommand terminated with exit code 7\n$/);
    });

    test(`${kubectl.version}: exec -i: the end of the input is the end of cat`, async () => {
      const input = 'x'.repeat(1_000_000);
      const back = await output(kubectl, ['exec', '-i', 'server', '--', 'cat'], input);
      assert.equal(back.length, input.length);
      assert.ok(back === input);
      const { code } = await attempt(kubectl, ['exec', '-i', 'server', '--', 'sh'], 'echo hi\nexit 3\n');
      assert.equal(code, 3);
    });

    test(`${kubectl.version}: what cannot run, and where nothing runs`, async () => {
      const nothing = await attempt(kubectl, ['exec', 'server', '--', '/no/such/program']);
      assert.notEqual(nothing.code, 0);
      assert.match(nothing.stderr, /no such file|executable file not found/);
      const side = await attempt(kubectl, ['exec', 'server', '-c', 'side', '--', 'true']);
      assert.match(side.stderr, /container side is not valid for pod server|container side not found in pod server/);
    });

    test(`${kubectl.version}: port-forward, and a port where nobody listens`, { timeout: 30_000 }, async () => {
      const args = ['--kubeconfig', cluster.kubeconfig, 'port-forward', 'pod/server', ':8080', ':8081'];
      const child = spawn(kubectl.path, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      let failed = '';
      child.stderr.setEncoding('utf8').on('data', (piece: string) => (failed += piece));
      await new Promise<void>((resolve, reject) => {
        child.stdout.setEncoding('utf8').on('data', (piece: string) => {
          said += piece;
          if (/-> 8080[^]*-> 8081/.test(said)) resolve();
        });
        child.once('close', () => reject(new RangeError(failed)));
      });
      const ports = [...said.matchAll(/127\.0\.0\.1:(\d+) -> (\d+)/g)].map((match) => [match[2], Number(match[1])]);
      const [open, closed] = ['8080', '8081'].map((name) => Number(ports.find(([port]) => port === name)?.[1]));
      for (let i = 0; i < 5; i++) assert.equal(await page(open ?? 0), 'hello\n');
      assert.deepEqual(await Promise.all(Array.from({ length: 10 }, () => page(open ?? 0))), Array(10).fill('hello\n'));
      await assert.rejects(page(closed ?? 0));
      child.kill();
      await once(child, 'close');
      assert.match(failed, /error forwarding port 8081 to pod [^]*refused/);
    });
  }

  test(
    'all of what many commands say before their end',
    { skip: !row.isReal && 'simulated shells know no loops' },
    async () => {
      const command = [
        'exec',
        'server',
        '--',
        'sh',
        '-c',
        'i=0; while [ $i -lt 9999 ]; do echo $i; i=$((i+1)); done; exit 5',
      ];
      const lines = Array.from({ length: 9999 }, (_, line) => `${line}\n`).join('');
      await Promise.all(
        Array.from({ length: 6 }, async (_, nth) => {
          const done = await attempt(kubectls[nth % kubectls.length], command);
          assert.equal(done.code, 5, done.stderr);
          assert.ok(done.stdout === lines, `${done.stdout.length} bytes of ${lines.length}`);
        }),
      );
    },
  );

  test('attach speaks to the first process, whose end is the end of the pod', async () => {
    await cluster.client.resource(PODS, 'default').create(CONSOLE as never);
    await untilPod('console', 'its container', isReady);
    assert.match(await output(newest, ['attach', '-i', 'console'], 'echo from within\nexit 0\n'), /from within/);
    await untilPod('console', 'its end', (pod) => pod.status?.phase === 'Succeeded');
  });

  test('run -i --rm: a pod for one command', async () => {
    const args = ['run', 'once', '-i', '--rm', '--restart=Never', `--image=${IMAGE}`, '--command', '--', 'sh'];
    const done = await attempt(newest, args, 'echo in a pod of its own\nexit 0\n');
    assert.match(done.stdout, /in a pod of its own/, done.stderr);
    assert.match(done.stdout, /pod "once" deleted/);
  });

  test('a terminal', { skip: !row.isReal && 'the shell of simulated containers knows no tty program' }, async () => {
    const line = `${newest?.path} --kubeconfig ${cluster.kubeconfig} exec -it server -- sh`;
    const child = spawn('script', ['-qec', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    let seen = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      const fresh = !seen.includes('# ');
      seen += piece;
      if (fresh && seen.includes('# ')) child.stdin.write('tty; stty size; exit 4\r');
    });
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 4);
    assert.match(seen, /\/dev\/(?:pts\/\d+|console)/);
  });

  test('cp both ways', { skip: !row.isReal && 'simulated containers have no files' }, async () => {
    const folder = makeTestFolder().path;
    try {
      const content = Buffer.alloc(3_000_000, 'binnacle ');
      await writeFile(join(folder, 'there'), content);
      for (const kubectl of kubectls) {
        await output(kubectl, ['cp', join(folder, 'there'), 'server:/tmp/there']);
        await output(kubectl, ['cp', 'server:/tmp/there', join(folder, 'back')]);
        assert.deepEqual(await readFile(join(folder, 'back')), content);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}

function page(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent: false, timeout: 5000 }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve(text));
      response.on('error', reject);
    })
      .on('timeout', () => reject(new RangeError('no answer')))
      .on('error', reject);
  });
}
