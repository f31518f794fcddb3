/** How `binnacle up` ends and how it refuses to begin. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { NODES } from '@binnacle/api';
import { createClient } from '@binnacle/client';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import { isRunning, makeFolder, runBinnacle, SOURCES, startBinnacle, TestkitError } from '@binnacle/testkit';
import type { TestFolder } from '@binnacle/testkit';

const STOP_MS_MAX = 2000;

function upFlags(folder: string, ...more: string[]): string[] {
  return [
    'up',
    ...['--data-dir', join(folder, 'data'), '--kubeconfig', join(folder, 'kubeconfig'), '--output', 'json'],
    ...['--listen', '127.0.0.1:0', '--runtime', 'simulated', ...more],
  ];
}

/** What a failing command says; it must end with that code. */
async function refusalOf(args: readonly string[], wanted: 1 | 2 = 2): Promise<string> {
  try {
    await runBinnacle(args);
  } catch (error) {
    assert.ok(error instanceof TestkitError);
    const { code } = error.cause as { code?: number };
    assert.equal(code, wanted, error.message);
    return error.message.slice(error.message.indexOf('failed: ') + 'failed: '.length);
  }
  throw new TestkitError(`binnacle ${args.join(' ')} did not fail`);
}

describe('how up ends and refuses', () => {
  let folder: TestFolder;
  before(() => {
    folder = makeFolder();
  });
  after(() => folder.remove());

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`${signal} ends it within 2 s with code 0, watches open or not`, async () => {
      // One of both as `npm start` runs it, whatever else is tested out of a program that was built.
      const wish = signal === 'SIGINT' ? { program: SOURCES } : {};
      const up = await startBinnacle(upFlags(folder.path, '--nodes', '3'), wish);
      const wire = createHttpWire((await loadKubeconfig(up.ready.kubeconfig)).wire);
      const ended = new Promise<void>((resolve) => {
        createClient(wire)
          .resource(NODES)
          .watch({ resourceVersion: '0' }, { events: () => undefined, end: () => resolve() });
      });
      await createClient(wire).resource(NODES).list();
      const began = performance.now();
      const exit = once(up.child, 'exit');
      up.child.kill(signal);
      const [code] = (await exit) as [number | null];
      const tookMs = performance.now() - began;
      assert.equal(code, 0, up.output());
      assert.ok(tookMs < STOP_MS_MAX, `ended after ${tookMs} ms`);
      await ended;
      await wire.close();
      assert.ok(!existsSync(join(folder.path, 'data', 'run.json')), 'nothing says that it still runs');
    });
  }

  test('--detach answers when it is ready; a second up is refused; down stops it', async () => {
    const line = JSON.parse(await runBinnacle([...upFlags(folder.path), '--detach'])) as {
      server: string;
      pid: number;
      nodeReady: number;
    };
    try {
      assert.ok(isRunning(line.pid));
      assert.ok(line.nodeReady > 0);
      const wire = createHttpWire((await loadKubeconfig(join(folder.path, 'kubeconfig'))).wire);
      const nodes = await createClient(wire).resource(NODES).list();
      assert.ok(nodes.items.length > 0);
      await wire.close();
      assert.equal(
        await refusalOf(upFlags(folder.path), 1),
        `binnacle: binnacle already runs in ${join(folder.path, 'data')} (pid ${line.pid}); stop it with: binnacle down --data-dir ${join(folder.path, 'data')}\n`,
      );
    } finally {
      await runBinnacle(['down', '--data-dir', join(folder.path, 'data')]);
    }
    assert.ok(!isRunning(line.pid));
    assert.ok(existsSync(join(folder.path, 'data', 'store')), 'without --delete the objects stay');
    await runBinnacle(['down', '--data-dir', join(folder.path, 'data'), '--delete'], {
      KUBECONFIG: join(folder.path, 'kubeconfig'),
    });
    assert.ok(!existsSync(join(folder.path, 'data')));
    assert.doesNotMatch(readFileSync(join(folder.path, 'kubeconfig'), 'utf8'), /name: binnacle/);
  });

  test('of two ups at once on one data directory, one comes up', async () => {
    const both = await Promise.allSettled([startBinnacle(upFlags(folder.path)), startBinnacle(upFlags(folder.path))]);
    const up = both.flatMap((b) => (b.status === 'fulfilled' ? [b.value] : []));
    const refused = both.flatMap((b) => (b.status === 'rejected' ? [String(b.reason)] : []));
    for (const running of up) await running.stop();
    assert.equal(up.length, 1, refused.join());
    assert.match(refused[0] ?? '', /binnacle already runs in \S+ \(pid \d+\)/);
  });

  test('what fails is one line, with code 1, and a mistake with code 2', async () => {
    const server: Server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    try {
      const rows: { name: string; args: string[]; code?: 1; message: RegExp }[] = [
        {
          name: 'port in use',
          args: ['--listen', `127.0.0.1:${port}`],
          code: 1,
          message: new RegExp(`^binnacle: .*127\\.0\\.0\\.1:${port}.*in use.*\\n$`),
        },
        { name: 'etcd without servers', args: ['--store', 'etcd'], message: /^binnacle: .*--etcd-servers.*\n$/ },
        {
          name: 'an address that is not ours',
          args: ['--listen', '192.0.2.77:0'],
          code: 1,
          message: /^binnacle: .*192\.0\.2\.77.*\n$/,
        },
        {
          name: 'static pods on simulated nodes',
          args: ['--pod-manifest-path', folder.path],
          message: /^binnacle: --pod-manifest-path needs a node that runs containers; .*\n$/,
        },
      ];
      for (const row of rows)
        assert.match(await refusalOf(upFlags(folder.path, ...row.args), row.code), row.message, row.name);
      const kubelet = ['kubelet', '--data-dir', join(folder.path, 'node'), '--runtime', 'simulated'];
      assert.match(
        await refusalOf([...kubelet, '--config', join(folder.path, 'none.yaml')]),
        /^binnacle: cannot read the kubelet configuration .*none\.yaml .*\n$/,
      );
      const command = await refusalOf(upFlags(folder.path, '--runtime', 'rkt'));
      assert.match(command, /Allowed choices are auto, containerd, docker, simulated/);
    } finally {
      server.close();
    }
  });
});
