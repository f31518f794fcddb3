/** An etcd that speaks TLS and wants to see a certificate: by its authorities, with a pair, and in no other way. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { silentLogger } from '@binnacle/base';
import { realClock } from '@binnacle/base/node';
import { issueCertificate, makeAuthority } from '@binnacle/certificates/node';
import type { EtcdFiles } from './open-store.ts';
import { openStore } from './open-store.ts';

const HOUR = 3_600_000;
const folder = makeTestFolder().path;
const file = (name: string): string => join(folder, name);
let etcd: ChildProcess | undefined;
let endpoint = '';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Certificates in the folder: an authority, the server's pair, a client's, and another authority. */
function writeCertificates(): void {
  const life = { notBefore: Date.now() - HOUR, notAfter: Date.now() + HOUR };
  const authority = makeAuthority('etcd-ca', life);
  writeFileSync(file('ca.crt'), authority.certificate);
  writeFileSync(file('other-ca.crt'), makeAuthority('other-ca', life).certificate);
  const pairs = {
    server: issueCertificate(authority, { commonName: 'etcd', ips: ['127.0.0.1'] }, { ...life, client: true }),
    client: issueCertificate(authority, { commonName: 'apiserver' }, { ...life, client: true }),
  };
  for (const [name, pair] of Object.entries(pairs)) {
    writeFileSync(file(`${name}.crt`), pair.certificate);
    writeFileSync(file(`${name}.key`), pair.key, { mode: 0o600 });
  }
}

before(async () => {
  writeCertificates();
  endpoint = `https://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const flags = [
    ['--data-dir', file('data'), '--logger', 'zap', '--log-level', 'info'],
    ['--listen-client-urls', endpoint, '--advertise-client-urls', endpoint],
    ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
    ['--cert-file', file('server.crt'), '--key-file', file('server.key')],
    ['--client-cert-auth', '--trusted-ca-file', file('ca.crt')],
  ];
  const child = spawn('etcd', flags.flat(), { stdio: ['ignore', 'ignore', 'pipe'] });
  etcd = child;
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('etcd did not start')));
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.includes('serving client traffic')) resolve();
    });
  });
});

after(async () => {
  const gone = new Promise((resolve) => etcd?.once('exit', resolve));
  etcd?.kill('SIGKILL');
  await gone;
  rmSync(folder, { recursive: true });
});

const open = async (tls?: EtcdFiles): Promise<bigint | number> => {
  const choice = { engine: 'etcd', endpoints: [endpoint], ...(tls === undefined ? {} : { tls }) } as const;
  const store = await openStore(choice, { clock: realClock, log: silentLogger });
  const put = { type: 'put', key: '/a', value: new Uint8Array([1]) } as const;
  const { revision } = await store.txn({ compare: [], success: [put], failure: [] });
  await store.close();
  return revision;
};

const pair = { cert: file('client.crt'), key: file('client.key') };

test('with its authority and a pair', async () => assert.ok((await open({ ca: file('ca.crt'), ...pair })) > 0));

test('in no other way', async () => {
  const others: readonly (EtcdFiles | undefined)[] = [
    { ca: file('ca.crt') },
    { ca: file('other-ca.crt'), ...pair },
    pair,
    undefined,
  ];
  // At once: each tries as long as it is given.
  await Promise.all(others.map(async (tls) => assert.rejects(open(tls), { name: 'StoreUnavailableError' })));
});

test('what is no file, and a pair that is none, are named', async () => {
  await assert.rejects(open({ ca: file('gone.crt') }), /gone\.crt: ENOENT/);
  await assert.rejects(open({ ca: file('ca.crt'), cert: file('client.crt'), key: file('server.key') }), /key/);
});
