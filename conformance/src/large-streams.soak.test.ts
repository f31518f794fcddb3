/**
 * A gigabyte through each way to a pod: the server passes it on and keeps none of it, and a client that goes away in
 * the middle leaves nothing behind. Nodes are simulated, so that kubelet and server are one process and both halves are
 * measured. `npm run soak -- large-streams`; SOAK_MEGABYTES for less.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { Agent } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { readText } from '@binnacle/machinery';
import { findKubectl, startOneProcess, waitFor } from '@binnacle/testkit';
import type { Kubectl, OneProcessCluster } from '@binnacle/testkit';

const BYTES = Number(process.env['SOAK_MEGABYTES'] ?? 1000) * 1_000_000;
const PIECE = Buffer.alloc(1 << 20, 'x');
/** What may be on its way, in buffers that the collector has not looked at yet. A quarter of what passes through. */
const GROWTH_BYTES_MAX = 250e6;
/** Half a gigabyte more must not show: what is kept would. */
const DRIFT_BYTES_MAX = 60e6;
/** A command that does not read its input is given half a minute to do so. */
const SETTLED_MS_MAX = 60_000;
/** Annotations take no more. */
const PAGE_BYTES = 200_000;
const LOOK_MS = 500;
const SIMULATED = 'simulated.binnacle.dev';

interface Growth {
  readonly early: number;
  readonly late: number;
}

type Talking = ChildProcessByStdio<Writable, Readable, null>;

const kubectls = (await Promise.all(['1.27', '1.33'].map((minor) => findKubectl(minor)))).filter(
  (found) => found !== undefined,
);

