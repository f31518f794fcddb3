/** What people type: the machine's real kubectl against the cluster. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DEPLOYMENTS, PODS, REPLICATION_CONTROLLERS, SERVICES } from '@binnacle/api';
import { findKubectl, kubectlOutput, makeFolder, runKubectl, TestkitError } from '@binnacle/testkit';
import { IMAGE, makeController, podOf, ready, runPod, untilOne, untilPods } from '../objects.ts';
import type { Thing } from '../api-operations.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const found = await findKubectl();

function kubectl(world: World, args: readonly string[], input?: string): Promise<string> {
  if (found === undefined) throw new TestkitError('this machine has no kubectl');
  return kubectlOutput(found, world.kubeconfig, ['--namespace', world.namespace, ...args], input);
}

/** Starts `kubectl proxy` and hands its first line on; ends it afterwards. */
async function proxied(world: World, args: readonly string[], use: (line: string) => Promise<void>): Promise<void> {
  const child = spawn(found?.path ?? 'kubectl', ['proxy', ...args], {
    env: { ...process.env, KUBECONFIG: world.kubeconfig },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const line = await new Promise<string>((resolve, reject) => {
      createInterface(child.stdout).once('line', resolve);
      child.once('error', reject);
      child.once('exit', (code) => reject(new TestkitError(`kubectl proxy ended with ${code}`)));
    });
    await use(line);
  } finally {
    child.removeAllListeners('exit');
    child.kill();
  }
}

function getJson<T>(options: { socketPath?: string; port?: number; path: string }): Promise<T> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', ...options, agent: false }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part: string) => (text += part));
      reply.once('end', () => resolve(JSON.parse(text) as T));
    });
    asked.once('error', reject);
    asked.end();
  });
}

