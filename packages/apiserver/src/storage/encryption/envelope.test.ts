import assert from 'node:assert/strict';
import { createCipheriv, createHmac } from 'node:crypto';
import { mock, test } from 'node:test';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import type { Restored } from '../../ports/transformer.ts';
import type { KeyService, SealedKey } from '../../ports/key-service.ts';
import { readEncryptionConfig } from './config.ts';
import { Encryption } from './encryption.ts';
import { Envelope } from './envelope.ts';
import { KeyServiceAwayError, TransformError } from './errors.ts';
import { decodeSealedObject, encodeSealedObject } from './sealed-object.ts';

const PLACE = '/registry/secrets/default/a';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A service that seals by turning bits, under whatever key it has at the moment. */
class TurningService implements KeyService {
  keyId = 'one';
  health = 'ok';
  version = 'v2';
  /** Calls that fail from now on. */
  failures = 0;
  decrypted = 0;

  status() {
    return Promise.resolve({ version: this.version, healthz: this.health, keyId: this.keyId });
  }

  encrypt(_uid: string, plaintext: Uint8Array): Promise<SealedKey> {
    const annotations = new Map([['version.kms.example.com', bytes('7')]]);
    return Promise.resolve({ ciphertext: turned(plaintext), keyId: this.keyId, annotations });
  }

  decrypt(_uid: string, { ciphertext }: SealedKey): Promise<Uint8Array> {
    if (this.failures > 0) {
      this.failures--;
      return Promise.reject(new RangeError('14 UNAVAILABLE'));
    }
    this.decrypted++;
    return Promise.resolve(turned(ciphertext));
  }
}

const turned = (of: Uint8Array): Uint8Array => of.map((byte) => byte ^ 0x5a);

let servers = 0;

/** Each server has seeds of its own. */
function start(service = new TurningService()) {
  const clock = new VirtualClock();
  const world = { clock, random: createSeededRandom(++servers) };
  const envelope = new Envelope('keeper', service, world);
  const HEAD = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1' };
  const kms = { apiVersion: 'v2', name: 'keeper', endpoint: 'unix:///run/k.sock', timeout: '1.5s' };
  const config = { ...HEAD, resources: [{ resources: ['secrets'], providers: [{ kms }, { identity: {} }] }] };
  const encryption = new Encryption(readEncryptionConfig(config, { random: world.random, envelope: () => envelope }));
  return { service, clock, envelope, encryption };
}

test('sealed, opened, and refused at another place; one unsealing for all objects of a seed', async () => {
  const { service, envelope, encryption } = start();
  await envelope.probe();
  const [one, two] = [1, 2].map(() => encryption.toStorage(bytes('a value'), PLACE, 'secrets') as Uint8Array);
  assert.ok(one !== undefined && two !== undefined);
  assert.notDeepEqual(one, two);
  assert.ok(Buffer.from(one).toString('latin1').startsWith('k8s:enc:kms:v2:keeper:'));
  assert.ok(!Buffer.from(one).includes('a value'));
  assert.deepEqual(await encryption.fromStorage(one, PLACE, 'secrets'), { value: bytes('a value'), stale: false });
  assert.equal(service.decrypted, 1, 'what this server sealed it knows; a new seed is asked back once');
  const other = start(service);
  await other.envelope.probe();
  for (const sealed of [one, two]) await other.encryption.fromStorage(sealed, PLACE, 'secrets');
  assert.equal(service.decrypted, 3);
  await assert.rejects(async () => other.encryption.fromStorage(one, `${PLACE}b`, 'secrets'), /no matching prefix/);
});

