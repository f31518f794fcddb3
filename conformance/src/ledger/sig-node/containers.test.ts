/** What a container is given and what becomes of it: commands, environment, identities, messages, ends. */
import assert from 'node:assert/strict';
import { CONFIG_MAPS, EVENTS, isPodReady, NODES, PODS, SECRETS, SERVICES } from '@binnacle/api';
import type { Container, ContainerStatus, EnvVar, Pod, PodSpec } from '@binnacle/api/core/v1';
import { ECHO_IMAGE, waitFor } from '@binnacle/testkit';
import { IMAGE, logOf, outputOf, podOf, runPod, shell, untilOne } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const statusOf = (pod: Pod | undefined, container = 'c'): ContainerStatus | undefined =>
  pod?.status?.containerStatuses?.find((one) => one.name === container);

async function atEnd(world: World, name: string, spec: Partial<PodSpec>): Promise<Pod> {
  await world.client.resource(PODS, world.namespace).create(podOf(name, { restartPolicy: 'Never', ...spec }));
  const over = (p: Pod): boolean => p.status?.phase === 'Succeeded' || p.status?.phase === 'Failed';
  return (await untilOne(world, PODS, { name, what: 'at its end', until: over })) as Pod;
}

async function environmentOf(world: World, container: Partial<Container>): Promise<Map<string, string>> {
  const text = await outputOf(world, 'pod', {
    containers: [{ name: 'c', image: IMAGE, command: ['env'], ...container }],
  });
  return new Map(
    text
      .trim()
      .split('\n')
      .map((line) => {
        const at = line.indexOf('=');
        return [line.slice(0, at), line.slice(at + 1)];
      }),
  );
}

