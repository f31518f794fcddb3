/** Parts of volumes in real containers (on containerd): subPath, and subPathExpr from the container's environment. */
import assert from 'node:assert/strict';
import { CONFIG_MAPS, isPodReady, PODS, SECRETS } from '@binnacle/api';
import type { EnvVar, Volume } from '@binnacle/api/core/v1';
import { requests } from '../api-operations.ts';
import { outputOf, podOf, shell, untilOne } from '../objects.ts';
import { exec, FOREVER } from '../real-containers.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

/** What a container reads of one file of a volume, mounted alone. */
function read(
  world: World,
  subPath: string,
  source: Omit<Volume, 'name'>,
  mountPath = '/test-volume',
): Promise<string> {
  const container = shell(`cat ${mountPath}`, { volumeMounts: [{ name: 'v', mountPath, subPath }] });
  return outputOf(world, 'pod', { containers: [container], volumes: [{ name: 'v', ...source }] });
}

const configMap = (world: World) =>
  world.client
    .resource(CONFIG_MAPS, world.namespace)
    .create({ metadata: { name: 'my-configmap' }, data: { 'configmap-key': 'configmap-value' } });

behaviours('containers', 'subPath', (check) => {
  check(
    '[sig-storage] Subpath Atomic writer volumes should support subpaths with secret pod [Conformance]',
    async (world) => {
      await world.client.resource(SECRETS, world.namespace).create({
        metadata: { name: 'my-secret' },
        data: { 'secret-key': Buffer.from('secret-value').toString('base64') },
      });
      assert.equal(await read(world, 'secret-key', { secret: { secretName: 'my-secret' } }), 'secret-value');
    },
  );

  check(
    '[sig-storage] Subpath Atomic writer volumes should support subpaths with configmap pod [Conformance]',
    async (world) => {
      await configMap(world);
      assert.equal(await read(world, 'configmap-key', { configMap: { name: 'my-configmap' } }), 'configmap-value');
    },
  );

  check(
    '[sig-storage] Subpath Atomic writer volumes should support subpaths with configmap pod with mountPath of existing file [Conformance]',
    async (world) => {
      await configMap(world);
      const source = { configMap: { name: 'my-configmap' } };
      assert.equal(await read(world, 'configmap-key', source, '/etc/resolv.conf'), 'configmap-value');
    },
  );

  check(
    '[sig-storage] Subpath Atomic writer volumes should support subpaths with downward pod [Conformance]',
    async (world) => {
      const items = [{ path: 'downward/podname', fieldRef: { fieldPath: 'metadata.name' } }];
      assert.equal(await read(world, 'downward/podname', { downwardAPI: { items } }), 'pod');
    },
  );

  check(
    '[sig-storage] Subpath Atomic writer volumes should support subpaths with projected pod [Conformance]',
    async (world) => {
      await configMap(world);
      const items = [{ key: 'configmap-key', path: 'projected/configmap-key' }];
      const source = { projected: { sources: [{ configMap: { name: 'my-configmap', items } }] } };
      assert.equal(await read(world, 'projected/configmap-key', source), 'configmap-value');
    },
  );
});

behaviours('containers', 'subPathExpr', (check) => {
  const NAMED: EnvVar = { name: 'POD_NAME', value: 'foo' };
  const ANNOTATED: EnvVar = {
    name: 'ANNOTATION',
    valueFrom: { fieldRef: { fieldPath: "metadata.annotations['mysubpath']" } },
  };
  const volumes = [{ name: 'workdir1', emptyDir: {} }];
  const container = (script: string, env: readonly EnvVar[], subPathExpr: string) =>
    shell(script, {
      env,
      volumeMounts: [
        { name: 'workdir1', mountPath: '/subpath_mount', subPathExpr },
        { name: 'workdir1', mountPath: '/volume_mount' },
      ],
    });

  check(
    '[sig-node] Variable Expansion should allow substituting values in a volume subpath [Conformance]',
    async (world) => {
      const script = 'test -d /volume_mount/foo; echo $?';
      const text = await outputOf(world, 'pod', { containers: [container(script, [NAMED], '$(POD_NAME)')], volumes });
      assert.equal(text, '0\n');
    },
  );

  /** The container is not made, with its reason; the pod stays Pending. */
  const held = async (world: World, value: string, message: RegExp): Promise<void> => {
    const spec = { containers: [container(FOREVER, [{ name: 'POD_NAME', value }], '$(POD_NAME)')], volumes };
    await world.client.resource(PODS, world.namespace).create(podOf('pod', spec));
    const pod = await untilOne(world, PODS, {
      name: 'pod',
      what: 'held',
      until: (p) => p.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CreateContainerConfigError',
    });
    assert.equal(pod?.status?.phase, 'Pending');
    assert.match(pod?.status?.containerStatuses?.[0]?.state?.waiting?.message ?? '', message);
  };
  check(
    '[sig-node] Variable Expansion should fail substituting values in a volume subpath with backticks [Conformance]',
    (world) => held(world, '..', /must not contain '\.\.'/),
  );
  check(
    '[sig-node] Variable Expansion should fail substituting values in a volume subpath with absolute path [Conformance]',
    (world) => held(world, '/tmp', /must not be an absolute path/),
  );

  const annotated = async (world: World, annotations: object): Promise<void> => {
    const spec = {
      containers: [container(FOREVER, [NAMED, ANNOTATED], '$(ANNOTATION)/$(POD_NAME)')],
      volumes,
      terminationGracePeriodSeconds: 20,
    };
    await world.client
      .resource(PODS, world.namespace)
      .create(podOf('pod', spec, { labels: { app: 'pod' }, annotations }));
  };
  const running = (world: World) => untilOne(world, PODS, { name: 'pod', what: 'running', until: isPodReady });
  const annotate = (world: World, mysubpath: string) =>
    requests(world, `/api/v1/namespaces/${world.namespace}/pods`).patch('pod', {
      metadata: { annotations: { mysubpath } },
    });
  const end = async (world: World): Promise<void> => {
    await world.client.resource(PODS, world.namespace).delete('pod');
    await untilOne(world, PODS, { name: 'pod', what: 'gone' });
  };

  check(
    '[sig-node] Variable Expansion should verify that a failing subpath expansion can be modified during the lifecycle of a container [Slow] [Conformance]',
    async (world) => {
      await annotated(world, { notmysubpath: 'mypath' });
      const pod = await untilOne(world, PODS, {
        name: 'pod',
        what: 'held',
        until: (p) => p.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CreateContainerConfigError',
      });
      assert.equal(pod?.status?.phase, 'Pending');
      await annotate(world, 'mypath');
      await running(world);
      await end(world);
    },
  );

  check(
    '[sig-node] Variable Expansion should succeed in writing subpaths in container [Conformance]',
    async (world) => {
      await annotated(world, { mysubpath: 'mypath' });
      await running(world);
      await exec(world, 'pod', ['touch', '/volume_mount/mypath/foo/test.log']);
      await exec(world, 'pod', ['test', '-f', '/subpath_mount/test.log']);
      await annotate(world, 'mynewpath');
      await running(world);
      await end(world);
    },
  );
});
