/** What a pod may ask for, seen from inside real containers: they write what they see and serve it over HTTP. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { CONFIG_MAPS, EVENTS, isPodReady, PODS, SECRETS } from '@binnacle/api';
import type { Container, Pod, PodSpec } from '@binnacle/api/core/v1';
import type { Client, Draft } from '@binnacle/client';
import {
  containerPids,
  fetchPage,
  freePort,
  lookUntil,
  skipWithoutContainerd,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const NAMESPACE = 'default';
const skip = await skipWithoutContainerd();
/** Everything below /out is what a container found. */
const SERVE = 'exec httpd -f -p 80 -h /out';
const OUT = { name: 'out', mountPath: '/out' };
const outVolume = { name: 'out', emptyDir: {} };

function shell(script: string, more: Partial<Container> = {}): Container {
  // Ready means here that what the script found can be fetched.
  const served = script.includes(SERVE) ? { readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 } } : {};
  return { name: 'c', image: IMAGE, command: ['sh', '-c', script], ...served, ...more };
}

function nameservers(resolvConf: string): string[] {
  return [...resolvConf.matchAll(/^nameserver\s+(\S+)/gm)].map((m) => m[1] as string);
}

function podOf(name: string, spec: PodSpec): Draft<Pod> {
  return { metadata: { name, labels: { colour: 'green' } }, spec: { terminationGracePeriodSeconds: 0, ...spec } };
}