test('the form that upstream writes: a key derived from the seed and 32 bytes, or the key itself', async () => {
  const { envelope, encryption } = start();
  await envelope.probe();
  const seed = Buffer.alloc(32, 3);
  const info = Buffer.alloc(32, 4);
  const nonce = Buffer.alloc(12, 5);
  const derived = createHmac('sha256', seed)
    .update(Buffer.concat([info, Buffer.from([1])]))
    .digest();
  const seal = (key: Uint8Array): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(PLACE));
    return Buffer.concat([nonce, cipher.update('a value'), cipher.final(), cipher.getAuthTag()]);
  };
  const key = { ciphertext: turned(seed), keyId: 'one', annotations: new Map<string, Uint8Array>() };
  const prefix = Buffer.from('k8s:enc:kms:v2:keeper:');
  const rows = [
    { data: Buffer.concat([info, seal(derived)]), source: 'seed', stale: false },
    { data: seal(seed), source: 'key', stale: true },
  ] as const;
  for (const { data, source, stale } of rows) {
    const stored = Buffer.concat([prefix, encodeSealedObject({ data, key, source })]);
    assert.deepEqual(await encryption.fromStorage(stored, PLACE, 'secrets'), { value: bytes('a value'), stale });
  }
});

test('rotation: a changed key is taken up by the next probe, what it sealed before is stale', async () => {
  const { service, envelope, encryption } = start();
  await envelope.probe();
  const old = encryption.toStorage(bytes('v'), PLACE, 'secrets');
  service.keyId = 'two';
  assert.equal((await encryption.fromStorage(old, PLACE, 'secrets')).stale, false);
  await envelope.probe();
  assert.deepEqual(await encryption.fromStorage(old, PLACE, 'secrets'), { value: bytes('v'), stale: true });
  const renewed = encryption.toStorage(bytes('v'), PLACE, 'secrets');
  assert.equal((await encryption.fromStorage(renewed, PLACE, 'secrets')).stale, false);
});

test('a service that is not well: what was goes on for three minutes, and no longer; reads go on', async () => {
  const { service, clock, envelope, encryption } = start();
  assert.throws(() => encryption.toStorage(bytes('v'), PLACE, 'secrets'), /it has not answered yet/);
  await envelope.probe();
  const sealed = encryption.toStorage(bytes('v'), PLACE, 'secrets');
  service.health = 'tired';
  await assert.rejects(
    envelope.probe(),
    /kmsv2 Provider keeper is not healthy, error: got unexpected healthz status: tired/,
  );
  await clock.advance(179_000);
  encryption.toStorage(bytes('v'), PLACE, 'secrets');
  await clock.advance(2_000);
  assert.throws(() => encryption.toStorage(bytes('v'), PLACE, 'secrets'), /too long ago/);
  assert.deepEqual((await encryption.fromStorage(sealed, PLACE, 'secrets')).value, bytes('v'));
  service.health = 'ok';
  await envelope.probe();
  encryption.toStorage(bytes('v'), PLACE, 'secrets');
});

test('versions: another one is refused, and a change of it', async () => {
  const { service, envelope } = start();
  service.version = 'v1';
  await assert.rejects(envelope.probe(), /expected KMSv2 API version v2, got v1/);
  service.version = 'v2beta1';
  await envelope.probe();
  service.version = 'v2';
  await assert.rejects(envelope.probe(), /should not change after the initial status/);
});

test('a service that is away for a moment is asked again; one that stays away fails, and may come back', async () => {
  const { service, envelope, encryption } = start();
  await envelope.probe();
  const sealed = encryption.toStorage(bytes('v'), PLACE, 'secrets');
  const fresh = start(service);
  await fresh.envelope.probe();
  service.failures = 2;
  const opening = fresh.encryption.fromStorage(sealed, PLACE, 'secrets');
  await fresh.clock.advance(5_000);
  assert.deepEqual((await opening).value, bytes('v'));
  const away = start(service);
  await away.envelope.probe();
  service.failures = 5;
  const failing = assert.rejects(
    async () => away.encryption.fromStorage(sealed, PLACE, 'secrets'),
    (error: unknown) => {
      assert.ok(error instanceof KeyServiceAwayError);
      assert.equal(error.message, 'failed to decrypt DEK, error: key service keeper is away: 14 UNAVAILABLE');
      return true;
    },
  );
  await away.clock.advance(60_000);
  await failing;
  assert.deepEqual((await away.encryption.fromStorage(sealed, PLACE, 'secrets')).value, bytes('v'));
});

