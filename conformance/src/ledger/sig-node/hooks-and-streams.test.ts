/** Real containers (on containerd) that are talked to: hooks, commands and logs over WebSocket, debugging, tokens. */
import assert from 'node:assert/strict';
import { CONFIG_MAPS, NODES, PODS, SERVICE_ACCOUNTS } from '@binnacle/api';
import type { Container, Lifecycle } from '@binnacle/api/core/v1';
import { loadKubeconfig } from '@binnacle/client/node';
import { WebSocket } from 'ws';
import { requests, writeAgain } from '../api-operations.ts';
import { IMAGE, logOf, outputOf, runPod, shell, untilOne } from '../objects.ts';
import { exec, FOREVER, kubectl, serve, untilLog } from '../real-containers.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const pods = (world: World) => world.client.resource(PODS, world.namespace);

behaviours('containers', 'hooks', (check) => {
  const hooked = async (world: World, lifecycle: (server: string) => Lifecycle): Promise<void> => {
    const container = shell(FOREVER, { lifecycle: lifecycle(await serve(world, 'server')) });
    await runPod(world, 'hooked', { containers: [container], terminationGracePeriodSeconds: 20 });
  };
  const end = async (world: World): Promise<void> => {
    await pods(world).delete('hooked');
    await untilOne(world, PODS, { name: 'hooked', what: 'gone' });
  };
  const wget = (server: string, path: string) => ({
    exec: { command: ['sh', '-c', `wget -qO- http://${server}:8080/${path}`] },
  });
  const httpGet = (server: string, path: string) => ({ httpGet: { path: `/${path}`, host: server, port: 8080 } });

  for (const [name, action] of [
    ['exec', wget],
    ['http', httpGet],
  ] as const) {
    const afterStart = async (world: World): Promise<void> => {
      await hooked(world, (server) => ({ postStart: action(server, 'poststart') }));
      await untilLog(world, { pod: 'server' }, /url:\/poststart/);
      await end(world);
    };
    const beforeStop = async (world: World): Promise<void> => {
      await hooked(world, (server) => ({ preStop: action(server, 'prestop') }));
      assert.doesNotMatch(await logOf(world, 'server'), /url:\/prestop/);
      await end(world);
      await untilLog(world, { pod: 'server' }, /url:\/prestop/);
    };
    if (name === 'exec') {
      check(
        '[sig-node] Container Lifecycle Hook when create a pod with lifecycle hook should execute poststart exec hook properly [NodeConformance] [Conformance]',
        afterStart,
      );
      check(
        '[sig-node] Container Lifecycle Hook when create a pod with lifecycle hook should execute prestop exec hook properly [NodeConformance] [Conformance]',
        beforeStop,
      );
    } else {
      check(
        '[sig-node] Container Lifecycle Hook when create a pod with lifecycle hook should execute poststart http hook properly [NodeConformance] [Conformance]',
        afterStart,
      );
      check(
        '[sig-node] Container Lifecycle Hook when create a pod with lifecycle hook should execute prestop http hook properly [NodeConformance] [Conformance]',
        beforeStop,
      );
    }
  }

  check('[sig-node] PreStop should call prestop when killing a pod [Conformance]', async (world) => {
    await hooked(world, (server) => ({ preStop: wget(server, 'write') }));
    assert.doesNotMatch(await logOf(world, 'server'), /url:\/write/);
    await end(world);
    await untilLog(world, { pod: 'server' }, /url:\/write/);
  });
});

/** Opens a WebSocket to a path of the API and reads it to its end. */
async function readSocket(world: World, path: string, protocol: string): Promise<Buffer[]> {
  const { wire } = await loadKubeconfig(world.kubeconfig);
  const { ca, cert, key } = wire;
  const url = new URL(path, wire.server.replace(/^http/, 'ws'));
  return new Promise((resolve, reject) => {
    const messages: Buffer[] = [];
    const socket = new WebSocket(url, [protocol], { ca, cert, key, handshakeTimeout: 10_000 });
    const timer = setTimeout(() => socket.terminate(), 20_000);
    socket.on('message', (data: Buffer) => messages.push(data));
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(messages);
    });
  });
}

