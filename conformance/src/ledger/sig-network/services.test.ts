/** Services as pods reach them, over every way there is. */
import assert from 'node:assert/strict';
import { ENDPOINT_SLICES, ENDPOINTS, NODES, PODS, REPLICA_SETS, SERVICES } from '@binnacle/api';
import type { Service, ServiceSpec } from '@binnacle/api/core/v1';
import { ready, runPod, shell, template, untilOne, untilPods } from '../objects.ts';
import { exec, FOREVER, NODE, serve, withNode } from '../real-containers.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const PORT = 8080;
const HTTP = [{ name: 'http', port: 80, targetPort: PORT, protocol: 'TCP' as const }];
/** Rules follow a second after what they are about; asked so often, with half a second between. */
const TRIES = 40;

function makeService(world: World, name: string, spec: Partial<ServiceSpec>): Promise<Service> {
  return world.client
    .resource(SERVICES, world.namespace)
    .create({ metadata: { name }, spec: { ports: HTTP, ...spec } });
}

async function changeService(world: World, name: string, spec: object): Promise<Service> {
  return world.client.resource(SERVICES, world.namespace).patch(name, 'merge', { spec });
}

const client = (world: World) => runPod(world, 'client', { containers: [shell(FOREVER)] });

/** So many pods that answer with their names. */
async function servers(world: World, app: string, replicas: number): Promise<void> {
  const readinessProbe = { tcpSocket: { port: PORT }, periodSeconds: 1 };
  const script = `mkdir /tmp/w && cd /tmp/w && hostname >hostname; exec httpd -f -p ${PORT}`;
  const spec = { replicas, selector: { matchLabels: { app } } };
  await world.client.resource(REPLICA_SETS, world.namespace).create({
    metadata: { name: app },
    spec: { ...spec, template: template(app, { containers: [shell(script, { readinessProbe })] }) },
  });
  await untilPods(world, { app, what: 'ready' }, ready(replicas));
}

/** Who answers at `host:port`, asked until somebody does. */
function reach(world: World, place: string): Promise<string> {
  return inClient(
    world,
    `for i in $(seq ${TRIES}); do timeout 2 wget -qO- http://${place}/hostname && exit 0; sleep 0.5; done; exit 1`,
  );
}

async function inClient(world: World, script: string): Promise<string> {
  return (await exec(world, 'client', ['sh', '-c', script])).trim();
}

/** Asks again and again, ten times in a row, until each time somebody answers: always the same one, or several. */
async function untilAnsweredBy(world: World, place: string, wanted: 'one' | 'several'): Promise<void> {
  const test = wanted === 'one' ? '-eq 1' : '-gt 1';
  const ten = `for j in 1 2 3 4 5 6 7 8 9 10; do timeout 2 wget -qO- http://${place}/hostname || echo none; done | sort -u`;
  const isSo = `who=$(${ten}); case "$who" in *none*) false;; *) test $(echo "$who" | wc -l) ${test};; esac`;
  await inClient(world, `for i in $(seq ${TRIES}); do ${isSo} && exit 0; sleep 0.5; done; exit 1`);
}

async function nodeAddress(world: World): Promise<string> {
  const { items } = await world.client.resource(NODES).list();
  return items[0]?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '';
}