test('a service that does not give back what it sealed: nothing is sealed with it, and what was goes on', async () => {
  const { service, envelope, encryption } = start();
  await envelope.probe();
  const form = encryption.formOf('secrets');
  service.keyId = 'two';
  for (const answer of [bytes(''), bytes('another'), new Uint8Array(32)]) {
    const lying = mock.method(service, 'decrypt', () => Promise.resolve(answer));
    await assert.rejects(envelope.probe(), /it does not give back what it sealed/);
    lying.mock.restore();
    assert.equal(encryption.formOf('secrets'), form);
  }
  await envelope.probe();
  assert.notEqual(encryption.formOf('secrets'), form);
});

test('a wrong answer about a key is not remembered, and one that is no key is none', async () => {
  const { service, envelope, encryption } = start();
  await envelope.probe();
  const sealed = encryption.toStorage(bytes('v'), PLACE, 'secrets');
  const fresh = start(service);
  const open = async (): Promise<Restored> => fresh.encryption.fromStorage(sealed, PLACE, 'secrets');
  const lying = mock.method(service, 'decrypt', () => Promise.resolve(new Uint8Array(32)));
  await assert.rejects(open(), /no matching prefix found/);
  lying.mock.mockImplementation(() => Promise.resolve(bytes('')));
  const asking = assert.rejects(open(), (error: unknown) => error instanceof KeyServiceAwayError);
  await fresh.clock.advance(60_000);
  await asking;
  lying.mock.restore();
  assert.deepEqual((await open()).value, bytes('v'));
});

test('a service that does not know the key is there: nobody asks again, and the object counts as lost', async () => {
  const { service, envelope, encryption } = start();
  await envelope.probe();
  const sealed = encryption.toStorage(bytes('v'), PLACE, 'secrets');
  const fresh = start(service);
  const asked = mock.method(service, 'decrypt', () =>
    Promise.reject(Object.assign(new RangeError('no such key'), { code: 5 })),
  );
  await assert.rejects(
    async () => fresh.encryption.fromStorage(sealed, PLACE, 'secrets'),
    (error: unknown) => error instanceof TransformError && !(error instanceof KeyServiceAwayError),
  );
  assert.equal(asked.mock.callCount(), 1);
});

const BAD: readonly [name: string, object: Uint8Array, message: RegExp][] = [
  ['no data', encodeSealedObject({ data: bytes(''), key: keyWith({}), source: 'seed' }), /encrypted data is empty/],
  ['no key', sealedWith({ ciphertext: bytes('') }), /encrypted DEK source is empty/],
  ['a large key', sealedWith({ ciphertext: new Uint8Array(1025) }), /exceeds the max size of 1024/],
  ['no name of a key', sealedWith({ keyId: '' }), /keyID is empty/],
  ['a long name of a key', sealedWith({ keyId: 'k'.repeat(1025) }), /keyID is 1025 bytes/],
  ['a name that is no domain', sealedWith({ annotations: new Map([['plain', bytes('v')]]) }), /at least two segments/],
  ['many annotations', sealedWith({ annotations: new Map([['a.b', new Uint8Array(32 * 1024)]]) }), /total size/],
  ['another source', Uint8Array.from([...sealedWith({}), 0x28, 9]), /unknown encryptedDEKSourceType: 9/],
  ['bytes that are no message', bytes('nonsense'), /./],
];

function keyWith(more: Partial<SealedKey>): SealedKey {
  return { ciphertext: bytes('c'), keyId: 'k', annotations: new Map(), ...more };
}

function sealedWith(more: Partial<SealedKey>): Uint8Array {
  return encodeSealedObject({ data: bytes('d'), key: keyWith(more), source: 'seed' });
}

for (const [name, object, message] of BAD)
  test(`what rests is refused: ${name}`, () => assert.throws(() => decodeSealedObject(object), message));

test('annotations with names of prototypes are as good as others', () => {
  const annotations = new Map([['constructor.example.com', bytes('v')]]);
  const { key } = decodeSealedObject(sealedWith({ annotations }));
  assert.deepEqual(key.annotations, annotations);
});
