import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryFiles } from '../volume/memory-files.ts';
import type { Pod } from '@binnacle/api/core/v1';
import { pass, startTestNode, testMachine, testPod } from '../testing/node.ts';
import { shown } from '../testing/seen.ts';

async function restartCountOf(pod: Pod): Promise<number | undefined> {
  const t = await startTestNode();
  t.source.put(pod);
  await pass(t.clock, 200);
  const count = t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.restartCount;
  await t.scope.close();
  return count;
}

test('after the node lost everything, restarts are counted on from what the API was told', async () => {
  assert.equal(await restartCountOf(testPod()), 0);
  const told = {
    containerStatuses: [shown('main', { restartCount: 4, containerID: 'containerd://x', state: { running: {} } })],
  };
  assert.equal(await restartCountOf(testPod({ status: told })), 5);
  assert.equal(
    await restartCountOf(testPod({ status: { containerStatuses: [shown('main', { restartCount: 0 })] } })),
    0,
  );
});

test("a container is told the pod's address", async () => {
  const t = await startTestNode();
  t.source.put(
    testPod({
      container: { env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }], command: ['$(IP)'] },
    }),
  );
  const configs: (readonly string[])[] = [];
  const create = t.runtime.createContainer.bind(t.runtime);
  t.runtime.createContainer = (sandbox, config, pod) => {
    configs.push(config.command);
    return create(sandbox, config, pod);
  };
  await pass(t.clock, 100);
  assert.deepEqual(configs, [[t.kubelet.pods()[0]?.status.podIP]]);
  await t.scope.close();
});

test('a file that cannot be written is a configuration error with its reason', async () => {
  const files = createMemoryFiles();
  files.writeFile = () =>
    Promise.reject(Object.assign(new RangeError('ENOSPC: no space left on device'), { code: 'ENOSPC' }));
  const t = await startTestNode({ files });
  t.source.put(testPod());
  await pass(t.clock, 200);
  assert.deepEqual(t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.state?.waiting, {
    reason: 'CreateContainerConfigError',
    message: 'ENOSPC: no space left on device',
  });
  await t.scope.close();
});

test('after the runtime lost everything, the count goes on from the logs', async () => {
  const files = createMemoryFiles();
  const t = await startTestNode({ files, config: { podLogsDirectory: '/l' } });
  for (const n of [0, 1, 4]) files.append(`/l/default_web_uid-web/main/${n}.log`, 'x');
  t.source.put(testPod());
  await pass(t.clock, 200);
  assert.equal(t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.restartCount, 5);
  await t.scope.close();
});

test('while its sandbox is made, what a container needs without it is made ready, once', async () => {
  const files = createMemoryFiles();
  const t = await startTestNode({ files, config: { podLogsDirectory: '/l', rootDirectory: '/k' } });
  const gate = Promise.withResolvers<void>();
  const [run, look] = [t.runtime.runSandbox.bind(t.runtime), t.runtime.imageStatus.bind(t.runtime)];
  t.runtime.runSandbox = async (config) => {
    await gate.promise;
    return run(config);
  };
  let looks = 0;
  t.runtime.imageStatus = (image, pod) => {
    looks++;
    return look(image, pod);
  };
  t.source.put(testPod({ container: { terminationMessagePath: '/dev/termination-log' } }));
  await pass(t.clock, 200);
  const words = '/k/pods/uid-web/containers/main/0';
  assert.deepEqual(
    [looks, await files.kind(words), await files.kind('/l/default_web_uid-web/main')],
    [1, 'file', 'directory'],
  );
  gate.resolve();
  await pass(t.clock, 200);
  const state = t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.state;
  assert.deepEqual([looks, Object.keys(state ?? {})], [1, ['running']]);
  await t.scope.close();
});

test('what could not be made ready is told in its turn, and made then', async () => {
  const files = createMemoryFiles();
  const t = await startTestNode({ files });
  const write = files.writeFile.bind(files);
  let failures = 1;
  files.writeFile = (path, content, access) =>
    failures-- > 0 ? Promise.reject(new RangeError('EIO')) : write(path, content, access);
  t.source.put(testPod({ container: { terminationMessagePath: '/dev/termination-log' } }));
  await pass(t.clock, 200);
  const state = t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.state;
  assert.deepEqual(Object.keys(state ?? {}), ['running']);
  await t.scope.close();
});

test('a pod that starts asks the name servers that its node has then', async () => {
  let server = '192.0.2.53';
  const machine = { ...testMachine, resolvConf: async () => `nameserver ${server}\n` };
  const t = await startTestNode({ machine });
  const servers: (readonly string[])[] = [];
  const runSandbox = t.runtime.runSandbox.bind(t.runtime);
  t.runtime.runSandbox = (config) => {
    servers.push(config.dns.servers);
    return runSandbox(config);
  };
  t.source.put(testPod({ name: 'a', spec: { dnsPolicy: 'Default' } }));
  await pass(t.clock, 200);
  server = '198.51.100.53';
  t.source.put(testPod({ name: 'b', spec: { dnsPolicy: 'Default' } }));
  await pass(t.clock, 200);
  assert.deepEqual(servers, [['192.0.2.53'], ['198.51.100.53']]);
  await t.scope.close();
});

test('a file of variables is read anew at each start of a container', async () => {
  const files = createMemoryFiles();
  const t = await startTestNode({ files });
  const write = (text: string): Promise<void> =>
    files.writeFile(
      '/var/lib/kubelet/pods/uid-web/volumes/kubernetes.io~empty-dir/v/env',
      new TextEncoder().encode(text),
    );
  const fileKeyRef = { volumeName: 'v', path: 'env', key: 'K' };
  t.source.put(
    testPod({
      spec: { volumes: [{ name: 'v', emptyDir: {} }] },
      container: { env: [{ name: 'A', valueFrom: { fileKeyRef } }], command: ['$(A)'] },
    }),
  );
  const commands: (string | undefined)[] = [];
  const create = t.runtime.createContainer.bind(t.runtime);
  t.runtime.createContainer = (sandbox, config, pod) => {
    commands.push(config.command[0]);
    return create(sandbox, config, pod);
  };
  const waits = (): string | undefined => t.kubelet.pods()[0]?.status.containerStatuses?.[0]?.state?.waiting?.message;
  await pass(t.clock, 200);
  assert.deepEqual([commands, waits()], [[], "couldn't parse env file"]);
  await write("\u{feff}K='marked'\n");
  await pass(t.clock, 10_000);
  assert.match(waits() ?? '', /environment variable key "K" not found in file/);
  await write("K='one'\n");
  await pass(t.clock, 10_000);
  assert.deepEqual([commands, waits()], [['one'], undefined]);
  await write("K='two'\n");
  for (const { id } of await t.runtime.listContainers()) t.node.endContainer(id, 1);
  await pass(t.clock, 1_000);
  assert.deepEqual(commands, ['one', 'two']);
  await t.scope.close();
});
