/** Encryption at rest over a store on disk: nothing plain in its files, rotation, reload, and keys that are gone. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CONFIG_MAPS, SECRETS } from '@binnacle/api';
import { Scope, silentLogger } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import type { Client } from '@binnacle/client';
import { ADMIN } from '../identities.ts';
import { startControlPlane } from './control-plane.ts';

const folder = mkdtempSync(join(tmpdir(), 'binnacle-encryption-'));
const config = join(folder, 'encryption.yaml');
const data = join(folder, 'data');
after(() => rmSync(folder, { recursive: true }));

const PLAIN = 'a-very-particular-password';
const OLD = btoa('an old key of 32 bytes, in base64'.slice(0, 32));
const NEW = btoa('a new key of 32 bytes, in base64!'.slice(0, 32));

function configure(...providers: readonly string[]): void {
  const lines = ['kind: EncryptionConfiguration', 'apiVersion: apiserver.config.k8s.io/v1', 'resources:'];
  lines.push('- resources: [secrets]', '  providers:', ...providers.map((provider) => `  - ${provider}`));
  writeFileSync(config, `${lines.join('\n')}\n`);
}

const keyed = (kind: string, name: string, secret: string): string =>
  `{${kind}: {keys: [{name: ${name}, secret: ${secret}}]}}`;

async function withServer(run: (client: Client) => Promise<void>, log: Logger = silentLogger): Promise<void> {
  const scope = new Scope('plane', { log: silentLogger });
  try {
    const plane = await startControlPlane({
      world: { clock: realClock, random: secureRandom, log },
      scope,
      pki: join(folder, 'pki'),
      store: { engine: 'sqlite', path: join(data, 'store.db'), markPath: join(data, 'store.mark') },
      encryption: { path: config, reload: true },
    });
    await run(plane.clientAs(ADMIN));
  } finally {
    await scope.close();
  }
}

function onDisk(needle: string): boolean {
  return readdirSync(data).some((name) => readFileSync(join(data, name)).includes(needle));
}

async function password(client: Client, name: string): Promise<string> {
  const { data: fields } = await client.resource(SECRETS, 'default').get(name);
  return atob(fields?.['password'] ?? '');
}

test('a Secret is in no file in the clear; rotation writes it anew with the next key', async () => {
  configure(keyed('aesgcm', 'old', OLD), 'identity: {}');
  await withServer(async (client) => {
    const secrets = client.resource(SECRETS, 'default');
    await secrets.create({ metadata: { name: 'db' }, data: { password: btoa(PLAIN) } });
    await client
      .resource(CONFIG_MAPS, 'default')
      .create({ metadata: { name: 'shown' }, data: { hint: 'in-the-clear' } });
    assert.equal(await password(client, 'db'), PLAIN);
  });
  assert.deepEqual(
    [onDisk(btoa(PLAIN)), onDisk('k8s:enc:aesgcm:v1:old:'), onDisk('in-the-clear')],
    [false, true, true],
  );
  configure(keyed('secretbox', 'new', NEW), keyed('aesgcm', 'old', OLD));
  await withServer(async (client) => {
    const secrets = client.resource(SECRETS, 'default');
    const before = await secrets.get('db');
    // What `kubectl get secrets -o json | kubectl replace -f -` does: nothing changes but the form.
    const after = await secrets.update(before);
    assert.notEqual(after.metadata.resourceVersion, before.metadata.resourceVersion);
    assert.equal((await secrets.update(after)).metadata.resourceVersion, after.metadata.resourceVersion);
  });
  configure(keyed('secretbox', 'new', NEW));
  await withServer(async (client) => assert.equal(await password(client, 'db'), PLAIN));
});

test('a value that no key opens is an error for whoever asks for it, and nobody else', async () => {
  configure(keyed('aesgcm', 'old', OLD));
  await withServer(async (client) => {
    await assert.rejects(password(client, 'db'));
    const made = await client
      .resource(SECRETS, 'default')
      .create({ metadata: { name: 'other' }, data: { password: btoa('x') } });
    assert.equal(await password(client, made.metadata.name ?? ''), 'x');
  });
});

test('a changed file counts from then on; one that cannot be read leaves what held before', async () => {
  configure(keyed('secretbox', 'new', NEW), keyed('aesgcm', 'old', OLD));
  const told: string[] = [];
  let heard: (() => void) | undefined;
  const tell = (message: string): void => {
    told.push(message);
    heard?.();
  };
  const log: Logger = {
    ...silentLogger,
    named: () => log,
    info: (_level, message) => tell(message),
    error: (_error, message) => tell(message),
  };
  const until = async (message: string): Promise<void> => {
    while (!told.includes(message)) await new Promise<void>((resolve) => (heard = resolve));
    told.length = 0;
  };
  await withServer(async (client) => {
    writeFileSync(config, 'kind: Nonsense\n');
    await until('what held before goes on');
    assert.equal(await password(client, 'db'), PLAIN);
    configure(keyed('aescbc', 'newest', NEW), keyed('secretbox', 'new', NEW), keyed('aesgcm', 'old', OLD));
    await until('the encryption configuration was read anew');
    await client.resource(SECRETS, 'default').create({ metadata: { name: 'late' }, data: { password: btoa('y') } });
  }, log);
  assert.equal(onDisk('k8s:enc:aescbc:v1:newest:'), true);
});

test('a configuration that cannot be followed stops the start with its file and field', async () => {
  writeFileSync(config, 'kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\nresources: 1\n');
  await assert.rejects(
    withServer(() => Promise.resolve()),
    /encryption\.yaml: resources: must be a list/,
  );
});