behaviours('containers', 'environment', (check) => {
  const configMap = (world: World, data: { [key: string]: string }) =>
    world.client.resource(CONFIG_MAPS, world.namespace).create({ metadata: { name: 'source' }, data });
  const secret = (world: World, data: { [key: string]: string }) => {
    const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
    return world.client
      .resource(SECRETS, world.namespace)
      .create({ metadata: { name: 'source' }, data: Object.fromEntries(encoded) });
  };

  check(
    '[sig-node] ConfigMap should be consumable via environment variable [NodeConformance] [Conformance]',
    async (world) => {
      await configMap(world, { 'data-1': 'value-1' });
      const env = await environmentOf(world, {
        env: [{ name: 'CONFIG_DATA_1', valueFrom: { configMapKeyRef: { name: 'source', key: 'data-1' } } }],
      });
      assert.equal(env.get('CONFIG_DATA_1'), 'value-1');
    },
  );

  check(
    '[sig-node] ConfigMap should be consumable via the environment [NodeConformance] [Conformance]',
    async (world) => {
      await configMap(world, { data_1: 'value-1', data_2: 'value-2', data_3: 'value-3' });
      const env = await environmentOf(world, {
        envFrom: [{ configMapRef: { name: 'source' } }, { prefix: 'p-', configMapRef: { name: 'source' } }],
      });
      for (const n of [1, 2, 3]) {
        assert.equal(env.get(`data_${n}`), `value-${n}`);
        assert.equal(env.get(`p-data_${n}`), `value-${n}`);
      }
    },
  );

  check(
    '[sig-node] ConfigMap should be consumable as environment variable names with various prefixes [Conformance]',
    async (world) => {
      await configMap(world, { data_1: 'value-1' });
      const prefixes = ['p_', 'p-', 'p.', '1-', '$_'];
      const env = await environmentOf(world, {
        envFrom: prefixes.map((prefix) => ({ prefix, configMapRef: { name: 'source' } })),
      });
      for (const prefix of prefixes) assert.equal(env.get(`${prefix}data_1`), 'value-1', prefix);
    },
  );

  check(
    '[sig-node] Secrets should be consumable from pods in env vars [NodeConformance] [Conformance]',
    async (world) => {
      await secret(world, { 'data-1': 'value-1' });
      const env = await environmentOf(world, {
        env: [{ name: 'SECRET_DATA', valueFrom: { secretKeyRef: { name: 'source', key: 'data-1' } } }],
      });
      assert.equal(env.get('SECRET_DATA'), 'value-1');
    },
  );

  check(
    '[sig-node] Secrets should be consumable via the environment [NodeConformance] [Conformance]',
    async (world) => {
      await secret(world, { data_1: 'value-1', data_2: 'value-2', data_3: 'value-3' });
      const env = await environmentOf(world, {
        envFrom: [{ secretRef: { name: 'source' } }, { prefix: 'p_', secretRef: { name: 'source' } }],
      });
      for (const n of [1, 2, 3]) {
        assert.equal(env.get(`data_${n}`), `value-${n}`);
        assert.equal(env.get(`p_data_${n}`), `value-${n}`);
      }
    },
  );

  check(
    '[sig-node] Secrets should be consumable as environment variable names variable names with various prefixes [Conformance]',
    async (world) => {
      await secret(world, { data_1: 'value-1' });
      const prefixes = ['p_', 'p-', 'p.', '1-', '$_'];
      const env = await environmentOf(world, {
        envFrom: prefixes.map((prefix) => ({ prefix, secretRef: { name: 'source' } })),
      });
      for (const prefix of prefixes) assert.equal(env.get(`${prefix}data_1`), 'value-1', prefix);
    },
  );

  const field = (name: string, fieldPath: string): EnvVar => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  const amount = (name: string, resource: string): EnvVar => ({ name, valueFrom: { resourceFieldRef: { resource } } });
  const seen = async (world: World, env: EnvVar[], more: Partial<Container> = {}) => {
    const found = await environmentOf(world, { env, ...more });
    return { found, pod: await world.client.resource(PODS, world.namespace).get('pod') };
  };

  check(
    '[sig-node] Downward API should provide pod name, namespace and IP address as env vars [NodeConformance] [Conformance]',
    async (world) => {
      const { found, pod } = await seen(world, [
        field('POD_NAME', 'metadata.name'),
        field('POD_NAMESPACE', 'metadata.namespace'),
        field('POD_IP', 'status.podIP'),
      ]);
      assert.equal(found.get('POD_NAME'), 'pod');
      assert.equal(found.get('POD_NAMESPACE'), world.namespace);
      assert.match(found.get('POD_IP') ?? '', /^\d+\.\d+\.\d+\.\d+$/);
      assert.equal(found.get('POD_IP'), pod.status?.podIP);
    },
  );

  check(
    '[sig-node] Downward API should provide host IP as an env var [NodeConformance] [Conformance]',
    async (world) => {
      const { found, pod } = await seen(world, [field('HOST_IP', 'status.hostIP')]);
      assert.match(found.get('HOST_IP') ?? '', /^\d+\.\d+\.\d+\.\d+$/);
      assert.equal(found.get('HOST_IP'), pod.status?.hostIP);
    },
  );

  check(
    '[sig-node] Downward API should provide hostIPs as an env var [NodeConformance] [Conformance]',
    async (world) => {
      const { found, pod } = await seen(world, [field('HOST_IPS', 'status.hostIPs')]);
      assert.match(found.get('HOST_IPS') ?? '', /^\d+\.\d+\.\d+\.\d+/);
      assert.equal(found.get('HOST_IPS'), pod.status?.hostIPs?.map((one) => one.ip).join(','));
    },
  );

  check('[sig-node] Downward API should provide pod UID as env vars [NodeConformance] [Conformance]', async (world) => {
    const { found, pod } = await seen(world, [field('POD_UID', 'metadata.uid')]);
    assert.equal(found.get('POD_UID'), pod.metadata.uid);
  });

  const amounts = [amount('CPU_LIMIT', 'limits.cpu'), amount('MEMORY_LIMIT', 'limits.memory')];
  check(
    "[sig-node] Downward API should provide container's limits.cpu/memory and requests.cpu/memory as env vars [NodeConformance] [Conformance]",
    async (world) => {
      const { found } = await seen(
        world,
        [...amounts, amount('CPU_REQUEST', 'requests.cpu'), amount('MEMORY_REQUEST', 'requests.memory')],
        {
          resources: { requests: { cpu: '250m', memory: '32Mi' }, limits: { cpu: '1250m', memory: '64Mi' } },
        },
      );
      assert.deepEqual(
        ['CPU_LIMIT', 'MEMORY_LIMIT', 'CPU_REQUEST', 'MEMORY_REQUEST'].map((name) => found.get(name)),
        ['2', '67108864', '1', '33554432'],
      );
    },
  );

  check(
    '[sig-node] Downward API should provide default limits.cpu/memory from node allocatable [NodeConformance] [Conformance]',
    async (world) => {
      const { found } = await seen(world, amounts);
      const [node] = (await world.client.resource(NODES).list()).items;
      const { cpu = '', memory = '' } = node?.status?.allocatable ?? {};
      assert.equal(
        found.get('CPU_LIMIT'),
        String(cpu.endsWith('m') ? Math.ceil(Number.parseInt(cpu, 10) / 1000) : Number(cpu)),
      );
      assert.equal(Number(found.get('MEMORY_LIMIT')), Number.parseInt(memory, 10) * (memory.endsWith('Ki') ? 1024 : 1));
    },
  );

  check(
    '[sig-node] Pods should contain environment variables for services [NodeConformance] [Conformance]',
    async (world) => {
      await runPod(world, 'server');
      const service = await world.client.resource(SERVICES, world.namespace).create({
        metadata: { name: 'fooservice' },
        spec: { selector: { app: 'server' }, ports: [{ port: 8765, targetPort: 8080 }] },
      });
      const env = await environmentOf(world, {});
      const ip = service.spec.clusterIP ?? '';
      assert.deepEqual(
        [
          'SERVICE_HOST',
          'SERVICE_PORT',
          'PORT',
          'PORT_8765_TCP_PORT',
          'PORT_8765_TCP_PROTO',
          'PORT_8765_TCP',
          'PORT_8765_TCP_ADDR',
        ].map((name) => env.get(`FOOSERVICE_${name}`)),
        [ip, '8765', `tcp://${ip}:8765`, '8765', 'tcp', `tcp://${ip}:8765`, ip],
      );
    },
  );

  check(
    '[sig-node] Variable Expansion should allow composing env vars into new env vars [NodeConformance] [Conformance]',
    async (world) => {
      const env = await environmentOf(world, {
        env: [
          { name: 'FOO', value: 'foo-value' },
          { name: 'BAR', value: 'bar-value' },
          { name: 'FOOBAR', value: '$(FOO);;$(BAR)' },
        ],
      });
      assert.equal(env.get('FOOBAR'), 'foo-value;;bar-value');
    },
  );
});