behaviours('simulated', 'kubectl', (check) => {
  check(
    '[sig-cli] Kubectl client Kubectl api-versions should check if v1 is in available api versions [Conformance]',
    async (world) => {
      assert.ok((await kubectl(world, ['api-versions'])).split('\n').includes('v1'));
    },
  );

  check(
    '[sig-cli] Kubectl client Kubectl cluster-info should check if Kubernetes control plane services is included in cluster-info [Conformance]',
    async (world) => {
      const text = (await kubectl(world, ['cluster-info'])).replaceAll(/[^\n -~]\[[\d;]*m/g, '');
      assert.match(text, /Kubernetes control plane is running at https:/);
    },
  );

  check('[sig-cli] Kubectl client Kubectl version should check is all data is printed [Conformance]', async (world) => {
    const version = String.raw`v\d\.\d+\.[\w.+-]+`;
    const text = await kubectl(world, ['version']);
    for (const side of ['Client', 'Server']) assert.match(text, new RegExp(`${side} Version: ${version}`));
    const { clientVersion, serverVersion } = JSON.parse(await kubectl(world, ['version', '-o', 'json'])) as {
      [side: string]: { [what: string]: string };
    };
    for (const said of [clientVersion, serverVersion]) {
      assert.match(said?.['major'] ?? '', /^\d+$/);
      assert.match(said?.['minor'] ?? '', /^\d+\+?$/);
      assert.match(said?.['gitVersion'] ?? '', new RegExp(`^${version}$`));
      assert.match(said?.['gitCommit'] ?? '', /^[0-9a-f]{40}$/);
    }
  });

  check('[sig-cli] Kubectl client Kubectl label should update the label on a resource [Conformance]', async (world) => {
    await runPod(world, 'pause');
    await kubectl(world, ['label', 'pods', 'pause', 'testing-label=testing-label-value']);
    assert.match(await kubectl(world, ['get', 'pod', 'pause', '-L', 'testing-label']), /testing-label-value/);
    assert.match(
      await kubectl(world, ['get', 'pod', '-l', 'testing-label=testing-label-value', '-o', 'name']),
      /pod\/pause/,
    );
    await kubectl(world, ['label', 'pods', 'pause', 'testing-label-']);
    assert.doesNotMatch(await kubectl(world, ['get', 'pod', 'pause', '-L', 'testing-label']), /testing-label-value/);
  });

  check('[sig-cli] Kubectl client Kubectl patch should add annotations for pods in rc [Conformance]', async (world) => {
    await makeController(world, 'agnhost', 1).rc();
    const pods = await untilPods(world, { app: 'agnhost', what: 'one' }, ready(1));
    for (const { metadata } of pods)
      await kubectl(world, ['patch', 'pod', metadata.name ?? '', '-p', '{"metadata":{"annotations":{"x":"y"}}}']);
    for (const pod of await untilPods(world, { app: 'agnhost', what: 'annotated' }, ready(1)))
      assert.equal(pod.metadata.annotations?.['x'], 'y');
  });

  check(
    '[sig-cli] Kubectl client Kubectl run pod should create a pod from an image when restart is Never [Conformance]',
    async (world) => {
      await kubectl(world, ['run', 'e2e-test-httpd-pod', '--restart=Never', `--image=${IMAGE}`]);
      const pod = await world.client.resource(PODS, world.namespace).get('e2e-test-httpd-pod');
      assert.deepEqual(
        pod.spec.containers.map((c) => c.image),
        [IMAGE],
      );
      assert.equal(pod.spec.restartPolicy, 'Never');
    },
  );

  check(
    "[sig-cli] Kubectl client Kubectl replace should update a single-container pod's image [Conformance]",
    async (world) => {
      await runPod(world, 'e2e-test-httpd-pod');
      const text = await kubectl(world, ['get', 'pod', 'e2e-test-httpd-pod', '-o', 'json']);
      // Whatever version it has by then: the kubelet may write its status in between.
      const { metadata, ...rest } = JSON.parse(
        text.replaceAll(`"image": "${IMAGE}"`, '"image": "busybox:1.29"'),
      ) as Thing;
      const { resourceVersion: _, ...unconditional } = metadata;
      await kubectl(world, ['replace', '-f', '-'], JSON.stringify({ ...rest, metadata: unconditional }));
      const pod = await world.client.resource(PODS, world.namespace).get('e2e-test-httpd-pod');
      assert.deepEqual(
        pod.spec.containers.map((c) => c.image),
        ['busybox:1.29'],
      );
    },
  );

  check(
    '[sig-cli] Kubectl client Kubectl server-side dry-run should check if kubectl can dry-run update Pods [Conformance]',
    async (world) => {
      await kubectl(world, ['run', 'e2e-test-httpd-pod', `--image=${IMAGE}`, '--labels=run=e2e-test-httpd-pod']);
      await kubectl(world, [
        'patch',
        'pod',
        'e2e-test-httpd-pod',
        '-p',
        '{"spec":{"containers":[{"name":"e2e-test-httpd-pod","image":"busybox:1.29"}]}}',
        '--dry-run=server',
      ]);
      const pod = await world.client.resource(PODS, world.namespace).get('e2e-test-httpd-pod');
      assert.deepEqual(
        pod.spec.containers.map((c) => c.image),
        [IMAGE],
        'nothing has changed',
      );
    },
  );

  check(
    '[sig-cli] Kubectl client Kubectl diff should check if kubectl diff finds a difference for Deployments [Conformance]',
    async (world) => {
      await makeController(world, 'httpd-deployment', 1).deployment();
      const live = await world.client.resource(DEPLOYMENTS, world.namespace).get('httpd-deployment');
      const [container] = live.spec.template.spec?.containers ?? [];
      const declared = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'httpd-deployment' },
        spec: {
          ...live.spec,
          template: { ...live.spec.template, spec: { containers: [{ ...container, image: 'busybox:1.29' }] } },
        },
      };
      if (found === undefined) throw new TestkitError('this machine has no kubectl');
      const done = await runKubectl(
        found,
        world.kubeconfig,
        ['--namespace', world.namespace, 'diff', '-f', '-'],
        JSON.stringify(declared),
      );
      assert.equal(done.code, 1, `there is a difference: ${done.stderr}`);
      for (const line of [
        /^-\s+- ?image: binnacle|^-.*image: binnacle\.local\/frontend:1\.0/m,
        /^\+.*image: busybox:1\.29/m,
      ])
        assert.match(done.stdout, line);
    },
  );

  check('[sig-cli] Kubectl client Kubectl expose should create services for rc [Conformance]', async (world) => {
    await makeController(world, 'agnhost-primary', 1).rc();
    await kubectl(world, ['expose', 'rc', 'agnhost-primary', '--name=rm2', '--port=1234', '--target-port=6379']);
    await kubectl(world, ['expose', 'service', 'rm2', '--name=rm3', '--port=2345', '--target-port=6379']);
    for (const [name, port] of [
      ['rm2', 1234],
      ['rm3', 2345],
    ] as const) {
      const service = await world.client.resource(SERVICES, world.namespace).get(name);
      assert.deepEqual(
        service.spec.ports?.map((p) => [p.port, p.targetPort]),
        [[port, 6379]],
      );
      assert.deepEqual(service.spec.selector, { app: 'agnhost-primary' });
    }
  });

  check(
    '[sig-cli] Kubectl client Kubectl describe should check if kubectl describe prints relevant information for rc and pods [Conformance]',
    async (world) => {
      await makeController(world, 'agnhost-primary', 1).rc();
      const [pod] = await untilPods(world, { app: 'agnhost-primary', what: 'one' }, ready(1));
      await world.client.resource(SERVICES, world.namespace).create({
        metadata: { name: 'agnhost-primary', labels: { app: 'agnhost-primary' } },
        spec: { selector: { app: 'agnhost-primary' }, ports: [{ port: 6379, targetPort: 6379 }] },
      });
      const has = async (args: readonly string[], lines: readonly [string, string][]): Promise<void> => {
        const text = await kubectl(world, ['describe', ...args]);
        for (const [field, value] of lines) {
          assert.ok(
            text.split('\n').some((line) => line.trimStart().startsWith(field) && line.includes(value)),
            `${field} ${value} in\n${text}`,
          );
        }
      };
      const name = pod?.metadata.name ?? '';
      await has(
        ['pod', name],
        [
          ['Name:', 'agnhost-primary-'],
          ['Namespace:', world.namespace],
          ['Node:', pod?.spec.nodeName ?? ''],
          ['Labels:', 'app=agnhost-primary'],
          ['Status:', 'Running'],
          ['IP:', pod?.status?.podIP ?? ''],
          ['Controlled By:', 'ReplicationController/agnhost-primary'],
          ['Image:', IMAGE],
          ['State:', 'Running'],
          ['QoS Class:', 'BestEffort'],
        ],
      );
      // The pod runs before its controller says so.
      await untilOne(world, REPLICATION_CONTROLLERS, {
        name: 'agnhost-primary',
        what: 'counted',
        until: (rc) => rc.status?.replicas === 1,
      });
      await has(
        ['rc', 'agnhost-primary'],
        [
          ['Name:', 'agnhost-primary'],
          ['Namespace:', world.namespace],
          ['Selector:', 'app=agnhost-primary'],
          ['Replicas:', '1 current / 1 desired'],
          ['Pods Status:', '1 Running / 0 Waiting / 0 Succeeded / 0 Failed'],
          ['Image:', IMAGE],
        ],
      );
      await has(
        ['service', 'agnhost-primary'],
        [
          ['Name:', 'agnhost-primary'],
          ['Namespace:', world.namespace],
          ['Selector:', 'app=agnhost-primary'],
          ['Type:', 'ClusterIP'],
          ['IP:', '.'],
          ['Port:', '6379/TCP'],
          ['Session Affinity:', 'None'],
        ],
      );
      await has(
        ['node', pod?.spec.nodeName ?? ''],
        [
          ['Name:', pod?.spec.nodeName ?? ''],
          ['Labels:', '='],
          ['CreationTimestamp:', ''],
          ['Ready', 'True'],
          ['Addresses:', ''],
          ['Capacity:', ''],
          ['Kubelet Version:', 'v1.'],
          ['PodCIDR:', ''],
        ].slice(0, 7) as [string, string][],
      );
      await has(
        ['namespace', world.namespace],
        [
          ['Name:', world.namespace],
          ['Labels:', ''],
          ['Annotations:', ''],
          ['Status:', 'Active'],
          ['No resource quota', ''],
          ['No LimitRange resource', ''],
        ],
      );
    },
  );

  check(
    '[sig-cli] Kubectl client Update Demo should create and stop a replication controller [Conformance]',
    async (world) => {
      const manifest = {
        apiVersion: 'v1',
        kind: 'ReplicationController',
        metadata: { name: 'update-demo-nautilus' },
        spec: {
          replicas: 2,
          selector: { app: 'update-demo' },
          template: { metadata: { labels: { app: 'update-demo' } }, spec: podOf('x').spec },
        },
      };
      await kubectl(world, ['create', '-f', '-'], JSON.stringify(manifest));
      await untilPods(world, { app: 'update-demo', what: 'two' }, ready(2));
      await kubectl(world, ['delete', '--grace-period=0', '--force', '-f', '-'], JSON.stringify(manifest));
      await untilPods(world, { app: 'update-demo', what: 'gone' }, (pods) => pods.length === 0);
    },
  );

  check('[sig-cli] Kubectl client Update Demo should scale a replication controller [Conformance]', async (world) => {
    await makeController(world, 'update-demo', 2).rc();
    await untilPods(world, { app: 'update-demo', what: 'two' }, ready(2));
    for (const count of [1, 2]) {
      await kubectl(world, ['scale', 'rc', 'update-demo', `--replicas=${count}`, '--timeout=1m']);
      await untilPods(world, { app: 'update-demo', what: `${count}` }, ready(count));
    }
  });

  check('[sig-cli] Kubectl client Proxy server should support proxy with --port 0 [Conformance]', async (world) => {
    await proxied(world, ['--port=0', '--disable-filter'], async (line) => {
      const port = Number(/:(\d+)/.exec(line)?.[1]);
      assert.ok((await getJson<{ versions: string[] }>({ port, path: '/api/' })).versions.length > 0);
    });
  });

  check('[sig-cli] Kubectl client Proxy server should support --unix-socket=/path [Conformance]', async (world) => {
    const folder = makeFolder();
    const socketPath = join(folder.path, 'proxy.sock');
    try {
      await proxied(world, [`--unix-socket=${socketPath}`], async () => {
        assert.ok((await getJson<{ versions: string[] }>({ socketPath, path: '/api/' })).versions.length > 0);
      });
    } finally {
      folder.remove();
    }
  });
});
