/** A second scheduler as a Deployment, from an image that `binnacle image build` makes of this very program. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EVENTS, isPodReady, PODS } from '@binnacle/api';
import {
  findKubectl,
  kubectlOutput,
  makeFolder,
  runBinnacle,
  skipWithoutContainerd,
  startContainerdCluster,
  waitFor,
} from '@binnacle/testkit';
import { IMAGE } from './manifests.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const skip = await skipWithoutContainerd();

/** The root file system of a container that runs the program: it, Node, and the libraries that Node wants. */
function layRoot(root: string): void {
  const put = (from: string, to: string): void => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    copyFileSync(from, join(root, to));
  };
  put(process.execPath, '/bin/node');
  const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
  for (const [path] of libraries.matchAll(/\/\S+(?= \(0x)/g)) put(path, path);
  const build = [join(REPOSITORY, 'tools/release/build.ts'), '--program', join(root, 'binnacle')];
  execFileSync(process.execPath, build, { cwd: REPOSITORY, stdio: 'pipe' });
  mkdirSync(join(root, 'tmp'));
}

test('a second scheduler as a Deployment places its own pods', { skip }, async () => {
  const folder = makeFolder();
  try {
    const root = join(folder.path, 'root');
    layRoot(root);
    const config = join(folder.path, 'image.json');
    writeFileSync(config, JSON.stringify({ Entrypoint: ['/bin/node', '/binnacle/bin/binnacle.mjs', 'scheduler'] }));
    const archive = join(folder.path, 'scheduler.tar');
    const named = ['--output', archive, '--ref', 'binnacle.local/scheduler:1', '--config', config];
    await runBinnacle(['image', 'build', root, ...named]);
    const cluster = await startContainerdCluster([archive]);
    try {
      const { client, kubeconfig } = cluster;
      const found = await findKubectl();
      assert.ok(found, 'there is a kubectl on this machine');
      const kubectl = (...args: string[]): Promise<string> => kubectlOutput(found, kubeconfig, args);
      await kubectl('apply', '-f', join(REPOSITORY, 'examples/second-scheduler.yaml'));
      const pod = { image: IMAGE, imagePullPolicy: 'Never' as const, command: ['sleep', '1000'] };
      await client.resource(PODS, 'default').create({
        metadata: { name: 'own' },
        spec: {
          schedulerName: 'my-scheduler',
          terminationGracePeriodSeconds: 0,
          containers: [{ name: 'c', ...pod }],
        },
      });
      await kubectl('rollout', 'status', '-n', 'kube-system', 'deployment/my-scheduler', '--timeout=60s');
      await waitFor({
        client,
        resource: PODS,
        namespace: 'default',
        name: 'own',
        what: 'the pod to run',
        until: ([one]) => one !== undefined && isPodReady(one),
        deadlineMs: 60_000,
      });
      const events = await waitFor({
        client,
        resource: EVENTS,
        namespace: 'default',
        what: 'who placed it',
        until: (all) => all.some((e) => e.involvedObject.name === 'own' && e.reason === 'Scheduled'),
      });
      const scheduled = events.find((e) => e.reason === 'Scheduled');
      assert.equal(scheduled?.source?.component, 'my-scheduler');
      // It ends by itself when it is asked to.
      await kubectl('delete', '-n', 'kube-system', 'deployment/my-scheduler', '--timeout=30s');
      await kubectl('wait', '-n', 'kube-system', '--for=delete', 'pod', '-l', 'component=scheduler', '--timeout=30s');
    } finally {
      await cluster.stop();
    }
  } finally {
    folder.remove();
  }
});
