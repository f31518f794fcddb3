/** Names as pods resolve them. */
import assert from 'node:assert/strict';
import { PODS, SERVICES } from '@binnacle/api';
import type { ServiceSpec } from '@binnacle/api/core/v1';
import { runPod, shell } from '../objects.ts';
import { exec, FOREVER, NODE, withNode } from '../real-containers.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const HTTP = [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' as const }];

async function makeService(world: World, name: string, spec: Partial<ServiceSpec>): Promise<string> {
  const made = await world.client
    .resource(SERVICES, world.namespace)
    .create({ metadata: { name }, spec: { ports: HTTP, ...spec } });
  return made.spec?.clusterIP ?? '';
}

/** A pod that asks: it has a resolver that takes every type of record. */
const querier = (world: World, more: object = {}) =>
  runPod(world, 'querier', { ...withNode('setInterval(() => {}, 1e6)'), ...more });

/** What is asked of a name, and what is to come of it, sorted: `system` is the C library's way, with search paths and /etc/hosts. */
interface Wanted {
  readonly type: 'A' | 'SRV' | 'CNAME' | 'PTR' | 'system';
  readonly name: string;
  readonly answers: readonly string[];
}

const ASK = `
  const { Resolver, lookup } = require('dns').promises;
  const wanted = JSON.parse(process.argv[1]);
  const resolver = new Resolver({ timeout: 1000, tries: 2 });
  const ask = async ({ type, name }) => {
    try {
      if (type === 'system') return (await lookup(name, { all: true, family: 4 })).map(({ address }) => address).sort();
      return (await resolver.resolve(name, type)).map((one) => (type === 'SRV' ? one.name + ':' + one.port : one)).sort();
    } catch (error) { return [error.code]; }
  };
  const until = Date.now() + 20000;
  const look = async () => {
    const told = await Promise.all(wanted.map(ask));
    const isAsWanted = told.every((answers, at) => answers.join() === wanted[at].answers.join());
    if (!isAsWanted && Date.now() < until) return setTimeout(look, 300);
    console.log(JSON.stringify(told));
  };
  look();
`;

/** Asks in the querier until everything is as wanted. */
async function resolves(world: World, wanted: readonly Wanted[]): Promise<void> {
  const told = await exec(world, 'querier', [NODE, '-e', ASK, JSON.stringify(wanted)]);
  const heard = (JSON.parse(told) as string[][]).map((answers, at) => ({ ...wanted[at], answers }));
  assert.deepEqual(heard, wanted);
}

/** A headless Service of two pods and one with an address; the domain they are in. */
async function twoServices(
  world: World,
): Promise<{ domain: string; address: string; pods: string[]; names: string[] }> {
  const server = (name: string) => runPod(world, name, { containers: [shell(FOREVER)] });
  const pods = await Promise.all([server('one'), server('two'), querier(world)]);
  for (const name of ['one', 'two'])
    await world.client.resource(PODS, world.namespace).patch(name, 'merge', { metadata: { labels: { dns: 'yes' } } });
  await makeService(world, 'headless', { clusterIP: 'None', selector: { dns: 'yes' } });
  const address = await makeService(world, 'plain', { selector: { dns: 'yes' } });
  const addresses = pods
    .slice(0, 2)
    .map(({ status }) => status?.podIP ?? '')
    .toSorted();
  const names = addresses.map((ip) => `${ip.replaceAll('.', '-')}.headless`);
  return { domain: `${world.namespace}.svc.cluster.local`, address, pods: addresses, names };
}

