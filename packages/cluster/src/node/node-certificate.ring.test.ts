/** A kubelet's own certificate on a whole control plane: asked for by who is nobody yet, renewed by itself. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { CERTIFICATE_SIGNING_REQUESTS, CLUSTER_ROLE_BINDINGS } from '@binnacle/api';
import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import type { Client } from '@binnacle/client';
import { startComponents } from '../components.ts';
import { ADMIN, nodeIdentity } from '../identities.ts';
import {
  CLIENT_USE,
  keepNodeCertificate,
  readNodeCertificate,
  renewalAt,
  requestNodeCertificate,
  servingUse,
} from './node-certificate.ts';
import type { NodeCertificate } from './node-certificate.ts';
import { startControlPlane } from './control-plane.ts';

const world = { clock: realClock, random: secureRandom, log: silentLogger };
const BOOTSTRAPPER = { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers', 'system:authenticated'] };

async function bind(admin: Client, group: string, ...roles: readonly string[]): Promise<void> {
  for (const name of roles) {
    await admin.resource(CLUSTER_ROLE_BINDINGS).create({
      metadata: { name: `${group}-${name}`.replaceAll(':', '-') },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    });
  }
}

/** The request that nobody has judged; all those before it are approved. */
function firstOpen(admin: Client): Promise<CertificateSigningRequest> {
  return new Promise((resolve, reject) => {
    const handle = admin.resource(CERTIFICATE_SIGNING_REQUESTS).watch(
      { sendInitialEvents: true },
      {
        events: (batch) => {
          const open = batch.find(
            ({ type, object }) => type !== 'BOOKMARK' && (object.status?.conditions ?? []).length === 0,
          );
          if (open === undefined) return;
          resolve(open.object);
          handle.stop();
        },
        end: (error) => {
          if (error !== undefined) reject(error);
        },
      },
    );
  });
}

const APPROVED = 'system:certificates.k8s.io:certificatesigningrequests';

test('a node gets its certificate, renews it before it ends, and is told when it is denied', async () => {
  const folder = makeTestFolder().path;
  const scope = new Scope('test');
  try {
    const plane = await startControlPlane({ world, scope, pki: folder, store: { engine: 'memory' } });
    startComponents(plane, world, { scope });
    const admin = plane.clientAs(ADMIN);
    await bind(admin, 'system:bootstrappers', 'system:node-bootstrapper', `${APPROVED}:nodeclient`);
    await bind(admin, 'system:nodes', `${APPROVED}:selfnodeclient`);
    const path = join(folder, 'kubelet', 'current.pem');
    const of = { nodeName: 'n1', path, use: CLIENT_USE, world };
    const first = await requestNodeCertificate({ ...of, client: plane.clientAs(BOOTSTRAPPER), signal: scope.signal });
    assert.equal(new X509Certificate(first.certificate).subject, 'O=system:nodes\nCN=system:node:n1');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(await readNodeCertificate(path, Date.now()), first);
    assert.equal(await readNodeCertificate(path, first.notAfter), undefined);

    const { promise, resolve } = Promise.withResolvers<NodeCertificate>();
    const client = plane.clientAs(nodeIdentity('n1'));
    // Its time is nearly over.
    const old = { ...first, notBefore: Date.now() - 10_000, notAfter: Date.now() - 1 };
    keepNodeCertificate(old, { ...of, client, scope, renewed: resolve });
    const second = await promise;
    assert.notEqual(second.key, first.key);
    assert.deepEqual(await readNodeCertificate(path, Date.now()), second);

    const waiting = requestNodeCertificate({ ...of, nodeName: 'n2', client, signal: scope.signal });
    const refused = assert.rejects(waiting, /csr-\w+ was refused: No: not this one/);
    const requests = admin.resource(CERTIFICATE_SIGNING_REQUESTS);
    const theirs = await firstOpen(admin);
    const conditions = [{ type: 'Denied', status: 'True', reason: 'No', message: 'not this one' }];
    await requests.subresource('update', theirs.metadata.name ?? '', 'approval', {
      ...theirs,
      status: { conditions },
    });
    await refused;
  } finally {
    await scope.close();
    await rm(folder, { recursive: true });
  }
});

const ADDRESSES = [
  { type: 'InternalIP', address: '192.0.2.7' },
  { type: 'InternalIP', address: 'fd00::7' },
  { type: 'Hostname', address: 'n1' },
  { type: 'InternalDNS', address: 'n1' },
  { type: 'ExternalDNS', address: 'n1.example' },
];

test('whom a certificate for being asked names', () => {
  assert.deepEqual(servingUse(ADDRESSES), {
    signer: 'kubernetes.io/kubelet-serving',
    usages: ['digital signature', 'server auth'],
    hostnames: ['n1', 'n1.example'],
    ips: ['192.0.2.7', 'fd00::7'],
  });
});

test('a node that has none yet asks for its serving certificate, and shows it once it is approved of', async () => {
  const folder = makeTestFolder().path;
  const scope = new Scope('test');
  try {
    const plane = await startControlPlane({ world, scope, pki: folder, store: { engine: 'memory' } });
    startComponents(plane, world, { scope });
    const admin = plane.clientAs(ADMIN);
    const { promise, resolve } = Promise.withResolvers<NodeCertificate>();
    const path = join(folder, 'kubelet', 'server.pem');
    const client = plane.clientAs(nodeIdentity('n1'));
    const of = { nodeName: 'n1', path, use: servingUse(ADDRESSES), client, world, scope };
    keepNodeCertificate(undefined, { ...of, renewed: resolve });
    const theirs = await firstOpen(admin);
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Yes', message: 'that one' }];
    await admin
      .resource(CERTIFICATE_SIGNING_REQUESTS)
      .subresource('update', theirs.metadata.name ?? '', 'approval', { ...theirs, status: { conditions } });
    const got = await promise;
    const read = new X509Certificate(got.certificate);
    assert.deepEqual(
      [read.checkHost('n1.example'), read.checkIP('192.0.2.7'), read.checkHost('localhost')],
      ['n1.example', '192.0.2.7', undefined],
    );
    assert.deepEqual(read.keyUsage, ['1.3.6.1.5.5.7.3.1'], 'it serves, and does nothing else');
    assert.deepEqual(await readNodeCertificate(path, Date.now()), got);
  } finally {
    await scope.close();
    await rm(folder, { recursive: true });
  }
});

test('nothing, half of it, or something else in the file is no certificate', async () => {
  const folder = makeTestFolder().path;
  try {
    const path = join(folder, 'current.pem');
    assert.equal(await readNodeCertificate(path, 0), undefined);
    for (const text of ['', 'x', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n']) {
      await writeFile(path, text);
      assert.equal(await readNodeCertificate(path, 0), undefined, await readFile(path, 'utf8'));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

for (const [share, wanted] of [
  [0, 70],
  [0.5, 80],
  [1, 90],
] as const) {
  test(`it is renewed at ${wanted} per cent of its life`, () => {
    const at = renewalAt({ certificate: '', key: '', notBefore: 1000, notAfter: 1100 }, share);
    assert.equal(Math.round(at), 1000 + wanted);
  });
}
