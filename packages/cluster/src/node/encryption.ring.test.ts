/** Encryption at rest over a store on disk: nothing plain in its files, rotation, reload, and keys that are gone. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CONFIG_MAPS, SECRETS } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { readText } from '@binnacle/machinery';
import { ADMIN } from '../identities.ts';
import { EncryptedPlane } from './testing/encrypted-plane.ts';
import { hearing } from './testing/hearing.ts';

const plane = new EncryptedPlane();
after(() => plane.remove());

const PLAIN = 'a-very-particular-password';
const OLD = btoa('an old key of 32 bytes, in base64'.slice(0, 32));
const NEW = btoa('a new key of 32 bytes, in base64!'.slice(0, 32));

const keyed = (kind: string, name: string, secret: string): string =>
  `{${kind}: {keys: [{name: ${name}, secret: ${secret}}]}}`;

async function password(client: Client, name: string): Promise<string> {
  const { data: fields } = await client.resource(SECRETS, 'default').get(name);
  return atob(fields?.['password'] ?? '');
}

test('a Secret is in no file in the clear; rotation writes it anew with the next key', async () => {
  plane.configure(keyed('aesgcm', 'old', OLD), 'identity: {}');
  await plane.whileUp(async (client) => {
    const secrets = client.resource(SECRETS, 'default');
    await secrets.create({ metadata: { name: 'db' }, data: { password: btoa(PLAIN) } });
    await client
      .resource(CONFIG_MAPS, 'default')
      .create({ metadata: { name: 'shown' }, data: { hint: 'in-the-clear' } });
    assert.equal(await password(client, 'db'), PLAIN);
  });
  assert.deepEqual(
    [plane.isOnDisk(btoa(PLAIN)), plane.isOnDisk('k8s:enc:aesgcm:v1:old:'), plane.isOnDisk('in-the-clear')],
    [false, true, true],
  );
  plane.configure(keyed('secretbox', 'new', NEW), keyed('aesgcm', 'old', OLD));
  await plane.whileUp(async (client) => {
    const secrets = client.resource(SECRETS, 'default');
    const before = await secrets.get('db');
    // What `kubectl get secrets -o json | kubectl replace -f -` does: nothing changes but the form.
    const after = await secrets.update(before);
    assert.notEqual(after.metadata.resourceVersion, before.metadata.resourceVersion);
    assert.equal((await secrets.update(after)).metadata.resourceVersion, after.metadata.resourceVersion);
  });
  plane.configure(keyed('secretbox', 'new', NEW));
  await plane.whileUp(async (client) => assert.equal(await password(client, 'db'), PLAIN));
});

test('a value that no key opens is an error for whoever asks for it, and nobody else', async () => {
  plane.configure(keyed('aesgcm', 'old', OLD));
  await plane.whileUp(async (client) => {
    await assert.rejects(password(client, 'db'));
    const made = await client
      .resource(SECRETS, 'default')
      .create({ metadata: { name: 'other' }, data: { password: btoa('x') } });
    assert.equal(await password(client, made.metadata.name ?? ''), 'x');
  });
});

test('a changed file counts from then on; one that cannot be read leaves what held before', async () => {
  plane.configure(keyed('secretbox', 'new', NEW), keyed('aesgcm', 'old', OLD));
  const { log, until } = hearing();
  await plane.whileUp(async (client) => {
    plane.write('kind: Nonsense\n');
    await until('what held before goes on');
    assert.equal(await password(client, 'db'), PLAIN);
    plane.configure(keyed('aescbc', 'newest', NEW), keyed('secretbox', 'new', NEW), keyed('aesgcm', 'old', OLD));
    await until('the encryption configuration was read anew');
    await client.resource(SECRETS, 'default').create({ metadata: { name: 'late' }, data: { password: btoa('y') } });
  }, log);
  assert.equal(plane.isOnDisk('k8s:enc:aescbc:v1:newest:'), true);
});

test('after a reload what rests under the old key is written anew without a restart, so that the key can go', async () => {
  plane.configure(keyed('aesgcm', 'old', OLD));
  const { log, until } = hearing();
  await plane.whileUp(async (client) => {
    const secrets = client.resource(SECRETS, 'default');
    const own = await secrets.create({ metadata: { name: 'own' }, data: { password: btoa(PLAIN) } });
    plane.configure(keyed('secretbox', 'new', NEW), keyed('aesgcm', 'old', OLD));
    await until('the encryption configuration was read anew');
    const renewed = await secrets.update(own);
    assert.notEqual(renewed.metadata.resourceVersion, own.metadata.resourceVersion);
    assert.equal((await secrets.update(renewed)).metadata.resourceVersion, renewed.metadata.resourceVersion);
  }, log);
  plane.configure(keyed('secretbox', 'new', NEW));
  await plane.whileUp(async (client) => assert.equal(await password(client, 'own'), PLAIN));
});

test('what no key opens can be read when its key is back, without a restart; a list tells of it until then', async () => {
  plane.configure(keyed('aesgcm', 'old', OLD));
  const { log, until } = hearing();
  await plane.whileUp(async (client) => {
    await assert.rejects(password(client, 'own'));
    plane.configure(keyed('aesgcm', 'old', OLD), keyed('secretbox', 'new', NEW));
    await until('the encryption configuration was read anew');
    assert.equal(await password(client, 'own'), PLAIN);
  }, log);
});

test('a configuration whose key service never answers does not overtake the one that came after it', async () => {
  plane.configure(keyed('secretbox', 'new', NEW), keyed('aesgcm', 'old', OLD));
  const { log, until } = hearing();
  await plane.whileUp(async (client) => {
    plane.configure(
      `kms: {apiVersion: v2, name: late, endpoint: "unix://${plane.folder}/late.sock"}`,
      keyed('secretbox', 'new', NEW),
    );
    await until('a key service is not well');
    plane.configure(keyed('aescbc', 'latest', NEW), keyed('secretbox', 'new', NEW));
    await until('a later encryption configuration counts');
    await until('the encryption configuration was read anew');
    await client.resource(SECRETS, 'default').create({ metadata: { name: 'fresh' }, data: { password: btoa('z') } });
  }, log);
  assert.equal(plane.isOnDisk('k8s:enc:aescbc:v1:latest:'), true);
});

test('a configuration that cannot be followed stops the start with its file and field', async () => {
  plane.write('kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nresources: 1\n');
  await assert.rejects(
    plane.whileUp(() => Promise.resolve()),
    /encryption\.yaml: resources: must be a list/,
  );
});

test('a start that fails has ended: nothing is written behind its caller’s back', async (t) => {
  const failing = new EncryptedPlane();
  t.after(() => failing.remove());
  failing.write('kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nresources: 1\n');
  await assert.rejects(failing.whileUp(() => Promise.resolve()));
  const written = readdirSync(join(failing.folder, 'pki'));
  for (const last of ['apiserver.crt', 'admin.crt', 'front-proxy-client.crt', 'sa.key'])
    assert.ok(written.includes(last), written.join(' '));
});

test('what was sealed, opened and read anew is in the figures', async () => {
  plane.configure(keyed('aescbc', 'latest', NEW), keyed('secretbox', 'new', NEW));
  const { log, until } = hearing();
  await plane.whileUp(async (client, server) => {
    await client.resource(SECRETS, 'default').create({ metadata: { name: 'counted' }, data: {} });
    plane.write('kind: none\n');
    await until('what held before goes on');
    plane.configure(keyed('secretbox', 'new', NEW), keyed('aescbc', 'latest', NEW));
    await until('the encryption configuration was read anew');
    const shown = await readText(server.clientAs(ADMIN), '/metrics');
    const reloads = 'apiserver_encryption_config_controller_automatic_reloads_total';
    for (const line of [
      /^apiserver_storage_transformation_operations_total\{resource="secrets",transformation_type="to_storage",transformer_prefix="k8s:enc:aescbc:v1:",status="OK"\} 1$/m,
      /^apiserver_storage_transformation_operations_total\{resource="secrets",transformation_type="from_storage",transformer_prefix="latest:",status="OK"\} \d+$/m,
      new RegExp(`^${reloads}\\{status="failure",apiserver_id_hash="sha256:[0-9a-f]{64}"\\} 1$`, 'm'),
      new RegExp(`^${reloads}\\{status="success",apiserver_id_hash="sha256:[0-9a-f]{64}"\\} 1$`, 'm'),
      /^apiserver_encryption_config_controller_last_config_info\{apiserver_id_hash="sha256:[0-9a-f]{64}",hash="sha256:[0-9a-f]{64}"\} 1$/m,
    ])
      assert.match(shown, line);
  }, log);
});
