/** A control plane with sockets: what it publishes it listens on, with a certificate for it. */
import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { get } from 'node:https';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { LEASES } from '@binnacle/api';
import { startControlPlane } from './control-plane.ts';

const ADVERTISED = '127.0.0.2';

function statusOf(url: string, ca: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', reject);
  });
}

test('the advertised address answers beside the one that was asked for, and the server says who it is', async () => {
  const pki = makeTestFolder().path;
  const scope = new Scope('test');
  try {
    const plane = await startControlPlane({
      world: { clock: realClock, random: secureRandom, log: silentLogger },
      scope,
      pki,
      store: { engine: 'memory' },
      listen: { host: '127.0.0.1', port: 0 },
      advertiseAddress: ADVERTISED,
    });
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
