/** A control plane with sockets: what it publishes it listens on, with a certificate for it. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { get } from 'node:https';
import { test } from 'node:test';
import type { PeerCertificate } from 'node:tls';
import { makeTestFolder } from '@binnacle/base/testing';
import { AbortedError, createLogger, Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { LEASES, SERVICES } from '@binnacle/api';
import { startControlPlane } from './control-plane.ts';
import type { ControlPlane, ControlPlaneOptions } from './control-plane.ts';

const ADVERTISED = '127.0.0.2';

/** `known`: the address by which the caller knows the server, where its connection is carried elsewhere. */
function statusOf(url: string, ca: string, known?: string): Promise<number> {
  const checkServerIdentity = (_: string, { raw }: PeerCertificate): Error | undefined =>
    new X509Certificate(raw).checkIP(known ?? '') === undefined ? new Error(`${known} is not named`) : undefined;
  const carried = known === undefined ? {} : { checkServerIdentity };
  return new Promise((resolve, reject) => {
    get(url, { ca, agent: false, ...carried }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', reject);
  });
}

/** A control plane over a store in memory. */
const start = (
  of: Pick<ControlPlaneOptions, 'scope' | 'pki' | 'advertiseAddress' | 'serviceCidrs'>,
): Promise<ControlPlane> =>
  startControlPlane({
    ...of,
    world: { clock: realClock, random: secureRandom, log: silentLogger },
    store: { engine: 'memory' },
    listen: { host: '127.0.0.1', port: 0 },
  });

test('the advertised address answers beside the one that was asked for, and the server says who it is', async () => {
  const pki = makeTestFolder().path;
  const scope = new Scope('test');
  try {
    const plane = await start({ scope, pki, advertiseAddress: ADVERTISED });
    const { port } = new URL(plane.url);
    for (const host of ['127.0.0.1', ADVERTISED]) {
      assert.equal(await statusOf(`https://${host}:${port}/version`, plane.rootCA), 200);
    }
    const client = plane.clientAs({ name: 'admin', groups: ['system:masters'] });
    const { items } = await client.resource(LEASES, 'kube-system').list();
    assert.ok(items.some(({ metadata }) => /^apiserver-[0-9a-f]{26}$/.test(metadata.name ?? '')));
    const pairs = ['admin', 'apiserver', 'apiserver-kubelet-client', 'ca', 'front-proxy-ca', 'front-proxy-client'];
    const files = [...pairs.flatMap((name) => [`${name}.crt`, `${name}.key`]), 'sa.key'];
    assert.deepEqual((await readdir(pki)).toSorted(), files.toSorted(), 'nothing is made that nobody shows');
  } finally {
    await scope.close();
    await rm(pki, { recursive: true });
  }
});

test('pods know the server by the first address of each range of Services, whatever the ranges are', async () => {
  const pki = makeTestFolder().path;
  try {
    for (const { serviceCidrs, known } of [
      { serviceCidrs: ['10.77.0.0/16', 'fd00:77::/112'], known: ['10.77.0.1', 'fd00:77::1'] },
      // A certificate that is kept and names others is made anew.
      { serviceCidrs: ['10.78.5.64/26'], known: ['10.78.5.65'] },
    ]) {
      const scope = new Scope('test');
      try {
        const plane = await start({ scope, pki, serviceCidrs });
        const { spec } = await plane
          .clientAs({ name: 'admin', groups: ['system:masters'] })
          .resource(SERVICES, 'default')
          .get('kubernetes');
        assert.equal(spec?.clusterIP, known[0]);
        for (const address of known) {
          assert.equal(await statusOf(`${plane.url}/version`, plane.rootCA, address), 200, address);
        }
      } finally {
        await scope.close();
      }
    }
  } finally {
    await rm(pki, { recursive: true });
  }
});

test('a start that is given up while it is under way ends, and logs nothing', async () => {
  const pki = makeTestFolder().path;
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const log = createLogger({ component: 'test', verbosity: 0, clock: realClock, pid: 1, write });
  const scope = new Scope('test', { log });
  try {
    const started = startControlPlane({
      world: { clock: realClock, random: secureRandom, log },
      scope,
      pki,
      store: { engine: 'memory' },
      listen: { host: '127.0.0.1', port: 0 },
      onListening: () => void scope.close(),
    });
    await assert.rejects(started, AbortedError);
    await scope.close();
    assert.deepEqual(lines, []);
  } finally {
    await rm(pki, { recursive: true });
  }
});