behaviours('containers', 'names of the cluster', (check) => {
  check('[sig-network] DNS should provide DNS for the cluster [Conformance]', async (world) => {
    await querier(world);
    const service = await world.client.resource(SERVICES, 'default').get('kubernetes');
    const answers = [service.spec?.clusterIP ?? ''];
    await resolves(world, [
      { type: 'A', name: 'kubernetes.default.svc.cluster.local', answers },
      { type: 'system', name: 'kubernetes.default', answers },
      { type: 'system', name: 'kubernetes.default.svc', answers },
    ]);
  });

  check('[sig-network] DNS should provide /etc/hosts entries for the cluster [Conformance]', async (world) => {
    const pod = await querier(world, { hostname: 'dns-querier-1', subdomain: 'dns-test-service' });
    await makeService(world, 'dns-test-service', { clusterIP: 'None', selector: { app: 'querier' } });
    const full = `dns-querier-1.dns-test-service.${world.namespace}.svc.cluster.local`;
    const hosts = await exec(world, 'querier', ['cat', '/etc/hosts']);
    const ip = pod.status?.podIP ?? '';
    assert.match(
      hosts,
      new RegExp(`^${ip.replaceAll('.', '\\.')}\\t${full.replaceAll('.', '\\.')}\\tdns-querier-1$`, 'm'),
    );
    await resolves(world, [
      { type: 'system', name: full, answers: [ip] },
      { type: 'system', name: 'dns-querier-1', answers: [ip] },
    ]);
  });

  check('[sig-network] DNS should provide DNS for services [Conformance]', async (world) => {
    const { domain, address, pods, names } = await twoServices(world);
    const targets = names.map((name) => `${name}.${domain}:8080`).toSorted();
    await resolves(world, [
      { type: 'A', name: `headless.${domain}`, answers: pods },
      { type: 'SRV', name: `_http._tcp.headless.${domain}`, answers: targets },
      { type: 'A', name: `plain.${domain}`, answers: [address] },
      { type: 'SRV', name: `_http._tcp.plain.${domain}`, answers: [`plain.${domain}:80`] },
      { type: 'PTR', name: `${address.split('.').toReversed().join('.')}.in-addr.arpa`, answers: [`plain.${domain}`] },
    ]);
  });

  check(
    '[sig-network] DNS should resolve DNS of partial qualified names for services [LinuxOnly] [Conformance]',
    async (world) => {
      const { address, pods } = await twoServices(world);
      const { namespace } = world;
      await resolves(world, [
        ...['headless', `headless.${namespace}`, `headless.${namespace}.svc`].map((name) => ({
          type: 'system' as const,
          name,
          answers: pods,
        })),
        ...['plain', `plain.${namespace}`, `plain.${namespace}.svc`].map((name) => ({
          type: 'system' as const,
          name,
          answers: [address],
        })),
      ]);
      // The resolver of busybox asks through the search path for records of services too.
      for (const name of ['headless', 'plain']) {
        const told = await exec(world, 'querier', [
          'nslookup',
          '-type=srv',
          `_http._tcp.${name}.${namespace}.svc.cluster.local`,
        ]);
        assert.match(told, new RegExp(`${name}\\.${namespace}\\.svc\\.cluster\\.local`));
      }
    },
  );

  const hostnames = [
    ['[sig-network] DNS should provide DNS for pods for Hostname [Conformance]', 'dns-querier-2'],
    ['[sig-network] DNS should provide DNS for pods for Subdomain [Conformance]', 'dns-querier-3'],
  ] as const;
  for (const [codename, hostname] of hostnames) {
    check(codename, async (world) => {
      const pod = await querier(world, { hostname, subdomain: 'sub' });
      await makeService(world, 'sub', { clusterIP: 'None', selector: { app: 'querier' } });
      const answers = [pod.status?.podIP ?? ''];
      const domain = `${world.namespace}.svc.cluster.local`;
      await resolves(world, [
        { type: 'A', name: `${hostname}.sub.${domain}`, answers },
        { type: 'A', name: `sub.${domain}`, answers },
        { type: 'system', name: `${hostname}.sub`, answers },
        { type: 'system', name: hostname, answers },
      ]);
    });
  }

  check('[sig-network] DNS should provide DNS for ExternalName services [Conformance]', async (world) => {
    await makeService(world, 'away', { type: 'ExternalName', externalName: 'foo.example.com', ports: [] });
    await querier(world);
    const name = `away.${world.namespace}.svc.cluster.local`;
    const services = world.client.resource(SERVICES, world.namespace);
    await resolves(world, [{ type: 'CNAME', name, answers: ['foo.example.com'] }]);
    await services.patch('away', 'merge', { spec: { externalName: 'bar.example.com' } });
    await resolves(world, [{ type: 'CNAME', name, answers: ['bar.example.com'] }]);
    const changed = await services.patch('away', 'merge', {
      spec: { type: 'ClusterIP', externalName: null, ports: HTTP },
    });
    await resolves(world, [{ type: 'A', name, answers: [changed.spec?.clusterIP ?? ''] }]);
  });

  check('[sig-network] DNS should support configurable pod DNS nameservers [Conformance]', async (world) => {
    const dnsConfig = { nameservers: ['1.1.1.1'], searches: ['resolv.conf.local'] };
    await runPod(world, 'configured', { containers: [shell(FOREVER)], dnsPolicy: 'None', dnsConfig });
    assert.deepEqual((await exec(world, 'configured', ['cat', '/etc/resolv.conf'])).trim().split('\n'), [
      'search resolv.conf.local',
      'nameserver 1.1.1.1',
    ]);
  });
});
