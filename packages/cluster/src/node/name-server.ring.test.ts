import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { makeTestFolder } from '@binnacle/base/testing';
import { CONFIG_MAPS, EVENTS, SERVICES } from '@binnacle/api';
import { Scope, silentLogger } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createInformer } from '@binnacle/client';
import { ADMIN } from '../identities.ts';
import { startControlPlane } from './control-plane.ts';
import { startNameServer } from './name-server.ts';

/** A control plane in memory. */
async function start(t: TestContext) {
  const folder = makeTestFolder().path;
  const scope = new Scope('test');
  t.after(async () => {
    await scope.close();
    await rm(folder, { recursive: true });
  });
  const world = { clock: realClock, random: secureRandom, log: silentLogger };
  const plane = await startControlPlane({ world, scope, pki: folder, store: { engine: 'memory' } });
  return { clientAs: plane.clientAs.bind(plane), clusterDomain: 'cluster.local', world, scope };
}

/** A name server that knows no name; `asked`: the first time. */
async function knowsNothing(t: TestContext): Promise<{ readonly port: number; readonly asked: Promise<void> }> {
  const asked = Promise.withResolvers<void>();
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  t.after(() => socket.close());
  await once(socket, 'listening');
  socket.on('message', (question, { address, port }) => {
    const reply = Buffer.from(question);
    // A response that there is no such name.
    reply.writeUInt16BE(0x8183, 2);
    socket.send(reply, port, address);
    asked.resolve();
  });
  return { port: socket.address().port, asked: asked.promise };
}