behaviours('containers', 'commands', (check) => {
  const expanded = { env: [{ name: 'TEST_VAR', value: 'test-value' }] };
  check(
    "[sig-node] Variable Expansion should allow substituting values in a container's command [NodeConformance] [Conformance]",
    async (world) => {
      const text = await outputOf(world, 'pod', {
        containers: [
          { name: 'c', image: IMAGE, command: ['sh', '-c', 'TEST_VAR=wrong; echo "$(TEST_VAR)"'], ...expanded },
        ],
      });
      assert.equal(text, 'test-value\n');
    },
  );

  check(
    "[sig-node] Variable Expansion should allow substituting values in a container's args [NodeConformance] [Conformance]",
    async (world) => {
      const text = await outputOf(world, 'pod', {
        containers: [
          { name: 'c', image: IMAGE, command: ['sh', '-c'], args: ['TEST_VAR=wrong; echo "$(TEST_VAR)"'], ...expanded },
        ],
      });
      assert.equal(text, 'test-value\n');
    },
  );

  check(
    "[sig-node] Containers should be able to override the image's default command (container entrypoint) [NodeConformance] [Conformance]",
    async (world) => {
      assert.equal(
        await outputOf(world, 'pod', {
          containers: [{ name: 'c', image: IMAGE, command: ['echo', 'override', 'command'] }],
        }),
        'override command\n',
      );
    },
  );

  check(
    "[sig-node] Containers should be able to override the image's default arguments (container cmd) [NodeConformance] [Conformance]",
    async (world) => {
      assert.equal(
        await outputOf(world, 'pod', {
          containers: [{ name: 'c', image: ECHO_IMAGE, args: ['override', 'arguments'] }],
        }),
        'override arguments\n',
      );
    },
  );

  check(
    "[sig-node] Containers should be able to override the image's default command and arguments [NodeConformance] [Conformance]",
    async (world) => {
      assert.equal(
        await outputOf(world, 'pod', {
          containers: [{ name: 'c', image: IMAGE, command: ['echo'], args: ['override', 'arguments'] }],
        }),
        'override arguments\n',
      );
    },
  );

  check(
    '[sig-node] Containers should use the image defaults if command and args are blank [NodeConformance] [Conformance]',
    async (world) => {
      // The image's own command is a web server on port 80.
      const pod = await runPod(world, 'pod');
      const text = await outputOf(world, 'asks', {
        containers: [shell(`wget -q -O - http://${pod.status?.podIP}/ > /tmp/page && wc -c < /tmp/page`)],
      });
      assert.ok(Number(text) > 0, 'a page');
    },
  );
});

