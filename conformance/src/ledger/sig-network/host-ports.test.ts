/** Ports of a node that several pods share, as their addresses or protocols differ. */
import assert from 'node:assert/strict';
import { isPodReady, NODES, PODS } from '@binnacle/api';
import { freePort } from '@binnacle/testkit';
import { podOf, runPod, untilOne } from '../objects.ts';
import { exec, NODE, withNode } from '../real-containers.ts';
import { behaviours } from '../world.ts';

/** Says its host's name to whoever asks, over TCP and over UDP. */
const SERVER = `const name = require('node:os').hostname();
  require('node:http').createServer((_, reply) => reply.end(name)).listen(8080, '0.0.0.0');
  const s = require('node:dgram').createSocket('udp4');
  s.on('message', (_, from) => s.send(name, from.port, from.address)).bind(8080);`;
const askTcp = (host: string, port: number): readonly string[] => [
  NODE,
  '-e',
  `fetch('http://${host}:${port}/', { signal: AbortSignal.timeout(10_000) }).then((r) => r.text()).then(console.log)`,
];
/** Again and again until it is answered: packets may be lost. */
const askUdp = (host: string, port: number): readonly string[] => [
  NODE,
  '-e',
  `const s = require('node:dgram').createSocket('udp4'); const ask = () => s.send('?', ${port}, '${host}');
   s.on('message', (m) => { console.log(String(m)); process.exit(0); });
   setInterval(ask, 200); ask(); setTimeout(() => process.exit(1), 10_000);`,
];

behaviours('containers', 'host ports', (check) => {
  check(
    '[sig-network] HostPort validates that there is no conflict between pods with same hostPort but different hostIP and protocol [LinuxOnly] [Conformance]',
    async (world) => {
      const [node] = (await world.client.resource(NODES).list()).items;
      const nodeName = node?.metadata.name ?? '';
      const nodeIp = node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '';
      const hostPort = await freePort();
      const rows = [
        ['pod1', '127.0.0.1', 'TCP', askTcp],
        ['pod2', nodeIp, 'TCP', askTcp],
        ['pod3', nodeIp, 'UDP', askUdp],
      ] as const;
      const api = world.client.resource(PODS, world.namespace);
      for (const [name, hostIP, protocol] of rows) {
        const ports = [{ containerPort: 8080, hostPort, hostIP, protocol }];
        await api.create(
          podOf(name, withNode(SERVER, { ports, readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 } })),
        );
      }
      for (const [name] of rows) {
        const pod = await untilOne(world, PODS, { name, what: 'ready', until: isPodReady });
        assert.equal(pod?.spec.nodeName, nodeName, 'all on one node');
      }
      await runPod(world, 'asker', { ...withNode('setInterval(() => {}, 1e6)'), hostNetwork: true });
      for (const [name, hostIP, protocol, ask] of rows) {
        const said = (await exec(world, 'asker', ask(hostIP, hostPort))).trim();
        assert.equal(said, name, `${protocol} to ${hostIP}`);
      }
    },
  );
});
