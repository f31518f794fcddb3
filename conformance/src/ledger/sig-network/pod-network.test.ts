/** Pods on a real network (on containerd), and the addresses at which the API server is reached from there. */
import assert from 'node:assert/strict';
import { ENDPOINT_SLICES, ENDPOINTS } from '@binnacle/api';
import type { PodSpec } from '@binnacle/api/core/v1';
import { makeController, ready, runPod, shell, untilPods } from '../objects.ts';
import { exec, FOREVER, NODE, serve, withNode } from '../real-containers.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

behaviours('containers', 'pods among each other', (check) => {
  /** What a pod says to `GET /hostname`, asked by another. */
  const ask = async (world: World, from: string, address: string): Promise<string> =>
    (await exec(world, from, ['wget', '-qO-', `http://${address}/hostname`])).trim();
  const client = (world: World, more: Partial<PodSpec> = {}) =>
    runPod(world, 'client', { containers: [shell(FOREVER)], ...more });

  check(
    '[sig-network] Networking Granular Checks: Pods should function for intra-pod communication: http [NodeConformance] [Conformance]',
    async (world) => {
      const addresses = [await serve(world, 'netserver-0'), await serve(world, 'netserver-1')];
      await client(world);
      for (const [n, address] of addresses.entries())
        assert.equal(await ask(world, 'client', `${address}:8080`), `netserver-${n}`);
    },
  );

  check(
    '[sig-network] Networking Granular Checks: Pods should function for node-pod communication: http [LinuxOnly] [NodeConformance] [Conformance]',
    async (world) => {
      const addresses = [await serve(world, 'netserver-0'), await serve(world, 'netserver-1')];
      await client(world, { hostNetwork: true });
      for (const [n, address] of addresses.entries())
        assert.equal(await ask(world, 'client', `${address}:8080`), `netserver-${n}`);
    },
  );

  /** Answers each packet with its host's name. */
  const UDP_SERVER = `const s = require('node:dgram').createSocket('udp4');
    s.on('message', (_, from) => s.send(require('node:os').hostname(), from.port, from.address)).bind(8081);`;
  /** Asks by UDP until it is answered: packets may be lost. */
  const udpAsk = (address: string): readonly string[] => [
    NODE,
    '-e',
    `const s = require('node:dgram').createSocket('udp4');
     s.on('message', (m) => { console.log(String(m)); process.exit(0); });
     setInterval(() => s.send('hostname', 8081, '${address}'), 200); s.send('hostname', 8081, '${address}');
     setTimeout(() => process.exit(1), 10_000);`,
  ];
  const udpRows: readonly [codename: string, more: Partial<PodSpec>][] = [
    [
      '[sig-network] Networking Granular Checks: Pods should function for intra-pod communication: udp [NodeConformance] [Conformance]',
      {},
    ],
    [
      '[sig-network] Networking Granular Checks: Pods should function for node-pod communication: udp [LinuxOnly] [NodeConformance] [Conformance]',
      { hostNetwork: true },
    ],
  ];
  for (const [codename, more] of udpRows) {
    check(codename, async (world) => {
      const servers = ['netserver-0', 'netserver-1'];
      const pods = await Promise.all(servers.map((name) => runPod(world, name, withNode(UDP_SERVER))));
      await runPod(world, 'client', { ...withNode('setInterval(() => {}, 1e6)'), ...more });
      for (const [n, pod] of pods.entries())
        assert.equal((await exec(world, 'client', udpAsk(pod.status?.podIP ?? ''))).trim(), servers[n]);
    });
  }

  for (const kind of ['rs', 'rc'] as const) {
    const eachAnswers = async (world: World): Promise<void> => {
      await makeController(world, 'basic', 2)[kind]();
      const all = await untilPods(world, { app: 'basic', what: 'two' }, ready(2));
      await client(world);
      for (const pod of all) {
        const page = await exec(world, 'client', ['wget', '-qO-', `http://${pod.status?.podIP}/`]);
        assert.match(page, /It runs\./);
      }
    };
    if (kind === 'rs')
      check(
        '[sig-apps] ReplicaSet should serve a basic image on each replica with a public image [Conformance]',
        eachAnswers,
      );
    else
      check(
        '[sig-apps] ReplicationController should serve a basic image on each replica with a public image [Conformance]',
        eachAnswers,
      );
  }
});

behaviours('containers', "the API server's address", (check) => {
  check(
    '[sig-network] API Server should have Endpoints and EndpointSlices pointing to API Server [Conformance]',
    async (world) => {
      const endpoints = await world.client.resource(ENDPOINTS, 'default').get('kubernetes');
      const slices = await world.client
        .resource(ENDPOINT_SLICES, 'default')
        .list({ labelSelector: 'kubernetes.io/service-name=kubernetes' });
      const pairs = (addresses: readonly string[], ports: readonly { port?: number }[] = []): string[] =>
        addresses.flatMap((address) => ports.map(({ port }) => `${address}:${port}`));
      const told = (endpoints.subsets ?? []).flatMap((s) =>
        pairs(
          (s.addresses ?? []).map((a) => a.ip),
          s.ports,
        ),
      );
      const sliced = slices.items.flatMap((s) => (s.endpoints ?? []).flatMap((e) => pairs(e.addresses, s.ports ?? [])));
      assert.ok(told.length > 0);
      assert.deepEqual(sliced.toSorted(), told.toSorted());
    },
  );
});