describe('a gigabyte', { skip: kubectls.length === 0 && 'no kubectl on this machine' }, () => {
  let cluster: OneProcessCluster;
  before(async () => {
    cluster = await startOneProcess({ runtime: 'simulated', store: 'memory' });
    const annotations = { [`${SIMULATED}/http-port`]: '8080', [`${SIMULATED}/http-body`]: 'x'.repeat(PAGE_BYTES) };
    const containers = [{ name: 'main', image: 'binnacle.local/frontend:1.0', command: ['sleep', '100000'] }];
    await cluster.client
      .resource(PODS, 'default')
      .create({ metadata: { name: 'p', annotations }, spec: { containers } });
    const isReady = (pod?: Pod): boolean => pod?.status?.containerStatuses?.every(({ ready }) => ready) === true;
    const at = { client: cluster.client, resource: PODS, namespace: 'default', name: 'p' };
    await waitFor({ ...at, what: 'its container', until: ([pod]) => isReady(pod) });
  });
  after(() => cluster?.stop());

  const start = ({ path }: Kubectl, ...args: readonly string[]): Talking =>
    spawn(path, ['--kubeconfig', cluster.kubeconfig, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const metrics = (): Promise<string> => readText(cluster.client.wire, '/metrics');
  const figure = async (pattern: RegExp): Promise<number> => Number(pattern.exec(await metrics())?.[1]);
  const memory = (): Promise<number> => figure(/^process_resident_memory_bytes (\S+)$/m);
  const lasting = async (subresource: string): Promise<number> => {
    const rows = (await metrics()).matchAll(
      /^apiserver_longrunning_requests\{verb="[^"]*",group="",version="v1",resource="pods",subresource="([^"]*)".*\} (\d+)$/gm,
    );
    let sum = 0;
    for (const [, of, count] of rows) if (of === subresource) sum += Number(count);
    return sum;
  };
  /** What the process held while something ran: at the most in each half of the time, over what it held before. */
  const growthDuring = async (run: () => Promise<unknown>): Promise<Growth> => {
    const before = await memory();
    const seen: number[] = [];
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        seen.push(await memory());
        // Asking costs memory too.
        await pause(LOOK_MS);
      }
    })();
    try {
      await run();
    } finally {
      isOver = true;
    }
    await watching;
    const half = Math.ceil(seen.length / 2);
    const most = (part: readonly number[]): number => Math.max(before, ...part) - before;
    return { early: most(seen.slice(0, half)), late: most(seen.slice(half)) };
  };
  const untilNone = async (subresource: string): Promise<void> => {
    const deadline = performance.now() + SETTLED_MS_MAX;
    while ((await lasting(subresource)) > 0) {
      assert.ok(performance.now() < deadline, `${subresource}: something is left`);
    }
  };
  const told = (what: string, { early, late }: Growth, began: number): void => {
    const rate = BYTES / 1e6 / ((performance.now() - began) / 1000);
    const grown = `memory +${Math.round(early / 1e6)} MB in the first half, +${Math.round(late / 1e6)} in the second`;
    process.stdout.write(`# ${what}: ${Math.round(rate)} MB/s, ${grown}\n`);
    assert.ok(late < early + DRIFT_BYTES_MAX && late < GROWTH_BYTES_MAX, `${what}: ${grown}`);
  };

  for (const kubectl of kubectls) {
    test(`through exec and back with kubectl ${kubectl.version}`, async () => {
      const began = performance.now();
      const growth = await growthDuring(async () => {
        const child = start(kubectl, 'exec', '-i', 'p', '--', 'cat');
        const writing = writeAll(child.stdin);
        assert.equal(await countOf(child.stdout), BYTES);
        await writing;
      });
      told(`exec, ${kubectl.version}`, growth, began);
      await untilNone('exec');
    });

    test(`through port-forward with kubectl ${kubectl.version}`, async () => {
      const began = performance.now();
      const child = start(kubectl, 'port-forward', 'pod/p', ':8080');
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      try {
        const [line] = (await once(child.stdout, 'data')) as [Buffer];
        const port = Number(/127\.0\.0\.1:(\d+)/.exec(line.toString())?.[1]);
        const growth = await growthDuring(async () => {
          for (let bytes = 0; bytes < BYTES; bytes += PAGE_BYTES) {
            const [page] = (await once(get({ host: '127.0.0.1', port, agent }), 'response')) as [Readable];
            assert.equal(await countOf(page), PAGE_BYTES);
          }
        });
        told(`port-forward, ${kubectl.version}`, growth, began);
      } finally {
        agent.destroy();
        child.kill();
        await once(child, 'exit');
      }
      await untilNone('portforward');
    });

    test(`a client that goes away in the middle leaves nothing: kubectl ${kubectl.version}`, async () => {
      const files = await figure(/^process_open_fds (\S+)$/m);
      for (let round = 0; round < 20; round++) {
        // One that says all it hears, and one that hears nothing.
        for (const command of [['cat'], ['sh', '-c', 'echo up; sleep 100000']]) {
          const child = start(kubectl, 'exec', '-i', 'p', '--', ...command);
          child.stdin.on('error', () => child.stdout.resume());
          child.stdin.write(PIECE);
          await once(child.stdout, 'data');
          child.kill('SIGKILL');
          await once(child, 'exit');
        }
      }
      await untilNone('exec');
      const left = (await figure(/^process_open_fds (\S+)$/m)) - files;
      assert.ok(left < 5, `${left} files are open that were not`);
    });
  }

  test('through pods/proxy', async () => {
    const began = performance.now();
    const path = '/api/v1/namespaces/default/pods/p:8080/proxy/';
    const growth = await growthDuring(async () => {
      for (let bytes = 0; bytes < BYTES; bytes += PAGE_BYTES) {
        const { body } = await cluster.client.wire.raw({ path });
        let size = 0;
        for await (const piece of body) size += piece.length;
        assert.equal(size, PAGE_BYTES);
      }
    });
    told('pods/proxy', growth, began);
    await untilNone('proxy');
  });
});

async function writeAll(input: Writable): Promise<void> {
  let left = BYTES;
  while (left > 0) {
    const piece = left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
    left -= piece.length;
    if (!input.write(piece)) await once(input, 'drain');
  }
  input.end();
}

async function countOf(output: Readable): Promise<number> {
  let bytes = 0;
  for await (const piece of output) bytes += (piece as Buffer).length;
  return bytes;
}
