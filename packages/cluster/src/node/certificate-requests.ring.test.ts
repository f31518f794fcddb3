/** Requests for certificates on a whole control plane: approved by rights, signed by the cluster's authority. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { CERTIFICATE_SIGNING_REQUESTS, CLUSTER_ROLE_BINDINGS } from '@binnacle/api';
import type { CertificateSigningRequest, CertificateSigningRequestSpec } from '@binnacle/api/certificates/v1';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import type { Client } from '@binnacle/client';
import { startComponents } from '../components.ts';
import { ADMIN, nodeIdentity } from '../identities.ts';
import { startControlPlane } from './control-plane.ts';

/** Waits by watch until a request is as wanted; two minutes at most. */
function until(
  client: Client,
  name: string,
  wanted: (request: CertificateSigningRequest) => boolean,
): Promise<CertificateSigningRequest> {
  const deadline = AbortSignal.timeout(120_000);
  return new Promise((resolve, reject) => {
    const handle = client.resource(CERTIFICATE_SIGNING_REQUESTS).watch(
      { sendInitialEvents: true, fieldSelector: `metadata.name=${name}` },
      {
        events: (batch) => {
          const found = batch.find(({ type, object }) => type !== 'BOOKMARK' && wanted(object));
          if (found === undefined) return;
          handle.stop();
          resolve(found.object);
        },
        end: (error) => {
          if (error !== undefined) reject(error);
        },
      },
    );
    deadline.addEventListener('abort', () => reject(deadline.reason), { once: true });
  });
}

async function requestFor(folder: string, subject: string): Promise<string> {
  const args = [
    'req',
    '-new',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    'k',
    '-out',
    'r',
  ];
  const done = spawnSync('openssl', [...args, '-subj', subject], { cwd: folder, encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  return btoa(await readFile(join(folder, 'r'), 'utf8'));
}

test('a kubelet’s own certificate is approved by its rights, a user’s by an administrator; both are signed', async () => {
  const folder = makeTestFolder().path;
  const scope = new Scope('test');
  try {
    const world = { clock: realClock, random: secureRandom, log: silentLogger };
    const plane = await startControlPlane({ world, scope, pki: folder, store: { engine: 'memory' } });
    startComponents(plane, world, { scope });
    const admin = plane.clientAs(ADMIN);
    await admin.resource(CLUSTER_ROLE_BINDINGS).create({
      metadata: { name: 'nodes-renew' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
      },
    });
    const ask = async (client: Client, name: string, subject: string, spec: Partial<CertificateSigningRequestSpec>) => {
      const request = await requestFor(folder, subject);
      const signerName = 'kubernetes.io/kube-apiserver-client';
      const usages = ['digital signature', 'client auth'];
      await client.resource(CERTIFICATE_SIGNING_REQUESTS).create({
        metadata: { name },
        spec: { request, signerName, usages, ...spec },
      } as never);
    };
    const isIssued = ({ status }: CertificateSigningRequest): boolean => (status?.certificate ?? '') !== '';
    const node = plane.clientAs(nodeIdentity('n1'));
    const kubelet = 'kubernetes.io/kube-apiserver-client-kubelet';
    await ask(node, 'node', '/O=system:nodes/CN=system:node:n1', { signerName: kubelet, expirationSeconds: 3600 });
    const own = await until(admin, 'node', isIssued);
    assert.equal(own.status?.conditions?.[0]?.reason, 'AutoApproved');
    const made = new X509Certificate(atob(own.status?.certificate ?? ''));
    assert.equal(made.subject, 'O=system:nodes\nCN=system:node:n1');
    assert.ok(made.verify(new X509Certificate(plane.certificates.ca).publicKey));
    assert.ok(Math.abs(Date.parse(made.validTo) - Date.now() - 3_600_000) < 60_000);

    await ask(admin, 'user', '/O=devs/CN=alice', {});
    const requests = admin.resource(CERTIFICATE_SIGNING_REQUESTS);
    const waiting = await requests.get('user');
    assert.equal(waiting.status?.certificate, undefined);
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'by hand' }];
    await requests.subresource('update', 'user', 'approval', { ...waiting, status: { conditions } });
    const alice = await until(admin, 'user', isIssued);
    assert.equal(new X509Certificate(atob(alice.status?.certificate ?? '')).subject, 'O=devs\nCN=alice');

    await ask(admin, 'odd', '/CN=odd', { usages: ['server auth'] });
    const odd = await requests.get('odd');
    await requests.subresource('update', 'odd', 'approval', { ...odd, status: { conditions } });
    const failed = await until(
      admin,
      'odd',
      ({ status }) => status?.conditions?.some(({ type }) => type === 'Failed') === true,
    );
    const why = failed.status?.conditions?.find(({ type }) => type === 'Failed');
    assert.deepEqual(
      [why?.reason, why?.message],
      ['SignerValidationFailure', 'invalid usage for client certificate: server auth'],
    );
  } finally {
    await scope.close();
    await rm(folder, { recursive: true });
  }
});