behaviours('containers', 'services', (check) => {
  check('[sig-network] Services should serve a basic endpoint from pods [Conformance]', async (world) => {
    const service = await makeService(world, 'basic', { selector: { basic: 'yes' } });
    const untilPlaces = (what: string, count: number) =>
      untilOne(world, ENDPOINTS, {
        name: 'basic',
        what,
        until: ({ subsets = [] }) => subsets.flatMap(({ addresses = [] }) => addresses).length === count,
      });
    await untilPlaces('empty', 0);
    await client(world);
    const pods = world.client.resource(PODS, world.namespace);
    const join = (name: string) => pods.patch(name, 'merge', { metadata: { labels: { basic: 'yes' } } });
    await serve(world, 'pod1');
    await join('pod1');
    await untilPlaces('one', 1);
    assert.equal(await reach(world, `${service.spec?.clusterIP}`), 'pod1');
    await serve(world, 'pod2');
    await join('pod2');
    await untilPlaces('both', 2);
    await untilAnsweredBy(world, 'basic', 'several');
    await pods.delete('pod1');
    await untilPlaces('the second', 1);
    await untilAnsweredBy(world, 'basic', 'one');
    assert.equal(await reach(world, 'basic'), 'pod2');
    await pods.delete('pod2');
    await untilPlaces('empty again', 0);
  });

  check('[sig-network] Services should serve multiport endpoints from pods [Conformance]', async (world) => {
    const port = (name: string, number: number, targetPort: string) => ({
      name,
      port: number,
      targetPort,
      protocol: 'TCP' as const,
    });
    await makeService(world, 'multi', {
      selector: { multi: 'yes' },
      ports: [port('portname1', 80, 'first'), port('portname2', 81, 'second')],
    });
    const pods = world.client.resource(PODS, world.namespace);
    const run = async (name: string, portName: string, number: number): Promise<void> => {
      const script = `mkdir /tmp/w && cd /tmp/w && hostname >hostname; exec httpd -f -p ${number}`;
      const ports = [{ name: portName, containerPort: number, protocol: 'TCP' as const }];
      await runPod(world, name, {
        containers: [shell(script, { ports, readinessProbe: { tcpSocket: { port: number }, periodSeconds: 1 } })],
      });
      await pods.patch(name, 'merge', { metadata: { labels: { multi: 'yes' } } });
    };
    const untilPorts = (wanted: readonly number[]) =>
      untilOne(world, ENDPOINTS, {
        name: 'multi',
        what: `ports ${wanted.join()}`,
        until: ({ subsets = [] }) =>
          subsets
            .flatMap(({ addresses = [], ports = [] }) => (addresses.length > 0 ? ports.map((p) => p.port) : []))
            .toSorted()
            .join() === wanted.join(),
      });
    await untilPorts([]);
    await client(world);
    await run('pod1', 'first', 100);
    await untilPorts([100]);
    await run('pod2', 'second', 101);
    await untilPorts([100, 101]);
    assert.deepEqual([await reach(world, 'multi:80'), await reach(world, 'multi:81')], ['pod1', 'pod2']);
    await pods.delete('pod1');
    await untilPorts([101]);
    assert.equal(await reach(world, 'multi:81'), 'pod2');
    await pods.delete('pod2');
    await untilPorts([]);
  });

  check(
    '[sig-network] Services should serve endpoints on same port and different protocols [Conformance]',
    async (world) => {
      const both = ['TCP', 'UDP'].map((protocol) => ({
        name: protocol.toLowerCase(),
        port: 80,
        targetPort: PORT,
        protocol: protocol as 'TCP',
      }));
      const service = await makeService(world, 'both', { selector: { app: 'server' }, ports: both });
      const script = `const u = require('dgram').createSocket('udp4'); u.on('message', (_, f) => u.send('udp', f.port, f.address)).bind(${PORT});
      require('net').createServer((s) => s.on('error', () => {}).end('tcp')).listen(${PORT});`;
      await runPod(
        world,
        'server',
        withNode(script, { readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 } }),
      );
      await runPod(world, 'client', withNode('setInterval(() => {}, 1e6)'));
      const to = `80, '${service.spec?.clusterIP}'`;
      /** Asks until it is answered, or until it is not. */
      const asks = {
        tcp: `require('net').connect(${to}).on('data', () => say(true)).on('error', () => say(false)).setTimeout(1000, () => say(false))`,
        udp: `{ const s = require('dgram').createSocket('udp4'); s.on('message', () => say(true)).on('error', () => say(false)).send('x', ${to}); setTimeout(() => say(false), 1000); }`,
      };
      const until = async (protocol: 'tcp' | 'udp', wanted: boolean): Promise<void> => {
        const code = `let left = ${TRIES}; const ask = () => { let told = false; const say = (is) => { if (told) return; told = true;
        if (is === ${wanted}) process.exit(0); if (--left === 0) process.exit(1); setTimeout(ask, 300); }; ${asks[protocol]}; }; ask();`;
        await exec(world, 'client', [NODE, '-e', code]);
      };
      await until('tcp', true);
      await until('udp', true);
      await changeService(world, 'both', { ports: [both[0]] });
      await until('udp', false);
      await until('tcp', true);
      await changeService(world, 'both', { ports: [both[1]] });
      await until('udp', true);
      await until('tcp', false);
    },
  );

  check(
    '[sig-network] Services should be able to create a functioning NodePort service [Conformance]',
    async (world) => {
      await servers(world, 'web', 2);
      const service = await makeService(world, 'open', { type: 'NodePort', selector: { app: 'web' } });
      await client(world);
      for (const place of [
        'open',
        `${service.spec?.clusterIP}`,
        `${await nodeAddress(world)}:${service.spec?.ports?.[0]?.nodePort}`,
      ])
        assert.match(await reach(world, place), /^web-/, place);
    },
  );
});