describe('pods on containerd', { skip, concurrency: 4 }, () => {
  let cluster: OneProcessCluster;
  let client: Client;
  before(async () => {
    cluster = await startContainerdCluster();
    client = cluster.client;
  });
  after(() => cluster?.stop());

  const untilPod = async (name: string, what: string, until: (pod: Pod) => boolean): Promise<Pod> => {
    const [pod] = await waitFor({
      client,
      resource: PODS,
      namespace: NAMESPACE,
      name,
      what: `${name}: ${what}`,
      until: (all) => all[0] !== undefined && until(all[0]),
    });
    return pod as Pod;
  };
  const create = (name: string, spec: PodSpec): Promise<Pod> =>
    client.resource(PODS, NAMESPACE).create(podOf(name, spec));
  const createReady = async (name: string, spec: PodSpec): Promise<Pod> => {
    await create(name, spec);
    return untilPod(name, 'ready', isPodReady);
  };
  const pageOf = async (pod: Pod, path: string): Promise<string> => {
    const reply = await fetchPage(pod.status?.podIP ?? '', path);
    assert.equal(reply.code, 200, path);
    return reply.body;
  };
  const untilEvent = (pod: string, reason: string, message: RegExp): Promise<unknown> =>
    waitFor({
      client,
      resource: EVENTS,
      namespace: NAMESPACE,
      what: `event ${reason} of ${pod}`,
      until: (all) =>
        all.some((e) => e.involvedObject.name === pod && e.reason === reason && message.test(e.message ?? '')),
    });

  test('environment: values, references, the pod itself, services; expansion of command and args', async () => {
    await client
      .resource(CONFIG_MAPS, NAMESPACE)
      .create({ metadata: { name: 'env-map' }, data: { COLOUR: 'blue', SHAPE: 'round' } });
    await client
      .resource(SECRETS, NAMESPACE)
      .create({ metadata: { name: 'env-secret' }, data: { password: Buffer.from('s3cret').toString('base64') } });
    const pod = await createReady('env', {
      volumes: [outVolume],
      containers: [
        {
          name: 'c',
          image: IMAGE,
          command: ['sh', '-c', `env > /out/env; echo "$0 $1 $2" > /out/args; ${SERVE}`],
          readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 },
          args: ['$(GREETING)', '$$(GREETING)', '$(MISSING)'],
          volumeMounts: [OUT],
          resources: { limits: { memory: '64Mi' } },
          envFrom: [{ prefix: 'MAP_', configMapRef: { name: 'env-map' } }],
          env: [
            { name: 'GREETING', value: 'hello' },
            { name: 'COMPOSED', value: '$(GREETING) world' },
            { name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'env-map', key: 'COLOUR' } } },
            { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'env-secret', key: 'password' } } },
            { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            { name: 'LABEL', valueFrom: { fieldRef: { fieldPath: "metadata.labels['colour']" } } },
            { name: 'MEMORY', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } },
          ],
        },
      ],
    });
    const env = new Map(
      (await pageOf(pod, '/env')).split('\n').map((l) => [l.split('=')[0], l.slice(l.indexOf('=') + 1)]),
    );
    const expected = {
      GREETING: 'hello',
      COMPOSED: 'hello world',
      COLOUR: 'blue',
      MAP_COLOUR: 'blue',
      MAP_SHAPE: 'round',
      PASSWORD: 's3cret',
      POD_NAME: 'env',
      POD_IP: pod.status?.podIP,
      LABEL: 'green',
      MEMORY: `${64 * 1024 * 1024}`,
      HOSTNAME: 'env',
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      KUBERNETES_SERVICE_PORT: '443',
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(env.get(name), value, name);
    assert.equal(await pageOf(pod, '/args'), 'hello $(GREETING) $(MISSING)\n');
  });

  test('volumes: emptyDir, configMap, secret, projected with a token; a changed map reaches the container', async () => {
    const maps = client.resource(CONFIG_MAPS, NAMESPACE);
    await maps.create({ metadata: { name: 'files' }, data: { 'a.txt': 'one', 'b.txt': 'two' } });
    await client
      .resource(SECRETS, NAMESPACE)
      .create({ metadata: { name: 'keys' }, data: { key: Buffer.from('secret\n').toString('base64') } });
    const pod = await createReady('volumes', {
      volumes: [
        { name: 'map', configMap: { name: 'files', items: [{ key: 'a.txt', path: 'deep/a' }] } },
        { name: 'live', configMap: { name: 'files' } },
        { name: 'keys', secret: { secretName: 'keys', defaultMode: 0o400 } },
        {
          name: 'all',
          projected: {
            sources: [
              { configMap: { name: 'files' } },
              { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
              { serviceAccountToken: { path: 'token', audience: 'test', expirationSeconds: 3600 } },
            ],
          },
        },
        outVolume,
        { name: 'memory', emptyDir: { medium: 'Memory' } },
      ],
      containers: [
        shell(
          [
            'cp /map/deep/a /out/map; ls -R /map > /out/tree',
            'cp /keys/key /out/secret; stat -Lc %a /keys/key > /out/mode; mount | grep " /keys " > /out/keys-mount',
            'cat /all/b.txt /all/name > /out/projected; cut -d. -f2 /all/token > /out/claims',
            'mount | grep " /memory " > /out/memory',
            'ls /var/run/secrets/kubernetes.io/serviceaccount > /out/account',
            'cat /etc/hosts > /out/hosts; cat /etc/resolv.conf > /out/resolv',
            'ln -s /live /out/live',
            SERVE,
          ].join('; '),
          {
            volumeMounts: [
              { name: 'map', mountPath: '/map' },
              { name: 'live', mountPath: '/live' },
              { name: 'keys', mountPath: '/keys', readOnly: true },
              { name: 'all', mountPath: '/all' },
              { name: 'memory', mountPath: '/memory' },
              OUT,
            ],
          },
        ),
      ],
    });
    assert.equal(await pageOf(pod, '/map'), 'one');
    assert.doesNotMatch(await pageOf(pod, '/tree'), /b\.txt/);
    assert.equal(await pageOf(pod, '/secret'), 'secret\n');
    assert.equal(await pageOf(pod, '/mode'), '400\n');
    assert.match(await pageOf(pod, '/keys-mount'), /^tmpfs on \/keys .*\bro\b/);
    assert.equal(await pageOf(pod, '/projected'), 'twovolumes');
    assert.match(await pageOf(pod, '/memory'), /^tmpfs on \/memory /);
    assert.deepEqual((await pageOf(pod, '/account')).trim().split('\n'), ['ca.crt', 'namespace', 'token']);
    assert.match(await pageOf(pod, '/hosts'), new RegExp(`^${pod.status?.podIP}\\s+volumes$`, 'm'));
    assert.deepEqual(nameservers(await pageOf(pod, '/resolv')), ['10.96.0.10']);
    const claims = JSON.parse(Buffer.from((await pageOf(pod, '/claims')).trim(), 'base64url').toString());
    assert.deepEqual(claims.aud, ['test']);
    assert.equal(claims.sub, 'system:serviceaccount:default:default');
    assert.equal(claims['kubernetes.io'].pod.name, 'volumes');

    assert.equal(await pageOf(pod, '/live/a.txt'), 'one');
    await maps.patch('files', 'merge', { data: { 'a.txt': 'changed' } });
    // The container sees a file change, nobody tells the test: a second container's probe waits for it instead.
    const watcher = await createReady('volume-watcher', {
      volumes: [{ name: 'live', configMap: { name: 'files' } }],
      containers: [
        shell('until grep -q again /live/a.txt; do sleep 0.1; done; exit 0', {
          volumeMounts: [{ name: 'live', mountPath: '/live' }],
        }),
      ],
      restartPolicy: 'Never',
    });
    assert.equal(watcher.status?.phase, 'Running');
    await maps.patch('files', 'merge', { data: { 'a.txt': 'changed again' } });
    await untilPod('volume-watcher', 'the change', (p) => p.status?.phase === 'Succeeded');
    // Each pod's files are written for themselves: of two that hear of a change one is first.
    const look = (): Promise<string> => pageOf(pod, '/live/a.txt');
    const until = (page: string): boolean => page === 'changed again';
    await lookUntil({ what: 'the change in the other pod', look, until, deadlineMs: 20_000 });
  });

  test('init containers run one after the other, before the others, and share volumes', async () => {
    const pod = await createReady('initialised', {
      volumes: [outVolume],
      initContainers: [
        shell('echo first >> /out/log', { name: 'first', volumeMounts: [OUT] }),
        shell('sleep 0.2; echo second >> /out/log', { name: 'second', volumeMounts: [OUT] }),
      ],
      containers: [shell(`echo main >> /out/log; ${SERVE}`, { volumeMounts: [OUT] })],
    });
    assert.equal(await pageOf(pod, '/log'), 'first\nsecond\nmain\n');
    for (const init of pod.status?.initContainerStatuses ?? []) {
      assert.equal(init.state?.terminated?.reason, 'Completed');
      assert.equal(init.ready, true);
    }
    await create('init-fails', {
      restartPolicy: 'Never',
      initContainers: [shell('exit 3', { name: 'bad' })],
      containers: [shell(SERVE)],
    });
    const failed = await untilPod('init-fails', 'failure', (p) => p.status?.phase === 'Failed');
    assert.equal(failed.status?.initContainerStatuses?.[0]?.state?.terminated?.exitCode, 3);
    assert.equal(failed.status?.containerStatuses?.[0]?.state?.waiting?.reason, 'PodInitializing');
    assert.equal(failed.status?.conditions?.find((c) => c.type === 'Initialized')?.status, 'False');
  });

  test('a failing liveness probe restarts the container; readiness gates Ready', async () => {
    await createReady('alive', {
      volumes: [outVolume],
      containers: [
        // The file outlives the container: the second life has no time bomb.
        shell(`if [ -e /out/lived ]; then ${SERVE}; fi; touch /out/lived /tmp/ok; sleep 1; rm /tmp/ok; sleep 1000`, {
          volumeMounts: [OUT],
          livenessProbe: {
            exec: { command: ['sh', '-c', 'test -e /tmp/ok || nc -z 127.0.0.1 80'] },
            periodSeconds: 1,
            failureThreshold: 2,
          },
        }),
      ],
    });
    await untilPod('alive', 'the restart', (p) => p.status?.containerStatuses?.[0]?.restartCount === 1);
    await untilEvent('alive', 'Unhealthy', /^Liveness probe failed: /);
    await untilEvent('alive', 'Killing', /^Container c failed liveness probe, will be restarted$/);

    await create('gated', {
      volumes: [outVolume],
      containers: [
        shell(`sleep 1.5; touch /out/ready; ${SERVE}`, {
          volumeMounts: [OUT],
          readinessProbe: { httpGet: { path: '/ready', port: 80 }, periodSeconds: 1 },
        }),
      ],
    });
    const waiting = await untilPod('gated', 'running', (p) => p.status?.phase === 'Running');
    assert.ok(!isPodReady(waiting));
    const condition = waiting.status?.conditions?.find((c) => c.type === 'Ready');
    assert.deepEqual(
      [condition?.status, condition?.reason, condition?.message],
      ['False', 'ContainersNotReady', 'containers with unready status: [c]'],
    );
    await untilPod('gated', 'ready', isPodReady);
  });

  test('identity and file system: runAsUser, readOnlyRootFilesystem, resources', async () => {
    const pod = await createReady('secured', {
      volumes: [outVolume],
      securityContext: { fsGroup: 2000 },
      containers: [
        shell(
          [
            'id -u > /out/uid; id -g > /out/gid; id -G > /out/groups',
            '(touch /cannot 2>&1; true) > /out/root',
            'grep CapEff /proc/self/status > /out/caps; grep NoNewPrivs /proc/self/status > /out/nnp',
            'exec httpd -f -p 8080 -h /out',
          ].join('; '),
          {
            volumeMounts: [OUT],
            securityContext: {
              runAsUser: 1234,
              runAsGroup: 4321,
              readOnlyRootFilesystem: true,
              allowPrivilegeEscalation: false,
              capabilities: { drop: ['ALL'] },
            },
            resources: { requests: { cpu: '100m' }, limits: { cpu: '200m', memory: '32Mi' } },
            readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
          },
        ),
      ],
    });
    const page = async (path: string): Promise<string> =>
      (await fetchPage(pod.status?.podIP ?? '', path, 8080)).body.trim();
    assert.equal(await page('/uid'), '1234');
    assert.equal(await page('/gid'), '4321');
    assert.match(await page('/groups'), /\b2000\b/);
    assert.match(await page('/root'), /Read-only file system/);
    assert.match(await page('/caps'), /^CapEff:\s+0+$/);
    assert.match(await page('/nnp'), /1$/);
    assert.equal(pod.status?.qosClass, 'Burstable');
    await create('no-root', { containers: [shell(SERVE, { securityContext: { runAsNonRoot: true } })] });
    const refused = await untilPod(
      'no-root',
      'the refusal',
      (p) => p.status?.containerStatuses?.[0]?.state?.waiting?.reason === 'CreateContainerConfigError',
    );
    assert.match(
      refused.status?.containerStatuses?.[0]?.state?.waiting?.message ?? '',
      /container has runAsNonRoot and image will run as root/,
    );
  });

  test('hostNetwork: the address of the node, its ports, its loopback', async () => {
    const server = createServer((_request, reply) => reply.end('from the host'));
    const hostPort = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
    try {
      const port = await freePort();
      const pod = await createReady('on-host', {
        hostNetwork: true,
        volumes: [outVolume],
        containers: [
          shell(`wget -qO /out/seen http://127.0.0.1:${hostPort}/; exec httpd -f -p 127.0.0.1:${port} -h /out`, {
            volumeMounts: [OUT],
            readinessProbe: { httpGet: { host: '127.0.0.1', path: '/seen', port }, periodSeconds: 1 },
          }),
        ],
      });
      assert.equal(pod.status?.podIP, pod.status?.hostIP);
      assert.equal((await fetchPage('127.0.0.1', '/seen', port)).body, 'from the host');
    } finally {
      server.close();
    }
  });

  test('how a pod ends: exit codes, restart policies, deadline, termination message', async () => {
    await create('succeeds', { restartPolicy: 'Never', containers: [shell('echo bye > /dev/termination-log')] });
    await create('fails', { restartPolicy: 'Never', containers: [shell('exit 7')] });
    await create('retries', {
      restartPolicy: 'OnFailure',
      volumes: [outVolume],
      containers: [shell('if [ -e /out/x ]; then exit 0; fi; touch /out/x; exit 1', { volumeMounts: [OUT] })],
    });
    await create('late', { activeDeadlineSeconds: 1, containers: [shell('sleep 1000')] });
    const done = await untilPod('succeeds', 'Succeeded', (p) => p.status?.phase === 'Succeeded');
    assert.equal(done.status?.containerStatuses?.[0]?.state?.terminated?.message, 'bye\n');
    assert.equal(done.status?.conditions?.find((c) => c.type === 'Ready')?.reason, 'PodCompleted');
    const failed = await untilPod('fails', 'Failed', (p) => p.status?.phase === 'Failed');
    assert.equal(failed.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 7);
    const retried = await untilPod('retries', 'Succeeded', (p) => p.status?.phase === 'Succeeded');
    assert.equal(retried.status?.containerStatuses?.[0]?.restartCount, 1);
    const late = await untilPod('late', 'DeadlineExceeded', (p) => p.status?.phase === 'Failed');
    assert.equal(late.status?.reason, 'DeadlineExceeded');
  });

  test('graceful termination: SIGTERM, preStop before it, SIGKILL after the grace', async () => {
    const graceful = await createReady('graceful', {
      terminationGracePeriodSeconds: 20,
      containers: [
        shell('trap "exit 0" TERM; while true; do sleep 0.1; done', {
          lifecycle: { preStop: { exec: { command: ['sh', '-c', 'sleep 0.3'] } } },
        }),
      ],
    });
    const stubborn = await createReady('stubborn', {
      terminationGracePeriodSeconds: 1,
      containers: [shell('trap "" TERM; while true; do sleep 0.1; done')],
    });
    const began = performance.now();
    const gone = async (pod: Pod): Promise<number> => {
      const name = pod.metadata.name ?? '';
      await client.resource(PODS, NAMESPACE).delete(name);
      await waitFor({
        client,
        resource: PODS,
        namespace: NAMESPACE,
        name,
        what: `${name} to go`,
        until: (all) => all.length === 0,
      });
      assert.deepEqual(containerPids(pod.status?.containerStatuses?.[0]?.containerID ?? ''), []);
      return performance.now() - began;
    };
    const [gracefulMs, stubbornMs] = await Promise.all([gone(graceful), gone(stubborn)]);
    assert.ok(gracefulMs > 300 && gracefulMs < 10_000, `graceful went after ${gracefulMs} ms`);
    assert.ok(stubbornMs > 1000 && stubbornMs < 10_000, `stubborn went after ${stubbornMs} ms`);
  });

  test('what is not supported or not there is refused visibly', async () => {
    await create('confined', {
      containers: [shell(SERVE, { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } })],
    });
    await create('no-image', { containers: [{ name: 'c', image: 'binnacle.local/none:1', imagePullPolicy: 'Never' }] });
    await create('no-map', {
      containers: [shell(SERVE, { envFrom: [{ configMapRef: { name: 'not-there' } }] })],
    });
    await create('no-command', {
      restartPolicy: 'Never',
      containers: [{ name: 'c', image: IMAGE, command: ['/not-there'] }],
    });
    const waiting = (pod: Pod): string | undefined => pod.status?.containerStatuses?.[0]?.state?.waiting?.reason;
    const confined = await untilPod(
      'confined',
      'the refusal',
      (p) => waiting(p) !== undefined && waiting(p) !== 'ContainerCreating',
    );
    assert.match(confined.status?.containerStatuses?.[0]?.state?.waiting?.message ?? '', /appArmorProfile/);
    await waitFor({
      client,
      resource: EVENTS,
      namespace: NAMESPACE,
      what: 'an event that names the field',
      until: (all) => all.some((e) => e.involvedObject.name === 'confined' && /appArmorProfile/.test(e.message ?? '')),
    });
    await untilPod('no-image', 'ErrImageNeverPull', (p) => waiting(p) === 'ErrImageNeverPull');
    const map = await untilPod(
      'no-map',
      'CreateContainerConfigError',
      (p) => waiting(p) === 'CreateContainerConfigError',
    );
    assert.equal(map.status?.containerStatuses?.[0]?.state?.waiting?.message, 'configmap "not-there" not found');
    const command = await untilPod('no-command', 'Failed', (p) => p.status?.phase === 'Failed');
    const ended = command.status?.containerStatuses?.[0]?.state?.terminated;
    assert.deepEqual([ended?.exitCode, ended?.reason], [128, 'StartError']);
  });
});