/** A namespace that routes what it has for the machine by a link, as a neighbour of its network would; with a node's own bridge. */
function makeNeighbour(
  t: TestContext,
  tag: string,
): { readonly bridge: string; readonly ask: (...how: string[]) => Promise<string> } {
  const third = process.pid % 250;
  const [bridge, ours, theirs] = [`198.18.${third}.1`, `198.19.${third}.1`, `198.19.${third}.2`];
  const ip = (...args: readonly string[]): string => execFileSync('ip', args, { encoding: 'utf8' });
  ip('netns', 'add', tag);
  t.after(() => {
    ip('netns', 'del', tag);
    ip('link', 'del', `${tag}b`);
  });
  ip('link', 'add', `${tag}b`, 'type', 'bridge');
  ip('addr', 'add', `${bridge}/24`, 'dev', `${tag}b`);
  ip('link', 'set', `${tag}b`, 'up');
  ip('link', 'add', `${tag}v`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', tag);
  ip('addr', 'add', `${ours}/30`, 'dev', `${tag}v`);
  ip('link', 'set', `${tag}v`, 'up');
  ip('-n', tag, 'addr', 'add', `${theirs}/30`, 'dev', 'eth0');
  ip('-n', tag, 'link', 'set', 'eth0', 'up');
  ip('-n', tag, 'route', 'add', `${bridge}/32`, 'via', ours);
  const name = 'kubernetes.default.svc.cluster.local';
  const ask = async (...how: string[]): Promise<string> => {
    const dig = ['dig', '+short', '+time=1', '+tries=1', ...how, `@${bridge}`, name];
    try {
      return (await promisify(execFile)('ip', ['netns', 'exec', tag, ...dig])).stdout.trim();
    } catch {
      return 'silence';
    }
  };
  return { bridge, ask };
}

test(
  'who is neither of the machine nor of its pods and nodes hears nothing, though it routes to the bridge; --expose answers',
  { timeout: 60_000 },
  async (t) => {
    const { bridge, ask } = makeNeighbour(t, `bdn${process.pid}`);
    const started = await start(t);
    for (const [insiders, heard] of [
      [[`${bridge}/24`], 'silence'],
      [undefined, '10.96.0.1'],
    ] as const) {
      const { port } = await startNameServer({ ...started, host: bridge, port: 0, insiders: () => insiders });
      assert.equal(await ask('-p', `${port}`), heard);
      assert.equal(await ask('-p', `${port}`, '+tcp'), heard);
      const own = new Resolver();
      own.setServers([`${bridge}:${port}`]);
      assert.deepEqual(await own.resolve4('kubernetes.default.svc.cluster.local'), ['10.96.0.1'], 'the machine itself');
    }
  },
);

test(
  'the names of Services are answered on a port of loopback, kube-dns is a Service, and its ConfigMap is told of',
  { timeout: 60_000 },
  async (t) => {
    const { clientAs, clusterDomain, world, scope } = await start(t);
    const { port } = await startNameServer({
      clientAs,
      clusterDomain,
      host: '127.0.0.1',
      port: 0,
      world,
      scope,
    });
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${port}`]);
    assert.deepEqual(await resolver.resolve4('kubernetes.default.svc.cluster.local'), ['10.96.0.1']);
    assert.deepEqual(await resolver.resolve4('kube-dns.kube-system.svc.cluster.local'), ['10.96.0.10']);
    await assert.rejects(resolver.resolve4('nobody.default.svc.cluster.local'), { code: 'ENOTFOUND' });
    const service = await clientAs(ADMIN).resource(SERVICES, 'kube-system').get('kube-dns');
    assert.equal(service.spec?.clusterIP, '10.96.0.10');
    const asAdmin = clientAs(ADMIN);
    await asAdmin
      .resource(CONFIG_MAPS, 'kube-system')
      .create({ metadata: { name: 'kube-dns', namespace: 'kube-system' }, data: { federations: '{}' } });
    const events = createInformer(asAdmin, EVENTS, world, { namespace: 'kube-system' });
    const told = Promise.withResolvers<string | undefined>();
    events.subscribe({ add: ({ reason, message }) => reason === 'InvalidConfiguration' && told.resolve(message) });
    events.start(scope);
    assert.match((await told.promise) ?? '', /^unknown keys: federations; /);
  },
);

test(
  'a ConfigMap that names servers which ask us in turn is noticed, and forgotten with the next one',
  { timeout: 60_000 },
  async (t) => {
    const { world, ...started } = await start(t);
    const noticed = Promise.withResolvers<void>();
    const log: Logger = {
      ...silentLogger,
      named: () => log,
      warn: (text) => text.includes('in turn') && noticed.resolve(),
    };
    const { port } = await startNameServer({ ...started, world: { ...world, log }, host: '127.0.0.1', port: 0 });
    const maps = started.clientAs(ADMIN).resource(CONFIG_MAPS, 'kube-system');
    const asking = (server: number) => ({ data: { upstreamNameservers: JSON.stringify([`127.0.0.1:${server}`]) } });
    await maps.create({ metadata: { name: 'kube-dns', namespace: 'kube-system' }, ...asking(port) });
    await noticed.promise;
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${port}`]);
    await assert.rejects(resolver.resolve4('www.example.test'), { code: 'ESERVFAIL' });
    const other = await knowsNothing(t);
    await maps.patch('kube-dns', 'merge', asking(other.port));
    await other.asked;
    await assert.rejects(resolver.resolve4('www.example.test'), { code: 'ENOTFOUND' });
  },
);

test('the name servers of a machine that joins another network are the new ones', { timeout: 60_000 }, async (t) => {
  const started = await start(t);
  const folder = makeTestFolder().path;
  t.after(() => rm(folder, { recursive: true }));
  const [before, after] = [await knowsNothing(t), await knowsNothing(t)];
  // As most machines have it: a link to what the program that looks after networks writes.
  const [resolvConf, written] = [`${folder}/resolv.conf`, `${folder}/run/resolv.conf`];
  await mkdir(`${folder}/run`);
  const write = async ({ port }: { readonly port: number }): Promise<void> => {
    await writeFile(`${written}.new`, `nameserver 127.0.0.1:${port}\n`);
    await rename(`${written}.new`, written);
  };
  await write(before);
  await symlink(written, resolvConf);
  const { port } = await startNameServer({ ...started, resolvConf, host: '127.0.0.1', port: 0 });
  await before.asked;
  await write(after);
  await after.asked;
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${port}`]);
  await assert.rejects(resolver.resolve4('www.example.test'), { code: 'ENOTFOUND' });
});
