/** Images of a registry that asks for a name and a password, which pods have from secrets. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { isPodReady, PODS, SECRETS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import {
  makeFolder,
  runBinnacle,
  serveImages,
  skipWithoutContainerd,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import type { ImageRegistry, OneProcessCluster } from '@binnacle/testkit';

const skip = await skipWithoutContainerd();

type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

describe('private images', { skip }, () => {
  const folder = makeFolder();
  let registry: ImageRegistry;
  let cluster: OneProcessCluster;
  before(async () => {
    const archive = `${folder.path}/private.tar`;
    await runBinnacle(['image', 'build-example', archive, '--ref', 'private:1']);
    registry = await serveImages({ 'team/private': archive, 'known/private': archive }, 'captain:se:cret');
    const script = `#!/bin/sh\ncat > ${folder.path}/asked\necho '${JSON.stringify({
      apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
      kind: 'CredentialProviderResponse',
      cacheKeyType: 'Image',
      auth: { [`${registry.address}/known`]: { username: 'captain', password: 'se:cret' } },
    })}'\n`;
    writeFileSync(`${folder.path}/ask-me`, script, { mode: 0o755 });
    writeFileSync(
      `${folder.path}/providers.yaml`,
      `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ask-me
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages: ['${registry.address}/known']
    defaultCacheDuration: 1m
`,
    );
    cluster = await startContainerdCluster([
      ...['--image-credential-provider-config', `${folder.path}/providers.yaml`],
      ...['--image-credential-provider-bin-dir', folder.path],
    ]);
  });
  after(async () => {
    await cluster?.stop();
    await registry?.close();
    folder.remove();
  });

  const run = async (
    name: string,
    secrets: readonly string[],
    { team = 'team', policy = 'Always' as PullPolicy } = {},
  ): Promise<void> => {
    await cluster.client.resource(PODS, 'default').create({
      metadata: { name },
      spec: {
        containers: [{ name: 'c', image: `${registry.address}/${team}/private:1`, imagePullPolicy: policy }],
        imagePullSecrets: secrets.map((secret) => ({ name: secret })),
        terminationGracePeriodSeconds: 1,
      },
    });
  };
  const until = async (name: string, what: string, holds: (pod: Pod) => boolean): Promise<void> => {
    await waitFor({
      client: cluster.client,
      resource: PODS,
      namespace: 'default',
      name,
      what: `${name}: ${what}`,
      until: (all) => all[0] !== undefined && holds(all[0]),
    });
  };

  test('with the secret the pod runs, without it waits and says why', async () => {
    const auth = Buffer.from('captain:se:cret').toString('base64');
    const config = JSON.stringify({ auths: { [registry.address]: { auth } } });
    await cluster.client.resource(SECRETS, 'default').create({
      metadata: { name: 'registry' },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from(config).toString('base64') },
    });
    await run('nobody', []);
    await until('nobody', 'is refused', ({ status }) =>
      /ErrImagePull|ImagePullBackOff/.test(status?.containerStatuses?.[0]?.state?.waiting?.reason ?? ''),
    );
    await run('captain', ['registry']);
    await until('captain', 'runs', isPodReady);
    assert.ok(registry.asked.length > 0);
  });

  test('what the captain got is on the node, and nobody else has it without credentials for it', async () => {
    const waitingFor = (reason: RegExp) => (pod: Pod) =>
      reason.test(pod.status?.containerStatuses?.[0]?.state?.waiting?.reason ?? '');
    await run('stowaway', [], { policy: 'IfNotPresent' });
    await until('stowaway', 'is refused by the registry', waitingFor(/^(ErrImagePull|ImagePullBackOff)$/));
    await run('sleeper', [], { policy: 'Never' });
    await until('sleeper', 'is refused by the node', waitingFor(/^ErrImageNeverPull$/));
    const before = registry.asked.length;
    await run('mate', ['registry'], { policy: 'Never' });
    await until('mate', 'runs', isPodReady);
    await run('cook', ['registry'], { policy: 'IfNotPresent' });
    await until('cook', 'runs', isPodReady);
    // The stowaway asks again and again, and is told no at the door.
    assert.deepEqual(
      registry.asked.slice(before).filter((path) => !path.includes('/manifests/')),
      [],
    );
  });

  test('images of the node are pulled, listed and removed from the command line', async () => {
    const image = (words: readonly string[]): Promise<string> =>
      runBinnacle(['image', ...words, '--data-dir', cluster.dataDir]);
    const name = `${registry.address}/team/private:1`;
    await image(['rm', name]);
    assert.doesNotMatch(await image(['ls']), /team\/private/);
    await assert.rejects(image(['rm', name]), /no such image: /);
    await assert.rejects(image(['pull', name]));
    await image(['pull', name, '--creds', 'captain:se:cret']);
    assert.match(
      await image(['ls']),
      new RegExp(`^${registry.address}/team/private +1 +[0-9a-f]{13} +[\\d.]+[kM]B$`, 'm'),
    );
  });

  test('a program of the node knows who may pull', async () => {
    await run('known', [], { team: 'known' });
    await until('known', 'runs', isPodReady);
    assert.equal(
      (JSON.parse(readFileSync(`${folder.path}/asked`, 'utf8')) as { image: string }).image,
      `${registry.address}/known/private`,
      'the repository: a tag opens nothing',
    );
  });
});