behaviours('containers', 'services that become others', (check) => {
  /** A Service in another namespace, for names to lead to. */
  async function elsewhere(world: World): Promise<string> {
    const namespace = await world.makeNamespace();
    await makeService({ ...world, namespace }, 'target', { selector: { app: 'nobody' } });
    return `target.${namespace}.svc.cluster.local`;
  }
  /** The name is a name of the other one, and has its address. */
  async function leadsTo(world: World, name: string, target: string): Promise<void> {
    const service = await world.client.resource(SERVICES, target.split('.')[1]).get('target');
    const full = `${name}.${world.namespace}.svc.cluster.local`;
    const told = `nslookup ${full} | grep -F 'canonical name = ${target}' && nslookup ${full} | grep -F 'Address: ${service.spec?.clusterIP}'`;
    await inClient(
      world,
      `for i in $(seq ${TRIES}); do { ${told}; } && exit 0; sleep 0.5; done; nslookup ${full}; exit 1`,
    );
  }

  /** The Service `name`, a name of something elsewhere before, with servers behind it now. */
  async function changedFromName(world: World, type: 'ClusterIP' | 'NodePort'): Promise<Service> {
    const made = await makeService(world, 'name', { type: 'ExternalName', externalName: 'foo.example.com', ports: [] });
    assert.equal(made.spec?.clusterIP ?? '', '');
    await Promise.all([servers(world, 'web', 2), client(world)]);
    return changeService(world, 'name', { type, externalName: null, ports: HTTP, selector: { app: 'web' } });
  }

  check(
    '[sig-network] Services should be able to change the type from ExternalName to ClusterIP [Conformance]',
    async (world) => {
      const changed = await changedFromName(world, 'ClusterIP');
      for (const place of ['name', `${changed.spec?.clusterIP}`])
        assert.match(await reach(world, place), /^web-/, place);
    },
  );

  check(
    '[sig-network] Services should be able to change the type from ExternalName to NodePort [Conformance]',
    async (world) => {
      const changed = await changedFromName(world, 'NodePort');
      const nodePort = `${await nodeAddress(world)}:${changed.spec?.ports?.[0]?.nodePort}`;
      for (const place of ['name', `${changed.spec?.clusterIP}`, nodePort])
        assert.match(await reach(world, place), /^web-/, place);
    },
  );

  check(
    '[sig-network] Services should be able to change the type from ClusterIP to ExternalName [Conformance]',
    async (world) => {
      const made = await makeService(world, 'name', { selector: { app: 'web' } });
      assert.match(made.spec?.clusterIP ?? '', /^10\./);
      await client(world);
      const externalName = await elsewhere(world);
      const changed = await changeService(world, 'name', { type: 'ExternalName', externalName });
      assert.equal(changed.spec?.clusterIP ?? '', '');
      await leadsTo(world, 'name', externalName);
    },
  );

  check(
    '[sig-network] Services should be able to change the type from NodePort to ExternalName [Conformance]',
    async (world) => {
      const made = await makeService(world, 'name', { type: 'NodePort', selector: { app: 'web' } });
      const nodePort = made.spec?.ports?.[0]?.nodePort ?? 0;
      assert.ok(nodePort > 0);
      await client(world);
      const externalName = await elsewhere(world);
      const changed = await changeService(world, 'name', { type: 'ExternalName', externalName });
      assert.equal(changed.spec?.clusterIP ?? '', '');
      assert.equal(changed.spec?.ports?.[0]?.nodePort ?? 0, 0);
      await makeService(world, 'next', { type: 'NodePort', ports: [{ port: 80, nodePort, protocol: 'TCP' }] });
      await leadsTo(world, 'name', externalName);
    },
  );
});

