import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { readNotAfter } from '../certificate.ts';
import { readRequest } from '../request.ts';
import { makeAuthority, signRequest } from './issue.ts';

const HOUR = 3_600_000;
const now = Math.floor(Date.now() / 1000) * 1000;
const folder = makeTestFolder().path;
after(() => rmSync(folder, { recursive: true }));

function openssl(...args: readonly string[]): string {
  const done = spawnSync('openssl', args, { encoding: 'utf8', cwd: folder });
  assert.equal(done.status, 0, done.stderr + done.stdout);
  return done.stdout;
}

/** A request as openssl writes it, with all sorts of names. */
function request(subject: string, names: string): string {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key.pem'];
  openssl('req', '-new', ...key, '-subj', subject, '-addext', `subjectAltName=${names}`, '-out', 'csr.pem');
  return readFileSync(join(folder, 'csr.pem'), 'utf8');
}

test('a request is signed with its key, its subject and the names that Kubernetes forwards, and nothing else', () => {
  const authority = makeAuthority('kubernetes', { notBefore: now - HOUR, notAfter: now + 10 * HOUR });
  const names = 'DNS:node-1,IP:192.0.2.7,IP:2001:db8::1,email:a@b.c,URI:spiffe://x/y,RID:1.2.3';
  const read = readRequest(request('/O=system:nodes/CN=system:node:node-1', names));
  assert.deepEqual(
    read.alternativeNames.map(({ tag }) => tag),
    [0x82, 0x87, 0x87, 0x81, 0x86],
  );
  const pem = signRequest(authority, read, {
    notBefore: now,
    notAfter: now + HOUR,
    usages: ['digitalSignature', 'keyEncipherment', 'decipherOnly'],
    extendedUsages: ['serverAuth', 'codeSigning'],
  });
  const made = new X509Certificate(pem);
  assert.equal(made.subject, 'O=system:nodes\nCN=system:node:node-1');
  assert.match(
    made.subjectAltName ?? '',
    /DNS:node-1, IP Address:192\.0\.2\.7, IP Address:2001:DB8.*email:a@b\.c.*spiffe/,
  );
  assert.deepEqual([made.ca, made.verify(new X509Certificate(authority.certificate).publicKey)], [false, true]);
  assert.equal(readNotAfter(made.raw), now + HOUR);
  writeFileSync(join(folder, 'ca.pem'), authority.certificate);
  writeFileSync(join(folder, 'made.pem'), pem);
  openssl('verify', '-x509_strict', '-CAfile', 'ca.pem', 'made.pem');
  const text = openssl('x509', '-in', 'made.pem', '-noout', '-text');
  assert.match(text, /Digital Signature, Key Encipherment, Decipher Only/);
  assert.match(text, /TLS Web Server Authentication, Code Signing/);
  const inMade = openssl('x509', '-in', 'made.pem', '-noout', '-pubkey');
  assert.equal(inMade, openssl('pkey', '-in', 'key.pem', '-pubout'));
});

test('a request without other names, and a certificate without usages', () => {
  const authority = makeAuthority('kubernetes', { notBefore: now - HOUR, notAfter: now + 10 * HOUR });
  const key = ['-newkey', 'ed25519', '-nodes', '-keyout', 'key.pem'];
  openssl('req', '-new', ...key, '-subj', '/CN=x', '-out', 'csr.pem');
  const read = readRequest(readFileSync(join(folder, 'csr.pem'), 'utf8'));
  assert.deepEqual(read.alternativeNames, []);
  const far = Date.UTC(2060, 0, 2, 3, 4, 5);
  const pem = signRequest(authority, read, { notBefore: now, notAfter: far, usages: [], extendedUsages: [] });
  assert.equal(readNotAfter(new X509Certificate(pem).raw), far);
});
