import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { VirtualClock } from '@binnacle/base';
import { CertificateError } from '../errors.ts';
import { ensureCertificates } from './authority.ts';

const DAY_MS = 86_400_000;
const ADMIN = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };
let dir = '';

before(async () => {
  dir = makeTestFolder().path;
});
after(() => rm(dir, { recursive: true }));

function ensure(clock: VirtualClock, ips: readonly string[] = ['10.96.0.1']): ReturnType<typeof ensureCertificates> {
  return ensureCertificates(join(dir, 'pki'), { hostnames: ['host-a'], ips, clients: { admin: ADMIN }, clock });
}

test('first start makes an authority whose certificates verify; files are private', async () => {
  const made = await ensure(new VirtualClock());
  const ca = new X509Certificate(made.ca);
  const serving = new X509Certificate(made.serving.certificate);
  assert.equal(ca.ca, true);
  assert.equal(ca.verify(ca.publicKey), true);
  assert.equal(serving.verify(ca.publicKey), true);
  assert.equal(serving.checkHost('kubernetes.default.svc'), 'kubernetes.default.svc');
  assert.equal(serving.checkIP('10.96.0.1'), '10.96.0.1');
  assert.equal(serving.checkIP('::1'), '::1');
  assert.equal(
    new X509Certificate(made.clients['admin']!.certificate).subject,
    'O=system:masters\nCN=kubernetes-admin',
  );
  assert.equal((await stat(join(dir, 'pki', 'ca.key'))).mode & 0o777, 0o600);
});

test('later starts use what is there; new addresses and age renew only the leaf', async () => {
  const clock = new VirtualClock();
  const first = await ensure(clock);
  const again = await ensure(clock);
  assert.equal(again.serving.certificate, first.serving.certificate);
  const moved = await ensure(clock, ['10.96.0.1', '192.0.2.7']);
  assert.notEqual(moved.serving.certificate, first.serving.certificate);
  assert.equal(moved.clients['admin']!.certificate, first.clients['admin']!.certificate);
  const late = await ensure(new VirtualClock(clock.now() + 300 * DAY_MS), ['10.96.0.1', '192.0.2.7']);
  assert.equal(late.ca, first.ca);
  assert.notEqual(late.clients['admin']!.certificate, first.clients['admin']!.certificate);
});

test('a certificate on demand: a node that also serves', async () => {
  const made = await ensure(new VirtualClock(), ['10.96.0.1', '192.0.2.7']);
  const pair = made.issueClientCertificate({
    commonName: 'system:node:a',
    organizations: ['system:nodes'],
    hostnames: ['a'],
    ips: ['192.0.2.9'],
  });
  const certificate = new X509Certificate(pair.certificate);
  assert.equal(certificate.subject, 'O=system:nodes\nCN=system:node:a');
  assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.1']);
  assert.equal(certificate.checkIP('192.0.2.9'), '192.0.2.9');
});

test('a damaged file is named, not replaced', async () => {
  for (const [file, message] of [
    ['admin.crt', /admin\.crt is not a certificate in PEM form/],
    ['admin.key', /admin\.key is not a private key in PEM form/],
  ] as const) {
    await ensure(new VirtualClock());
    const path = join(dir, 'pki', file);
    await writeFile(path, 'garbage');
    await assert.rejects(ensure(new VirtualClock()), (error) => {
      assert.ok(error instanceof CertificateError);
      assert.match(error.message, message);
      return true;
    });
    await rm(path);
  }
});
