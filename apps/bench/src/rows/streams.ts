import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { PODS } from '@binnacle/api';
import { nodeHttp } from '@binnacle/base/node';
import { findKubectl } from '@binnacle/testkit';
import { BenchError } from '../errors.ts';
import { until } from '../fill.ts';
import { endChild, startProgram } from '../program.ts';
import { figure, median } from '../row.ts';
import type { Measurement } from '../row.ts';
import { ThreadCpu } from '../thread-cpu.ts';

const ECHOES = 300;
const MEGABYTES = 256;
const CHUNK = Buffer.alloc(64 * 1024, 120);
const ROUNDS = 3;

/** A line to `cat` in a container and back, over one `kubectl exec -i` (WebSocket); the container is simulated. */
export const execEcho: Measurement = {
  name: 'exec',
  async run() {
    const kubectl = await findKubectl('1.33');
    if (kubectl === undefined) throw new BenchError('there is no kubectl 1.33');
    const program = await startProgram(['--runtime', 'simulated', '--store', 'memory']);
    try {
      const containers = [{ name: 'c', image: 'binnacle.local/frontend:1.0' }];
      await program.client.resource(PODS, 'default').create({ metadata: { name: 'p' }, spec: { containers } });
      const is = (pod: { readonly status?: { readonly phase?: string } }): boolean => pod.status?.phase === 'Running';
      await until(program.client, { ref: PODS, count: 1, is, what: 'pods ran' });
      const args = ['--kubeconfig', program.kubeconfig, 'exec', '-i', 'p', '--', 'cat'];
      const child = spawn(kubectl.path, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      try {
        const lines = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string, undefined>;
        const times: number[] = [];
        for (let i = 0; i < ECHOES; i++) {
          const began = performance.now();
          child.stdin.write(`line ${i}\n`);
          const { done } = await lines.next();
          if (done === true) throw new BenchError('kubectl exec ended early');
          times.push(performance.now() - began);
        }
        return [
          figure({
            name: 'exec: a line to cat and back, simulated container, kubectl 1.33',
            value: Math.round(median(times) * 1000) / 1000,
            unit: 'ms',
            reference: null,
          }),
        ];
      } finally {
        await endChild(child);
      }
    } finally {
      await program.stop();
    }
  },
};

/** This machine's address, which a pod may have; loopback is not passed on to. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const own = all.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (own === undefined) throw new BenchError('this machine has no address but loopback');
  return own.address;
}

/** Megabytes a second of a body that is read and dropped. */
async function megabytesPerSecond(open: () => Promise<AsyncIterable<Uint8Array>>): Promise<number> {
  const began = performance.now();
  let bytes = 0;
  for await (const piece of await open()) bytes += piece.length;
  if (bytes < MEGABYTES * 1e6) throw new BenchError(`only ${bytes} bytes came`);
  return bytes / 1e6 / ((performance.now() - began) / 1000);
}

/** A body of 256 MB through `pods/proxy`, beside the same from its server over a bare TCP connection; in turn. */
export const proxying: Measurement = {
  name: 'proxy',
  async run() {
    const address = ownAddress();
    const backend = nodeHttp().createServer((_, response) => {
      let left = Math.ceil((MEGABYTES * 1e6) / CHUNK.length);
      const more = (): void => {
        while (left-- > 0) if (!response.write(CHUNK)) return void response.once('drain', more);
        response.end();
      };
      more();
    });
    await new Promise<void>((resolve) => backend.listen(0, address, resolve));
    const { port } = backend.address() as AddressInfo;
    const program = await startProgram(['--runtime', 'simulated', '--nodes', '0', '--store', 'memory']);
    try {
      // A pod that nobody runs, at this machine's address: what is behind it is the server above.
      const pods = program.client.resource(PODS, 'default');
      const containers = [{ name: 'c', image: 'i', ports: [{ containerPort: port }] }];
      await pods.create({ metadata: { name: 'p' }, spec: { schedulerName: 'nobody', containers } });
      const status = { phase: 'Running', podIP: address, podIPs: [{ ip: address }] };
      await pods.patch('p', 'merge', { status }, { subresource: 'status' });
      const path = `/api/v1/namespaces/default/pods/p:${port}/proxy/x`;
      const proxied = async (): Promise<AsyncIterable<Uint8Array>> => {
        const { status, body } = await program.wire.raw({ path });
        if (status !== 200) throw new BenchError(`proxy: ${status}`);
        return body;
      };
      const bare = (): Promise<AsyncIterable<Uint8Array>> => {
        const socket = connect(port, address);
        socket.write('GET / HTTP/1.0\r\n\r\n');
        return Promise.resolve(socket);
      };
      const [ours, theirs]: [number[], number[]] = [[], []];
      const cpu = new ThreadCpu(program.pid);
      for (let i = 0; i < ROUNDS; i++) {
        theirs.push(await megabytesPerSecond(bare));
        ours.push(await cpu.during(() => megabytesPerSecond(proxied)));
      }
      return [
        figure({
          name: 'pods/proxy, 256 MB over TLS',
          value: Math.round(median(ours)),
          unit: 'MB/s',
          reference: { name: 'bare TCP from the same server', value: Math.round(median(theirs)) },
          cpu: cpu.per('MB', MEGABYTES * ROUNDS),
        }),
      ];
    } finally {
      await program.stop();
      backend.closeAllConnections();
      backend.close();
    }
  },
};
