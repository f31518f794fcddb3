import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, VirtualClock } from '@binnacle/base';
import { createSimulatedNode } from '@binnacle/runtime/simulated';
import { pass, startTestNode, testPod } from '../testing/node.ts';
import { createMemoryFiles } from '../volume/memory-files.ts';
import { kubeletConfig } from '../config.ts';
import { logFile, podDirectory, terminationFile } from './mounts.ts';

const config = kubeletConfig({ nodeName: 'n' });

test('places on the node', () => {
  const pod = testPod();
  assert.equal(podDirectory({ config }, pod), '/var/lib/kubelet/pods/uid-web');
  assert.equal(
    terminationFile({ config }, pod, { name: 'main', attempt: 2 }),
    '/var/lib/kubelet/pods/uid-web/containers/main/2',
  );
  assert.equal(logFile(config, pod, { name: 'main', attempt: 2 }), '/var/log/pods/default_web_uid-web/main/2.log');
});

test('a container gets its hosts file and the file of its last words, and they are shown', async () => {
  const files = createMemoryFiles();
  const t = await startTestNode({ files });
  t.source.put(
    testPod({
      container: { terminationMessagePath: '/dev/termination-log' },
      spec: { hostAliases: [{ ip: '192.0.2.7', hostnames: ['a'] }] },
    }),
  );
  await pass(t.clock, 100);
  const hosts = new TextDecoder().decode(await files.readFile('/var/lib/kubelet/pods/uid-web/etc-hosts'));
  assert.match(hosts, /192\.0\.2\.7\ta\n$/);
  const [running] = await t.runtime.listContainers();
  files.append('/var/lib/kubelet/pods/uid-web/containers/main/0', 'that was it');
  t.node.endContainer(running!.id, 3);
  await pass(t.clock, 100);
  assert.equal(t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.lastState?.terminated?.message, 'that was it');
  await t.scope.close();
});

test('a volume that the pod does not have', async () => {
  const t = await startTestNode();
  t.source.put(testPod({ container: { volumeMounts: [{ name: 'no', mountPath: '/x' }] } }));
  await pass(t.clock, 100);
  assert.deepEqual(t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.state?.waiting, {
    reason: 'CreateContainerConfigError',
    message: 'cannot find volume "no" to mount into container "main"',
  });
  await t.scope.close();
});

for (const [name, can, handler, wanted] of [
  ['can', true, '', { running: true, mode: 'Enabled' }],
  ['cannot', false, '', { running: false, mode: undefined }],
  ['can by another of its ways', true, 'other', { running: false, mode: undefined }],
] as const) {
  test(`a volume that has to be read only with all that is below it, where the runtime ${name}`, async () => {
    const node = createSimulatedNode({ clock: new VirtualClock(), random: createSeededRandom(1) });
    const runtime = node.connect();
    const status = await runtime.status();
    const handlers = [{ name: handler, recursiveReadOnlyMounts: can, userNamespaces: false }];
    runtime.status = async () => ({ ...status, handlers });
    const t = await startTestNode({ runtime });
    const volumeMounts = [{ name: 'v', mountPath: '/x', readOnly: true, recursiveReadOnly: 'Enabled' }];
    t.source.put(testPod({ container: { volumeMounts }, spec: { volumes: [{ name: 'v', emptyDir: {} }] } }));
    await pass(t.clock, 1_000);
    const told = t.kubelet.pods()[0]?.status.containerStatuses?.[0];
    const mode = told?.volumeMounts?.[0]?.recursiveReadOnly;
    assert.deepEqual({ running: told?.state?.running !== undefined, mode }, wanted);
    await t.scope.close();
  });
}