behaviours('containers', 'ends and messages', (check) => {
  const PATH = '/dev/termination-log';
  const messages: readonly {
    codename: string;
    container: Partial<Container>;
    script: string;
    phase: string;
    message: string;
    pod?: Partial<PodSpec>;
  }[] = [
    {
      codename:
        '[sig-node] Container Runtime blackbox test on terminated container should report termination message if TerminationMessagePath is set as non-root user and at a non-default path [NodeConformance] [Conformance]',
      container: { terminationMessagePath: '/dev/termination-custom-log', securityContext: { runAsUser: 1000 } },
      script: 'echo -n DONE > /dev/termination-custom-log',
      phase: 'Succeeded',
      message: 'DONE',
    },
    {
      codename:
        '[sig-node] Container Runtime blackbox test on terminated container should report termination message from log output if TerminationMessagePolicy FallbackToLogsOnError is set [NodeConformance] [Conformance]',
      container: { terminationMessagePath: PATH, terminationMessagePolicy: 'FallbackToLogsOnError' },
      script: 'echo -n DONE; exit 1',
      phase: 'Failed',
      message: 'DONE',
    },
    {
      codename:
        '[sig-node] Container Runtime blackbox test on terminated container should report termination message as empty when pod succeeds and TerminationMessagePolicy FallbackToLogsOnError is set [NodeConformance] [Conformance]',
      container: { terminationMessagePath: PATH, terminationMessagePolicy: 'FallbackToLogsOnError' },
      script: 'echo DONE; exit 0',
      phase: 'Succeeded',
      message: '',
    },
    {
      codename:
        '[sig-node] Container Runtime blackbox test on terminated container should report termination message from file when pod succeeds and TerminationMessagePolicy FallbackToLogsOnError is set [NodeConformance] [Conformance]',
      container: { terminationMessagePath: PATH, terminationMessagePolicy: 'FallbackToLogsOnError' },
      script: `echo -n OK > ${PATH}; echo DONE; exit 0`,
      phase: 'Succeeded',
      message: 'OK',
    },
  ];
  for (const row of messages) {
    check(row.codename, async (world) => {
      const pod = await atEnd(world, 'pod', { containers: [shell(row.script, row.container)] });
      assert.equal(pod.status?.phase, row.phase);
      assert.equal(statusOf(pod)?.state?.terminated?.message ?? '', row.message);
    });
  }

  check(
    '[sig-node] Container Runtime blackbox test when starting a container that exits should run with the expected status [NodeConformance] [Conformance]',
    async (world) => {
      // The first two runs fail, the third one ends well; the count of runs is kept in a volume.
      const script = 'n=$(cat /r/n 2>/dev/null || echo 0); n=$((n+1)); echo $n > /r/n; [ $n -ge 3 ]';
      const spec = (restartPolicy: 'Always' | 'OnFailure' | 'Never'): Partial<PodSpec> => ({
        restartPolicy,
        containers: [
          shell(restartPolicy === 'Always' ? `${script} && sleep 3600` : script, {
            volumeMounts: [{ name: 'r', mountPath: '/r' }],
          }),
        ],
        volumes: [{ name: 'r', emptyDir: {} }],
      });
      const pods = world.client.resource(PODS, world.namespace);
      for (const policy of ['Always', 'OnFailure', 'Never'] as const)
        await pods.create(podOf(policy.toLowerCase(), spec(policy)));
      const wait = (name: string, what: string, until: (p: Pod) => boolean): Promise<Pod | undefined> =>
        waitFor({
          client: world.client,
          resource: PODS,
          namespace: world.namespace,
          name,
          what,
          deadlineMs: 90_000,
          until: (all) => all[0] !== undefined && until(all[0]),
        }).then(([p]) => p);
      const [always, onFailure, never] = await Promise.all([
        wait('always', 'running after two failures', (p) => isPodReady(p) && statusOf(p)?.restartCount === 2),
        wait('onfailure', 'succeeded', (p) => p.status?.phase === 'Succeeded'),
        wait('never', 'failed', (p) => p.status?.phase === 'Failed'),
      ]);
      assert.ok(statusOf(always)?.state?.running);
      assert.equal(statusOf(onFailure)?.restartCount, 2);
      assert.equal(statusOf(onFailure)?.state?.terminated?.exitCode, 0);
      assert.equal(statusOf(never)?.restartCount, 0);
      assert.equal(statusOf(never)?.state?.terminated?.exitCode, 1);
    },
  );

  check(
    '[sig-node] Kubelet when scheduling a busybox command in a pod should print the output to logs [NodeConformance] [Conformance]',
    async (world) => {
      assert.equal(
        await outputOf(world, 'pod', { containers: [shell("echo 'Hello World' ; sleep 0.1")] }),
        'Hello World\n',
      );
    },
  );

  check(
    '[sig-node] Kubelet when scheduling a busybox command that always fails in a pod should have an terminated reason [NodeConformance] [Conformance]',
    async (world) => {
      const pod = await atEnd(world, 'pod', { containers: [{ name: 'c', image: IMAGE, command: ['/bin/false'] }] });
      const { terminated } = statusOf(pod)?.state ?? {};
      assert.ok((terminated?.exitCode ?? 0) > 0);
      assert.equal(terminated?.reason, 'Error');
    },
  );

  check(
    '[sig-node] Kubelet when scheduling a busybox command that always fails in a pod should be possible to delete [NodeConformance] [Conformance]',
    async (world) => {
      const pods = world.client.resource(PODS, world.namespace);
      await pods.create(podOf('pod', { containers: [{ name: 'c', image: IMAGE, command: ['/bin/false'] }] }));
      await untilOne(world, PODS, {
        name: 'pod',
        what: 'restarted',
        until: (p) => statusOf(p)?.lastState?.terminated !== undefined || statusOf(p)?.state?.terminated !== undefined,
      });
      await pods.delete('pod');
      await untilOne(world, PODS, { name: 'pod', what: 'gone' });
    },
  );

  check(
    '[sig-node] Kubelet when scheduling a read only busybox container should not write to root filesystem [LinuxOnly] [NodeConformance] [Conformance]',
    async (world) => {
      const pod = await atEnd(world, 'pod', {
        containers: [shell('echo test > /file; cat /file', { securityContext: { readOnlyRootFilesystem: true } })],
      });
      assert.equal(pod.status?.phase, 'Failed');
      assert.match(await logOf(world, 'pod'), /Read-only file system/);
    },
  );

  check(
    '[sig-node] Kubelet when scheduling an agnhost Pod with hostAliases should write entries to /etc/hosts [NodeConformance] [Conformance]',
    async (world) => {
      const text = await outputOf(world, 'pod', {
        hostAliases: [{ ip: '123.45.67.89', hostnames: ['foo', 'bar'] }],
        containers: [shell('cat /etc/hosts')],
      });
      assert.match(text, /^# Entries added by HostAliases\.\n123\.45\.67\.89\tfoo\tbar$/m);
    },
  );

  check(
    '[sig-node] KubeletManagedEtcHosts should test kubelet managed /etc/hosts file [NodeConformance] [Conformance]',
    async (world) => {
      const mounted = { volumeMounts: [{ name: 'hosts', mountPath: '/etc/hosts' }] };
      const hostPath = [{ name: 'hosts', hostPath: { path: '/etc/hosts', type: 'File' as const } }];
      const managed = await outputOf(world, 'managed', { containers: [shell('cat /etc/hosts')], volumes: hostPath });
      assert.match(managed, /^# Kubernetes-managed hosts file\.$/m);
      const own = await outputOf(world, 'own', { containers: [shell('cat /etc/hosts', mounted)], volumes: hostPath });
      assert.doesNotMatch(own, /Kubernetes-managed/, 'the container mounts its own');
      const network = await outputOf(world, 'network', { hostNetwork: true, containers: [shell('cat /etc/hosts')] });
      assert.doesNotMatch(network, /^# Kubernetes-managed hosts file\.$/m, 'the host network has the host’s file');
    },
  );
});

behaviours('containers', 'init containers', (check) => {
  const init = (name: string, command = '/bin/true'): Container => ({ name, image: IMAGE, command: [command] });
  const initStatuses = (pod: Pod | undefined) => pod?.status?.initContainerStatuses ?? [];
  const isInitialized = (pod: Pod | undefined, status: 'True' | 'False'): boolean =>
    pod?.status?.conditions?.some((c) => c.type === 'Initialized' && c.status === status) === true;

  check(
    '[sig-node] InitContainer [NodeConformance] should invoke init containers on a RestartNever pod [Conformance]',
    async (world) => {
      const pod = await atEnd(world, 'pod', {
        initContainers: [init('init1'), init('init2')],
        containers: [{ name: 'c', image: IMAGE, command: ['/bin/true'] }],
      });
      assert.equal(pod.status?.phase, 'Succeeded');
      assert.ok(isInitialized(pod, 'True'));
      assert.equal(initStatuses(pod).length, 2);
      for (const status of initStatuses(pod)) assert.equal(status.state?.terminated?.exitCode, 0);
    },
  );

  check(
    '[sig-node] InitContainer [NodeConformance] should invoke init containers on a RestartAlways pod [Conformance]',
    async (world) => {
      const pod = await runPod(world, 'pod', {
        restartPolicy: 'Always',
        initContainers: [init('init1'), init('init2')],
      });
      assert.equal(pod.status?.phase, 'Running');
      assert.ok(isInitialized(pod, 'True'));
      assert.equal(initStatuses(pod).length, 2);
      for (const status of initStatuses(pod)) {
        assert.equal(status.ready, true);
        assert.equal(status.state?.terminated?.exitCode, 0);
      }
    },
  );

  check(
    '[sig-node] InitContainer [NodeConformance] should not start app containers if init containers fail on a RestartAlways pod [Conformance]',
    async (world) => {
      const pods = world.client.resource(PODS, world.namespace);
      await pods.create(
        podOf('pod', { restartPolicy: 'Always', initContainers: [init('init1', '/bin/false'), init('init2')] }),
      );
      const [pod] = await waitFor({
        client: world.client,
        resource: PODS,
        namespace: world.namespace,
        name: 'pod',
        what: 'three restarts of the first init container',
        deadlineMs: 90_000,
        until: (all) => (initStatuses(all[0])[0]?.restartCount ?? 0) >= 3,
      });
      assert.equal(pod?.status?.phase, 'Pending');
      assert.ok(isInitialized(pod, 'False'));
      assert.ok(initStatuses(pod)[1]?.state?.waiting, 'the second never ran');
      assert.equal(statusOf(pod)?.state?.waiting?.reason, 'PodInitializing');
      const condition = pod?.status?.conditions?.find((c) => c.type === 'Initialized');
      assert.equal(condition?.reason, 'ContainersNotInitialized');
      assert.equal(condition?.message, 'containers with incomplete status: [init1 init2]');
    },
  );

  check(
    '[sig-node] InitContainer [NodeConformance] should not start app containers and fail the pod if init containers fail on a RestartNever pod [Conformance]',
    async (world) => {
      const pod = await atEnd(world, 'pod', { initContainers: [init('init1'), init('init2', '/bin/false')] });
      assert.equal(pod.status?.phase, 'Failed');
      assert.ok(isInitialized(pod, 'False'));
      assert.equal(initStatuses(pod)[0]?.state?.terminated?.exitCode, 0);
      assert.ok((initStatuses(pod)[1]?.state?.terminated?.exitCode ?? 0) > 0);
      assert.ok(statusOf(pod)?.state?.waiting, 'the container never ran');
    },
  );
});

behaviours('containers', 'security', (check) => {
  const identity = 'id -u; id -g';
  check(
    '[sig-node] Security Context When creating a container with runAsUser should run the container with uid 65534 [LinuxOnly] [NodeConformance] [Conformance]',
    async (world) => {
      assert.equal(
        await outputOf(world, 'pod', { containers: [shell('id -u', { securityContext: { runAsUser: 65534 } })] }),
        '65534\n',
      );
    },
  );

  check(
    '[sig-node] Security Context should support container.SecurityContext.RunAsUser And container.SecurityContext.RunAsGroup [LinuxOnly] [Conformance]',
    async (world) => {
      const text = await outputOf(world, 'pod', {
        securityContext: { runAsUser: 5, runAsGroup: 6 },
        containers: [shell(identity, { securityContext: { runAsUser: 1001, runAsGroup: 2002 } })],
      });
      assert.equal(text, '1001\n2002\n');
    },
  );

  check(
    '[sig-node] Security Context should support pod.Spec.SecurityContext.RunAsUser And pod.Spec.SecurityContext.RunAsGroup [LinuxOnly] [Conformance]',
    async (world) => {
      assert.equal(
        await outputOf(world, 'pod', {
          securityContext: { runAsUser: 1001, runAsGroup: 2002 },
          containers: [shell(identity)],
        }),
        '1001\n2002\n',
      );
    },
  );

  check(
    '[sig-node] Security Context When creating a pod with readOnlyRootFilesystem should run the container with writable rootfs when readOnlyRootFilesystem=false [NodeConformance] [Conformance]',
    async (world) => {
      assert.equal(
        await outputOf(world, 'pod', {
          containers: [shell('echo here > /file && cat /file', { securityContext: { readOnlyRootFilesystem: false } })],
        }),
        'here\n',
      );
    },
  );

  check(
    '[sig-node] Security Context When creating a pod with privileged should run the container as unprivileged when false [LinuxOnly] [NodeConformance] [Conformance]',
    async (world) => {
      const text = await outputOf(world, 'pod', {
        containers: [shell('ip link add ledger0 type bridge || true', { securityContext: { privileged: false } })],
      });
      assert.match(text, /Operation not permitted/);
    },
  );

  check(
    '[sig-node] Security Context when creating containers with AllowPrivilegeEscalation should not allow privilege escalation when false [LinuxOnly] [NodeConformance] [Conformance]',
    async (world) => {
      const text = await outputOf(world, 'pod', {
        containers: [
          shell('grep NoNewPrivs /proc/self/status; id -u', {
            securityContext: { allowPrivilegeEscalation: false, runAsUser: 1000 },
          }),
        ],
      });
      assert.match(text, /^NoNewPrivs:\t1\n1000\n$/);
    },
  );

  check(
    '[sig-node] Sysctls [LinuxOnly] [NodeConformance] should support sysctls [Environment:NotInUserNS] [Conformance]',
    async (world) => {
      const text = await outputOf(world, 'pod', {
        securityContext: { sysctls: [{ name: 'kernel.shm_rmid_forced', value: '1' }] },
        containers: [shell('cat /proc/sys/kernel/shm_rmid_forced')],
      });
      assert.equal(text, '1\n');
    },
  );

  check(
    '[sig-node] Sysctls [LinuxOnly] [NodeConformance] should reject invalid sysctls [Conformance]',
    async (world) => {
      const sysctls = ['foo-', 'kernel.shmmax', 'safe-and-unsafe', 'bar..'].map((name) => ({
        name,
        value: '100000000',
      }));
      const answer = await world.http(`/api/v1/namespaces/${world.namespace}/pods`, {
        method: 'POST',
        body: { apiVersion: 'v1', kind: 'Pod', ...podOf('pod', { securityContext: { sysctls } }) },
      });
      assert.equal(answer.code, 422);
      const { message } = answer.json<{ message: string }>();
      assert.match(message, /Invalid value: "foo-"/);
      assert.match(message, /Invalid value: "bar\.\."/);
      assert.doesNotMatch(message, /safe-and-unsafe|kernel\.shmmax/);
    },
  );
});

behaviours('containers', 'probes and hooks', (check) => {
  const serving = (script: string): string => `${script}; exec httpd -f -p 8080 -h /www`;
  const quick = { periodSeconds: 1, failureThreshold: 1, initialDelaySeconds: 1 };
  const restarted = (world: World, name: string, times = 1): Promise<readonly Pod[]> =>
    waitFor({
      client: world.client,
      resource: PODS,
      namespace: world.namespace,
      name,
      what: `${name}: ${times} restarts`,
      deadlineMs: 120_000,
      until: (all) => (statusOf(all[0])?.restartCount ?? 0) >= times,
    });
  /** Ready, and still without a restart after some rounds of the probe: as long as another pod takes to end. */
  const steady = async (world: World, name: string): Promise<void> => {
    await untilOne(world, PODS, { name, what: 'ready', until: isPodReady });
    await outputOf(world, 'timer', { containers: [shell('sleep 4')] });
    const pod = await world.client.resource(PODS, world.namespace).get(name);
    assert.equal(statusOf(pod)?.restartCount, 0);
    assert.ok(isPodReady(pod));
  };
  const lasting = (server: string): string =>
    `mkdir -p /www; echo ok > /www/healthz; echo ok > /tmp/health; exec ${server}`;

  const kills: readonly [codename: string, script: string, probe: object][] = [
    [
      '[sig-node] Probing container should be restarted with a exec "cat /tmp/health" liveness probe [NodeConformance] [Conformance]',
      'echo ok > /tmp/health; sleep 2; rm -f /tmp/health; sleep 600',
      { exec: { command: ['cat', '/tmp/health'] } },
    ],
    [
      '[sig-node] Probing container should be restarted with a /healthz http liveness probe [NodeConformance] [Conformance]',
      serving('mkdir -p /www; echo ok > /www/healthz; (sleep 2; rm /www/healthz) & true'),
      { httpGet: { path: '/healthz', port: 8080 } },
    ],
  ];
  for (const [codename, script, probe] of kills) {
    check(codename, async (world) => {
      await world.client
        .resource(PODS, world.namespace)
        .create(podOf('pod', { containers: [shell(script, { livenessProbe: { ...probe, ...quick } })] }));
      await restarted(world, 'pod');
      const events = await waitFor({
        client: world.client,
        resource: EVENTS,
        namespace: world.namespace,
        what: 'the events',
        until: (all) => all.some((e) => e.reason === 'Killing'),
      });
      assert.ok(events.some((e) => e.reason === 'Unhealthy' && (e.message ?? '').startsWith('Liveness probe failed')));
    });
  }

  const lives: readonly [codename: string, server: string, probe: object][] = [
    [
      '[sig-node] Probing container should *not* be restarted with a exec "cat /tmp/health" liveness probe [NodeConformance] [Conformance]',
      'sleep 600',
      { exec: { command: ['cat', '/tmp/health'] } },
    ],
    [
      '[sig-node] Probing container should *not* be restarted with a /healthz http liveness probe [NodeConformance] [Conformance]',
      'httpd -f -p 8080 -h /www',
      { httpGet: { path: '/healthz', port: 8080 } },
    ],
    [
      '[sig-node] Probing container should *not* be restarted with a tcp:8080 liveness probe [NodeConformance] [Conformance]',
      'httpd -f -p 8080 -h /www',
      { tcpSocket: { port: 8080 } },
    ],
  ];
  for (const [codename, server, probe] of lives) {
    check(codename, async (world) => {
      await world.client.resource(PODS, world.namespace).create(
        podOf('pod', {
          containers: [shell(lasting(server), { livenessProbe: { ...probe, ...quick } })],
        }),
      );
      await steady(world, 'pod');
    });
  }

  check(
    '[sig-node] Probing container should have monotonically increasing restart count [NodeConformance] [Conformance]',
    async (world) => {
      const counts: number[] = [];
      const handle = world.client.resource(PODS, world.namespace).watch(
        { fieldSelector: 'metadata.name=pod' },
        {
          events: (batch) => batch.forEach((event) => counts.push(statusOf(event.object)?.restartCount ?? 0)),
          end: () => {},
        },
      );
      await world.client.resource(PODS, world.namespace).create(
        podOf('pod', {
          containers: [shell('sleep 600', { livenessProbe: { exec: { command: ['false'] }, ...quick } })],
        }),
      );
      await restarted(world, 'pod', 3);
      handle.stop();
      assert.deepEqual(
        counts,
        counts.toSorted((a, b) => a - b),
      );
    },
  );

  check(
    '[sig-node] Probing container with readiness probe should not be ready before initial delay and never restart [NodeConformance] [Conformance]',
    async (world) => {
      const pod = await runPod(world, 'pod', {
        containers: [
          shell('sleep 600', {
            readinessProbe: { exec: { command: ['true'] }, initialDelaySeconds: 3, periodSeconds: 1 },
          }),
        ],
      });
      const started = Date.parse(String(statusOf(pod)?.state?.running?.startedAt));
      const readyAt = Date.parse(String(pod.status?.conditions?.find((c) => c.type === 'Ready')?.lastTransitionTime));
      assert.ok(readyAt - started >= 2000, `ready ${readyAt - started} ms after its start`);
      assert.equal(statusOf(pod)?.restartCount, 0);
    },
  );

  check(
    '[sig-node] Probing container with readiness probe that fails should never be ready and never restart [NodeConformance] [Conformance]',
    async (world) => {
      let everReady = false;
      const handle = world.client
        .resource(PODS, world.namespace)
        .watch(
          { fieldSelector: 'metadata.name=pod' },
          { events: (batch) => batch.forEach((event) => (everReady ||= isPodReady(event.object))), end: () => {} },
        );
      await world.client.resource(PODS, world.namespace).create(
        podOf('pod', {
          restartPolicy: 'Never',
          containers: [shell('sleep 4', { readinessProbe: { exec: { command: ['false'] }, periodSeconds: 1 } })],
        }),
      );
      await untilOne(world, PODS, { name: 'pod', what: 'at its end', until: (p) => p.status?.phase === 'Succeeded' });
      handle.stop();
      assert.equal(everReady, false);
      assert.equal(statusOf(await world.client.resource(PODS, world.namespace).get('pod'))?.restartCount, 0);
    },
  );
});
