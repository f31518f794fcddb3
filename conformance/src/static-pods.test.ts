/** Static pods on real containers: without any API server, and mirrored where there is one. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { takeTestRanges } from '@binnacle/base/testing';
import type { TestRanges } from '@binnacle/base/testing';
import { isPodReady, NODES, PODS } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import type { Client } from '@binnacle/client';
import {
  containerPids,
  makeFolder,
  pidsByCommand,
  remainsOf,
  runBinnacle,
  skipWithoutContainerd,
  startBinnacle,
  startContainerdCluster,
  untilFile,
  waitFor,
} from '@binnacle/testkit';
import type { BinnacleProcess, OneProcessCluster, TestFolder } from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const skip = await skipWithoutContainerd();

interface StaticPod {
  readonly name: string;
  /** What it writes into the log when it begins and when it is asked to end. */
  readonly text: string;
  /** Folder of the host that it writes its log into. */
  readonly seen: string;
}

/** The first process: found on the host by the path in its command line. */
function manifest({ name, text, seen }: StaticPod): string {
  const script = [
    `: ${seen}/${name}`,
    `trap 'echo stopped ${text} >> /seen/log; exit 0' TERM`,
    `echo started ${text} >> /seen/log`,
    'while true; do sleep 0.1; done',
  ].join('; ');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'static' } },
    spec: {
      terminationGracePeriodSeconds: 5,
      volumes: [{ name: 'seen', hostPath: { path: seen, type: 'Directory' } }],
      containers: [
        {
          name: 'c',
          image: IMAGE,
          command: ['sh', '-c', script],
          volumeMounts: [{ name: 'seen', mountPath: '/seen' }],
        },
      ],
    },
  });
}

