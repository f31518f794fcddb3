/** Encryption at rest by a key service over gRPC: what rests, rotation of the key, a service that comes late. */
import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SECRETS } from '@binnacle/api';
import { silentLogger } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { describe, GrpcRefusal, serveSocket } from '@binnacle/grpc';
import type { GrpcServer } from '@binnacle/grpc';
import { openKeyService } from './key-service.ts';
import { readText } from '@binnacle/machinery';
import { EncryptedPlane } from './testing/encrypted-plane.ts';

const plane = new EncryptedPlane();
const socket = join(plane.folder, 'kms.sock');
const endpoint = `unix://${socket}`;
const keys = new Map([['one', randomBytes(32)]]);
let current = 'one';
after(() => plane.remove());

interface Sealed {
  readonly ciphertext: Uint8Array;
  readonly key_id: string;
  readonly annotations: { readonly [name: string]: Uint8Array };
}

const NONCE = 'nonce.kms.example.com';

/** A KMS plugin as vendors write them: AES-GCM under a key that has a name. */
async function servePlugin(): Promise<GrpcServer> {
  return serveSocket({
    path: socket,
    descriptors: [await describe('keyService')],
    services: {
      'v2.KeyManagementService': {
        Status: { unary: () => Promise.resolve({ version: 'v2', healthz: 'ok', key_id: current }) },
        Encrypt: {
          unary(request) {
            const { plaintext } = request as { plaintext: Uint8Array };
            const nonce = randomBytes(12);
            const cipher = createCipheriv('aes-256-gcm', keys.get(current) ?? '', nonce);
            const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
            return Promise.resolve({ ciphertext, key_id: current, annotations: { [NONCE]: nonce } });
          },
        },
        Decrypt: {
          unary(request) {
            const { ciphertext, key_id: name, annotations } = request as Sealed;
            const key = keys.get(name);
            if (key === undefined) return Promise.reject(new GrpcRefusal(5, `no key ${name}`));
            const decipher = createDecipheriv('aes-256-gcm', key, annotations[NONCE] ?? '');
            decipher.setAuthTag(ciphertext.slice(-16));
            const plaintext = Buffer.concat([decipher.update(ciphertext.slice(0, -16)), decipher.final()]);
            return Promise.resolve({ plaintext });
          },
        },
      },
    },
  });
}

plane.configure(`kms: { apiVersion: v2, name: keeper, endpoint: "${endpoint}", timeout: 3s }`, 'identity: {}');

const PLAIN = btoa('a-very-particular-password');

test('sealed by the service; after its key has changed, written anew with the new one', async () => {
  const plugin = await servePlugin();
  await plane.whileUp(async (client) => {
    await client.resource(SECRETS, 'default').create({ metadata: { name: 'db' }, data: { password: PLAIN } });
  });
  assert.deepEqual([plane.isOnDisk(PLAIN), plane.isOnDisk('k8s:enc:kms:v2:keeper:')], [false, true]);
  keys.set('two', randomBytes(32));
  current = 'two';
  await plane.whileUp(async (client) => {
    assert.match(await readText(client.wire, '/healthz?verbose'), /^\[\+\]kms-providers ok$/m);
    const secrets = client.resource(SECRETS, 'default');
    const before = await secrets.get('db');
    assert.equal(before.data?.['password'], PLAIN);
    const renewed = await secrets.update(before);
    assert.notEqual(renewed.metadata.resourceVersion, before.metadata.resourceVersion);
    assert.equal((await secrets.update(renewed)).metadata.resourceVersion, renewed.metadata.resourceVersion);
  });
  // Nothing needs the first key any more.
  keys.delete('one');
  await plane.whileUp(async (client) => {
    assert.equal((await client.resource(SECRETS, 'default').get('db')).data?.['password'], PLAIN);
  });
  await plugin.close();
});

test('a server waits for a service that comes after it', async () => {
  const told: string[] = [];
  let plugin: GrpcServer | undefined;
  const starting = Promise.withResolvers<void>();
  const log: Logger = { ...silentLogger, warn: (text) => (told.push(text), starting.resolve()), named: () => log };
  const serving = starting.promise.then(async () => {
    plugin = await servePlugin();
  });
  await plane.whileUp(async (client) => {
    assert.equal((await client.resource(SECRETS, 'default').get('db')).data?.['password'], PLAIN);
  }, log);
  await serving;
  assert.ok(told.includes('a key service is not well'));
  await plugin?.close();
});

test('what the service says of itself and refuses comes through', async () => {
  const plugin = await servePlugin();
  const service = openKeyService({ name: 'test', endpoint, timeoutMs: 3000 });
  assert.deepEqual(await service.status(), { version: 'v2', healthz: 'ok', keyId: 'two' });
  const sealed = await service.encrypt('u', new Uint8Array([1, 2]));
  assert.deepEqual([...(await service.decrypt('u', sealed))], [1, 2]);
  await assert.rejects(service.decrypt('u', { ...sealed, keyId: 'gone' }), /no key gone/);
  service.close();
  await plugin.close();
});
