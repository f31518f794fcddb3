/** A listener whose certificate is renewed while it runs. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from 'node:tls';
import type { SecureVersion } from 'node:tls';
import { makeTestFolder } from '@binnacle/base/testing';
import { Scope, silentLogger } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { ensureSelfSigned } from '@binnacle/certificates/node';
import { startControlPlane } from './control-plane.ts';

const DEADLINE_MS = 10_000;

async function shown(
  port: number,
  version: SecureVersion = 'TLSv1.3',
): Promise<{ certificate: string; reused: boolean }> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, maxVersion: version });
  try {
    await once(socket, 'secureConnect');
    const certificate = new X509Certificate(socket.getPeerCertificate().raw).fingerprint256;
    return { certificate, reused: socket.isSessionReused() };
  } finally {
    socket.destroy();
  }
}

test('a certificate that is exchanged on disk is shown from the next handshake on; half of one is not', async () => {
  const folder = makeTestFolder().path;
  const scope = new Scope('test');
  try {
    const make = (name: string) =>
      ensureSelfSigned(
        join(folder, name),
        { name: 'tls', commonName: name, organizations: [], ips: ['127.0.0.1'], hostnames: [] },
        { clock: realClock },
      );
    const [first, second] = await Promise.all([make('first'), make('second')]);
    const files = { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
    await Promise.all([writeFile(files.certificate, first.certificate), writeFile(files.key, first.key)]);
    const { promise: told, resolve } = Promise.withResolvers<void>();
    const log: Logger = { ...silentLogger, named: () => silentLogger, warn: () => resolve() };
    const plane = await startControlPlane({
      world: { clock: realClock, random: secureRandom, log },
      scope,
      pki: join(folder, 'pki'),
      store: { engine: 'memory' },
      listen: { host: '127.0.0.1', port: 0 },
      authority: {
        tokenKeys: { verifying: [] },
        serving: { certificate: await readFile(files.certificate, 'utf8'), key: first.key },
        servingFiles: files,
        tls: { minVersion: 'TLSv1.3' },
      },
    });
    const port = Number(new URL(plane.url).port);
    const fingerprint = (pem: string): string => new X509Certificate(pem).fingerprint256;
    assert.equal((await shown(port)).certificate, fingerprint(first.certificate));
    await assert.rejects(shown(port, 'TLSv1.2'), 'an older version than was chosen');
    await writeFile(files.certificate, second.certificate);
    await told;
    assert.equal((await shown(port)).certificate, fingerprint(first.certificate), 'a pair that does not fit');
    await writeFile(files.key, second.key);
    for (const end = Date.now() + DEADLINE_MS; (await shown(port)).certificate !== fingerprint(second.certificate);) {
      assert.ok(Date.now() < end, 'the new certificate is not shown');
    }
  } finally {
    await scope.close();
    await rm(folder, { recursive: true });
  }
});