/** Put there in one step, as an editor does. */
function place(folder: string, file: string, text: string): void {
  writeFileSync(`${folder}.new`, text);
  renameSync(`${folder}.new`, join(folder, file));
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

describe('static pods without an API server', { skip }, () => {
  let folder: TestFolder;
  let seen: string;
  let manifests: string;
  let kubelet: BinnacleProcess | undefined;
  let ranges: TestRanges;
  const startKubelet = (...flags: string[]): Promise<BinnacleProcess> =>
    startBinnacle([
      ...['kubelet', '--data-dir', join(folder.path, 'node'), '--node-name', 'Alone', '--runtime', 'containerd'],
      ...['--pod-cidr', ranges.pods, '--image', join(folder.path, 'example.tar'), '--output', 'json', ...flags],
    ]);
  const untilLog = (what: string, ...lines: string[]): Promise<string> =>
    untilFile(join(seen, 'log'), { what, until: (text) => linesOf(text).join() === lines.join() });
  const pids = (name: string): number[] => pidsByCommand(`${seen}/${name}`);

  before(async () => {
    folder = makeFolder();
    ranges = await takeTestRanges();
    seen = join(folder.path, 'seen');
    manifests = join(folder.path, 'manifests');
    for (const made of [seen, manifests]) mkdirSync(made);
    await runBinnacle(['image', 'build-example', join(folder.path, 'example.tar')]);
  });
  after(async () => {
    await kubelet?.stop();
    await runBinnacle(['down', '--data-dir', join(folder.path, 'node'), '--delete'], {
      KUBECONFIG: join(folder.path, 'none'),
    });
    folder.remove();
    ranges.release();
    assert.deepEqual(remainsOf(folder.path), []);
  });

  test('--pod-manifest-path: it runs, is restarted when killed, replaced when changed, ended when removed', async () => {
    place(manifests, 'web.json', manifest({ name: 'web', text: 'one', seen }));
    kubelet = await startKubelet('--pod-manifest-path', manifests);
    await untilLog('the pod', 'started one');
    const first = pids('web');
    assert.equal(first.length, 1);
    process.kill(first[0] as number, 'SIGKILL');
    await untilLog('the restart', 'started one', 'started one');
    assert.notDeepEqual(pids('web'), first);

    place(manifests, 'web.json', manifest({ name: 'web', text: 'two', seen }));
    await untilLog('the change', 'started one', 'started one', 'stopped one', 'started two');
    assert.equal(pids('web').length, 1);

    // A file that cannot be used is reported and leaves what runs alone; the good one beside it runs.
    place(manifests, 'broken.yaml', 'kind: [');
    place(manifests, 'other.json', manifest({ name: 'other', text: 'three', seen }));
    await untilFile(join(seen, 'log'), { what: 'another pod', until: (text) => text.endsWith('started three\n') });
    assert.equal(pids('web').length, 1);
    assert.match(kubelet.output(), /broken\.yaml/);

    rmSync(join(manifests, 'web.json'));
    await untilFile(join(seen, 'log'), { what: 'the end', until: (text) => text.endsWith('stopped two\n') });
    assert.equal(pids('other').length, 1);
  });

  test('a kubelet that comes back joins what runs; --config with staticPodPath says the same', async () => {
    const running = pids('other');
    assert.equal(running.length, 1);
    await kubelet?.kill();
    const config = join(folder.path, 'kubelet.yaml');
    writeFileSync(
      config,
      ['apiVersion: kubelet.config.k8s.io/v1beta1', 'kind: KubeletConfiguration', 'staticPodPath: manifests', ''].join(
        '\n',
      ),
    );
    rmSync(join(seen, 'log'));
    kubelet = await startKubelet('--config', config);
    place(manifests, 'late.json', manifest({ name: 'late', text: 'four', seen }));
    await untilLog('a new pod, and nothing else', 'started four');
    assert.deepEqual(pids('other'), running);

    // What was removed while it was away ends when it is back.
    await kubelet.kill();
    rmSync(join(manifests, 'other.json'));
    kubelet = await startKubelet('--config', config);
    await untilLog('the end of what was removed', 'started four', 'stopped three');
    assert.equal(readFileSync(join(seen, 'log'), 'utf8').includes('stopped four'), false);
  });
});

describe('static pods with an API server', { skip }, () => {
  let cluster: OneProcessCluster;
  let client: Client;
  let folder: TestFolder;
  let seen: string;
  let manifests: string;
  const NODE = 'static-node';

  before(async () => {
    folder = makeFolder();
    seen = join(folder.path, 'seen');
    manifests = join(folder.path, 'manifests');
    for (const made of [seen, manifests]) mkdirSync(made);
    place(manifests, 'web.json', manifest({ name: 'web', text: 'one', seen }));
    cluster = await startContainerdCluster(['--pod-manifest-path', manifests, '--node-name', NODE]);
    client = cluster.client;
  });
  after(async () => {
    await cluster?.stop();
    folder.remove();
  });

  const untilMirror = async (what: string, until: (pod: Pod) => boolean): Promise<Pod> => {
    const pods = await waitFor({
      client,
      resource: PODS,
      namespace: 'default',
      name: `web-${NODE}`,
      what,
      until: ([pod]) => pod !== undefined && pod.metadata.deletionTimestamp === undefined && until(pod),
    });
    return pods[0] as Pod;
  };
  const containerOf = (pod: Pod): string => pod.status?.containerStatuses?.[0]?.containerID ?? '';

  test('a mirror pod shows it; deleting the mirror does not stop it; a change and the removal are mirrored', async () => {
    const mirror = await untilMirror('the mirror pod', isPodReady);
    const annotations = mirror.metadata.annotations ?? {};
    const hash = annotations['kubernetes.io/config.hash'] ?? '';
    assert.match(hash, /^[0-9a-f]{32}$/);
    assert.equal(annotations['kubernetes.io/config.mirror'], hash);
    assert.equal(annotations['kubernetes.io/config.source'], 'file');
    assert.ok(!Number.isNaN(Date.parse(annotations['kubernetes.io/config.seen'] ?? '')));
    assert.equal(mirror.metadata.labels?.['app'], 'static');
    const node = await client.resource(NODES).get(NODE);
    assert.deepEqual(mirror.metadata.ownerReferences, [
      { apiVersion: 'v1', kind: 'Node', name: NODE, uid: node.metadata.uid, controller: true },
    ]);
    assert.equal(mirror.spec.nodeName, NODE);
    assert.ok(mirror.spec.tolerations?.some((t) => t.operator === 'Exists' && t.effect === 'NoExecute'));

    // The first process; the shell's `sleep` is another one each time.
    const firstPid = (pod: Pod): number => Math.min(...containerPids(containerOf(pod)));
    const pid = firstPid(mirror);
    await client.resource(PODS, 'default').delete(`web-${NODE}`);
    const again = await untilMirror(
      'the mirror pod to come back',
      (pod) => pod.metadata.uid !== mirror.metadata.uid && isPodReady(pod),
    );
    assert.equal(containerOf(again), containerOf(mirror));
    assert.equal(firstPid(again), pid);
    assert.equal(again.status?.containerStatuses?.[0]?.restartCount, 0);

    place(manifests, 'web.json', manifest({ name: 'web', text: 'two', seen }));
    const changed = await untilMirror(
      'the mirror of the change',
      (pod) => pod.metadata.annotations?.['kubernetes.io/config.hash'] !== hash && isPodReady(pod),
    );
    assert.notEqual(containerOf(changed), containerOf(mirror));
    assert.deepEqual(containerPids(containerOf(mirror)), []);
    await untilFile(join(seen, 'log'), {
      what: 'its log',
      until: (text) => linesOf(text).join() === 'started one,stopped one,started two',
    });

    rmSync(join(manifests, 'web.json'));
    await waitFor({
      client,
      resource: PODS,
      namespace: 'default',
      what: 'the mirror to go',
      until: (pods) => pods.length === 0,
    });
    await untilFile(join(seen, 'log'), { what: 'its end', until: (text) => text.endsWith('stopped two\n') });
  });
});