behaviours('containers', 'streams', (check) => {
  const alive = (world: World) => runPod(world, 'pod', { containers: [shell(`echo container is alive; ${FOREVER}`)] });
  const at = (world: World) => `/api/v1/namespaces/${world.namespace}/pods/pod`;

  check(
    '[sig-node] Pods should support remote command execution over websockets [NodeConformance] [Conformance]',
    async (world) => {
      await alive(world);
      const query = 'stderr=1&stdout=1&container=c&command=echo&command=remote+execution+test';
      const messages = await readSocket(world, `${at(world)}/exec?${query}`, 'channel.k8s.io');
      const said = messages.filter((m) => m.length > 1);
      assert.ok(said.every((m) => m[0] === 1));
      assert.equal(Buffer.concat(said.map((m) => m.subarray(1))).toString(), 'remote execution test\n');
    },
  );

  check(
    '[sig-node] Pods should support retrieving logs from the container over websockets [NodeConformance] [Conformance]',
    async (world) => {
      await runPod(world, 'talker', { containers: [shell(`echo container is alive; ${FOREVER}`)] });
      await untilLog(world, { pod: 'talker' }, /alive/);
      const path = `/api/v1/namespaces/${world.namespace}/pods/talker/log?container=c`;
      const messages = await readSocket(world, path, 'binary.k8s.io');
      assert.equal(Buffer.concat(messages).toString(), 'container is alive\n');
      const encoded = await readSocket(world, path, 'base64.binary.k8s.io');
      const texts = encoded.map((m) => Buffer.from(m.toString(), 'base64'));
      assert.equal(Buffer.concat(texts).toString(), 'container is alive\n');
    },
  );

  const debug = async (world: World): Promise<void> => {
    assert.equal((await alive(world)).metadata.generation, 1);
    const debugger_ = {
      ...shell('while true; do echo polo; sleep 2; done', { stdin: true, tty: true }),
      name: 'debugger',
    };
    await requests(world, `/api/v1/namespaces/${world.namespace}/pods`).strategic(
      'pod',
      { spec: { ephemeralContainers: [debugger_] } },
      '/ephemeralcontainers',
    );
    const pod = await untilOne(world, PODS, {
      name: 'pod',
      what: 'debugged',
      until: (p) => p.status?.ephemeralContainerStatuses?.[0]?.state?.running !== undefined,
    });
    assert.equal(pod?.metadata.generation, 2);
    assert.match(await exec(world, 'pod -c debugger', ['/bin/echo', 'marco']), /marco/);
    await untilLog(world, { pod: 'pod', container: 'debugger' }, /polo/);
  };
  check(
    '[sig-node] Ephemeral Containers [NodeConformance] will start an ephemeral container in an existing pod [Conformance]',
    debug,
  );
  check(
    '[sig-node] Ephemeral Containers [NodeConformance] should update the ephemeral containers in an existing pod [Conformance]',
    async (world) => {
      await debug(world);
      const api = requests(world, `/api/v1/namespaces/${world.namespace}/pods`);
      const names = async (): Promise<string[]> => {
        const { spec } = await api.get('pod', '/ephemeralcontainers');
        return (spec as { ephemeralContainers: Container[] }).ephemeralContainers.map((c) => c.name);
      };
      assert.deepEqual(await names(), ['debugger']);
      await writeAgain(async () => {
        const seen = await api.get('pod');
        const spec = seen.spec as { ephemeralContainers: Container[] };
        const second = { name: 'debugger2', image: IMAGE, imagePullPolicy: 'IfNotPresent' as const };
        const ephemeralContainers = [...spec.ephemeralContainers, { ...second, terminationMessagePolicy: 'File' }];
        return api.update({ ...seen, spec: { ...spec, ephemeralContainers } }, '/ephemeralcontainers');
      });
      assert.deepEqual(await names(), ['debugger', 'debugger2']);
    },
  );

  check('[sig-cli] Kubectl logs logs should be able to retrieve and filter logs [Conformance]', async (world) => {
    const script =
      'n=0; while [ $n -lt 1000 ]; do echo "$n GET /api/v1/namespaces/kube-system/pods/p"; n=$((n+1)); sleep 0.2; done';
    await runPod(world, 'pod', { containers: [shell(script)] });
    const logs = (...args: string[]): Promise<string> => kubectl(world, ['logs', 'pod', 'c', ...args]);
    const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
    // Lines of more than two seconds.
    await untilLog(world, { pod: 'pod' }, /^15 GET \/api\/v1\/namespaces\/kube-system/m);
    assert.equal(lines(await logs('--tail=1')).length, 1);
    assert.equal((await logs('--limit-bytes=1')).length, 1);
    const [line = ''] = lines(await logs('--tail=1', '--timestamps'));
    const [time = '', ...words] = line.split(' ');
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
    assert.ok(words.length > 1);
    const recent = lines(await logs('--since=1s')).length;
    const older = lines(await logs('--since=24h')).length;
    assert.ok(recent < older, `${recent} < ${older}`);
  });
});

