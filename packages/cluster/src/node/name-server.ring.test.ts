import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CONFIG_MAPS, EVENTS, SERVICES } from '@binnacle/api';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createInformer } from '@binnacle/client';
import { ADMIN } from '../identities.ts';
import { startControlPlane } from './control-plane.ts';
import { startNameServer } from './name-server.ts';

test(
  'the names of Services are answered on a port of loopback, kube-dns is a Service, and its ConfigMap is told of',
  { timeout: 60_000 },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'binnacle-names-'));
    const scope = new Scope('test');
    t.after(async () => {
      await scope.close();
      await rm(folder, { recursive: true });
    });
    const world = { clock: realClock, random: secureRandom, log: silentLogger };
    const plane = await startControlPlane({ world, scope, pki: folder, store: { engine: 'memory' } });
    const clientAs = plane.clientAs.bind(plane);
    const { port } = await startNameServer({
      clientAs,
      clusterDomain: 'cluster.local',
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