behaviours('containers', 'clients that keep their pod', (check) => {
  async function affine(world: World, type: 'ClusterIP' | 'NodePort'): Promise<string[]> {
    await Promise.all([servers(world, 'web', 3), client(world)]);
    const service = await makeService(world, 'affine', { type, selector: { app: 'web' }, sessionAffinity: 'ClientIP' });
    assert.equal(service.spec?.sessionAffinityConfig?.clientIP?.timeoutSeconds, 10_800);
    const nodePort = service.spec?.ports?.[0]?.nodePort;
    return [
      'affine',
      ...(type === 'NodePort' ? [`${await nodeAddress(world)}:${nodePort}`] : [`${service.spec?.clusterIP}`]),
    ];
  }

  const keeping = [
    [
      '[sig-network] Services should have session affinity work for service with type clusterIP [LinuxOnly] [Conformance]',
      'ClusterIP',
    ],
    [
      '[sig-network] Services should have session affinity work for NodePort service [LinuxOnly] [Conformance]',
      'NodePort',
    ],
  ] as const;
  for (const [codename, type] of keeping) {
    check(codename, async (world) => {
      for (const place of await affine(world, type)) {
        assert.match(await reach(world, place), /^web-/);
        await untilAnsweredBy(world, place, 'one');
      }
    });
  }

  const switching = [
    [
      '[sig-network] Services should be able to switch session affinity for service with type clusterIP [LinuxOnly] [Conformance]',
      'ClusterIP',
    ],
    [
      '[sig-network] Services should be able to switch session affinity for NodePort service [LinuxOnly] [Conformance]',
      'NodePort',
    ],
  ] as const;
  for (const [codename, type] of switching) {
    check(codename, async (world) => {
      const [name = '', place = ''] = await affine(world, type);
      assert.match(await reach(world, name), /^web-/);
      await untilAnsweredBy(world, place, 'one');
      await changeService(world, 'affine', { sessionAffinity: 'None' });
      await untilAnsweredBy(world, place, 'several');
      await changeService(world, 'affine', { sessionAffinity: 'ClientIP' });
      await untilAnsweredBy(world, place, 'one');
    });
  }
});

behaviours('containers', 'slices that people write', (check) => {
  /** Two servers of Node, each on two ports, and slices that name what is wanted of them. */
  async function slices(
    world: World,
    wanted: (first: string, second: string) => readonly (readonly [string, number])[],
  ): Promise<void> {
    const script = [3000, 3001]
      .map(
        (port) =>
          `require('http').createServer((_, r) => r.end(require('os').hostname() + ':${port}')).listen(${port});`,
      )
      .join(' ');
    const run = async (name: string) =>
      (await runPod(world, name, withNode(script, { readinessProbe: { tcpSocket: { port: 3001 }, periodSeconds: 1 } })))
        .status?.podIP ?? '';
    const [first, second] = await Promise.all([run('pod1'), run('pod2'), client(world)]);
    const ports = [
      { name: 'first', port: 80, targetPort: 3000, protocol: 'TCP' as const },
      { name: 'second', port: 81, targetPort: 3001, protocol: 'TCP' as const },
    ];
    await makeService(world, 'custom', { ports });
    for (const [at, [address, port]] of wanted(first, second).entries()) {
      await world.client.resource(ENDPOINT_SLICES, world.namespace).create({
        metadata: {
          name: `custom-${at}`,
          labels: { 'kubernetes.io/service-name': 'custom', 'endpointslice.kubernetes.io/managed-by': 'e2e-test' },
        },
        addressType: 'IPv4',
        endpoints: [{ addresses: [address] }],
        ports: [{ name: at === 0 ? 'first' : 'second', port, protocol: 'TCP' }],
      });
    }
  }

  check(
    '[sig-network] EndpointSlice should support a Service with multiple endpoint IPs specified in multiple EndpointSlices [Conformance]',
    async (world) => {
      await slices(world, (first, second) => [
        [first, 3000],
        [second, 3001],
      ]);
      assert.deepEqual([await reach(world, 'custom:80'), await reach(world, 'custom:81')], ['pod1:3000', 'pod2:3001']);
    },
  );

  check(
    '[sig-network] EndpointSlice should support a Service with multiple ports specified in multiple EndpointSlices [Conformance]',
    async (world) => {
      await slices(world, (first) => [
        [first, 3000],
        [first, 3001],
      ]);
      assert.deepEqual([await reach(world, 'custom:80'), await reach(world, 'custom:81')], ['pod1:3000', 'pod1:3001']);
    },
  );
});
