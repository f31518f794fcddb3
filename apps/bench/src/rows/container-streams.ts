import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client } from '@binnacle/client';
import { loadKubeconfig } from '@binnacle/client/node';
import { findKubectl, waitFor } from '@binnacle/testkit';
import { WebSocket } from 'ws';
import { IMAGE } from '../bare-cri.ts';
import { BenchError } from '../errors.ts';
import { onContainerd } from '../on-containerd.ts';
import { endChild, firstLine } from '../program.ts';
import type { RunningProgram } from '../program.ts';
import { figure, median } from '../row.ts';
import type { Measurement, Row } from '../row.ts';
import { ThreadCpu } from '../thread-cpu.ts';

const COMMANDS = 40;
const MEGABYTES = 256;
const COPIES = 3;

async function runPod(client: Client, name: string, script: string): Promise<Pod> {
  const command = ['sh', '-c', script];
  await client.resource(PODS, 'default').create({
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: IMAGE, command }] },
  });
  const isRunning = ([pod]: readonly Pod[]): boolean => pod?.status?.phase === 'Running';
  const wait = { client, resource: PODS, namespace: 'default', name, what: `${name} to run`, deadlineMs: 60_000 };
  const [pod] = await waitFor({ ...wait, until: isRunning });
  if (pod === undefined) throw new BenchError(`${name} does not run`);
  return pod;
}

/** A command through the API server, as kubectl asks for it, from its first byte to the end of the connection. */
async function runThroughApi(program: RunningProgram, pod: string): Promise<number> {
  const { ca, cert, key } = (await loadKubeconfig(program.kubeconfig)).wire;
  const url = `${program.server.replace(/^http/, 'ws')}/api/v1/namespaces/default/pods/${pod}/exec?command=true&stdout=true`;
  const began = performance.now();
  await new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(url, ['v5.channel.k8s.io'], { ca, cert, key });
    let outcome = '';
    socket.on('message', (data: Buffer) => (outcome += data[0] === 3 ? data.subarray(1).toString() : ''));
    socket.once('error', reject);
    socket.once('close', () =>
      outcome.includes('"Success"') ? resolve() : reject(new BenchError(`exec ended with ${outcome}`)),
    );
  });
  return performance.now() - began;
}

const milliseconds = (all: readonly number[]): number => Math.round(median(all) * 10) / 10;

/** `true` in a container, in turn with the same by bare CRI on the same container. */
export const execContainer: Measurement = {
  name: 'exec-containerd',
  run: () =>
    onContainerd([], async (program, bare): Promise<Row[]> => {
      const pod = await runPod(program.client, 'p', 'sleep 3600');
      const container = pod.status?.containerStatuses?.[0]?.containerID?.replace(/^.*:\/\//, '') ?? '';
      const [ours, theirs]: [number[], number[]] = [[], []];
      const cpu = new ThreadCpu(program.pid);
      for (let i = 0; i < COMMANDS; i++) {
        theirs.push(await bare.runTrue(container));
        ours.push(await cpu.during(() => runThroughApi(program, 'p')));
      }
      const reference = { name: 'the same by bare CRI', value: milliseconds(theirs) };
      const row = { name: 'exec of true on containerd, TLS and all', value: milliseconds(ours), unit: 'ms', reference };
      return [figure({ ...row, cpu: cpu.per('command', COMMANDS) })];
    }),
};

/** Megabytes a second of a large file from the pod's web server. */
function download(host: string, port: number): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write('GET /big HTTP/1.0\r\n\r\n'));
    let bytes = 0;
    socket.on('data', (piece) => (bytes += piece.length));
    socket.once('error', reject);
    socket.once('close', () => {
      if (bytes < MEGABYTES << 20) reject(new BenchError(`only ${bytes} bytes came`));
      else resolve(bytes / 1e6 / ((performance.now() - began) / 1000));
    });
  });
}

/** 256 MB out of a pod through `kubectl port-forward`, in turn with the same over bare TCP to the pod. */
export const portForward: Measurement = {
  name: 'port-forward',
  run: () =>
    onContainerd([], async (program): Promise<Row[]> => {
      const kubectl = await findKubectl('1.33');
      if (kubectl === undefined) throw new BenchError('there is no kubectl 1.33');
      const serve = `mkdir /srv && truncate -s ${MEGABYTES}M /srv/big && httpd -f -p 80 -h /srv`;
      const pod = await runPod(program.client, 'p', serve);
      const args = ['--kubeconfig', program.kubeconfig, 'port-forward', '--address=127.0.0.1', 'pod/p', ':80'];
      const child = spawn(kubectl.path, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      try {
        const line = await firstLine(child, 'kubectl port-forward');
        const port = Number(/:(\d+) ->/.exec(line)?.[1]);
        const [ours, theirs]: [number[], number[]] = [[], []];
        const cpu = new ThreadCpu(program.pid);
        for (let i = 0; i < COPIES; i++) {
          theirs.push(await download(pod.status?.podIP ?? '', 80));
          ours.push(await cpu.during(() => download('127.0.0.1', port)));
        }
        const reference = { name: 'bare TCP from the same pod', value: Math.round(median(theirs)) };
        const value = Math.round(median(ours));
        const row = { name: 'port-forward, 256 MB, kubectl 1.33', value, unit: 'MB/s', reference };
        return [figure({ ...row, cpu: cpu.per('MB', MEGABYTES * COPIES) })];
      } finally {
        await endChild(child);
      }
    }),
};