behaviours('containers', 'tokens', (check) => {
  const ROOT = '/var/run/secrets/kubernetes.io/serviceaccount';

  check('[sig-auth] ServiceAccounts should mount an API token into pods [Conformance]', async (world) => {
    await world.client.resource(SERVICE_ACCOUNTS, world.namespace).create({ metadata: { name: 'mount-test' } });
    const pod = await runPod(world, 'pod', {
      serviceAccountName: 'mount-test',
      restartPolicy: 'Never',
      containers: [shell(FOREVER)],
    });
    const file = (name: string): Promise<string> => exec(world, 'pod', ['cat', `${ROOT}/${name}`]);
    const rootCA = await world.client.resource(CONFIG_MAPS, world.namespace).get('kube-root-ca.crt');
    assert.equal(await file('ca.crt'), rootCA.data?.['ca.crt']);
    assert.equal(await file('namespace'), world.namespace);
    const answer = await world.http('/apis/authentication.k8s.io/v1/tokenreviews', {
      method: 'POST',
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: await file('token') },
      },
    });
    type Review = {
      status: { authenticated: boolean; error?: string; user: { username: string; groups: string[]; extra: object } };
    };
    const { status } = answer.json<Review>();
    assert.equal(status.authenticated, true);
    assert.equal(status.error ?? '', '');
    assert.equal(status.user.username, `system:serviceaccount:${world.namespace}:mount-test`);
    for (const group of ['system:authenticated', 'system:serviceaccounts', `system:serviceaccounts:${world.namespace}`])
      assert.ok(status.user.groups.includes(group), group);
    const node = await world.client.resource(NODES).get(pod.spec.nodeName ?? '');
    const extra = status.user.extra as { [key: string]: string[] };
    const of = 'authentication.kubernetes.io';
    assert.match(extra[`${of}/credential-id`]?.[0] ?? '', /^JTI=/);
    assert.deepEqual(extra[`${of}/pod-name`], ['pod']);
    assert.deepEqual(extra[`${of}/pod-uid`], [pod.metadata.uid]);
    assert.deepEqual(extra[`${of}/node-name`], [node.metadata.name]);
    assert.deepEqual(extra[`${of}/node-uid`], [node.metadata.uid]);
  });

  check('[sig-auth] ServiceAccounts should mount projected service account token [Conformance]', async (world) => {
    const text = await outputOf(world, 'pod', {
      containers: [
        shell('cat /test-volume/token', {
          volumeMounts: [{ name: 'test-volume', mountPath: '/test-volume', readOnly: true }],
        }),
      ],
      volumes: [
        {
          name: 'test-volume',
          projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3600 } }] },
        },
      ],
    });
    assert.match(text, /^[A-Za-z0-9-_=]+\.[A-Za-z0-9-_=]+\.?[A-Za-z0-9-_.+/=]*$/);
  });
});
