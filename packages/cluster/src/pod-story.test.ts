import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEPLOYMENTS, PODS, SECRETS } from '@binnacle/api';
import { createLogger, createSeededRandom, Scope, VirtualClock } from '@binnacle/base';
import { ADMIN } from './identities.ts';
import { startSimulatedCluster } from './simulated-cluster.ts';
import { seededTokenKeys } from './testing/token-keys.ts';

const LABELS = { app: 'web' };
const SPEC = {
  replicas: 1,
  selector: { matchLabels: LABELS },
  template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'example.org/web:1' }] } },
};

interface Story {
  readonly lines: readonly string[];
  readonly pod: string;
}

/** What the log of a whole cluster says of a Deployment's pod from its making to its end. */
async function live(verbosity: number): Promise<Story> {
  const clock = new VirtualClock();
  const scope = new Scope('cluster');
  const lines: string[] = [];
  const log = createLogger({ component: 'binnacle', verbosity, clock, write: (line) => void lines.push(line) });
  const world = { clock, random: createSeededRandom(5), log };
  const starting = startSimulatedCluster({ world, scope, tokenKeys: seededTokenKeys(5), nodes: 1 });
  await clock.advance(0);
  const client = (await starting).clientAs(ADMIN);
  await clock.advance(5_000);
  await client
    .resource(SECRETS, 'default')
    .create({ metadata: { name: 's' }, stringData: { password: 'hunter2' } } as never);
  await client.resource(DEPLOYMENTS, 'default').create({ metadata: { name: 'web' }, spec: SPEC } as never);
  await clock.advance(10_000);
  const { items } = await client.resource(PODS, 'default').list();
  const pod = items[0]?.metadata.name ?? '';
  await client.resource(DEPLOYMENTS, 'default').delete('web');
  await clock.advance(60_000);
  const closing = scope.close();
  await clock.advance(60_000);
  await closing;
  return { lines, pod };
}

/** The chapters, each teller's in their order; POD stands for the pod's name. */
const CHAPTERS: readonly (readonly [level: number, teller: string, line: string])[] = [
  [2, 'kubernetes-admin', '"Changed" verb="create" resource="deployments.apps" object="default/web"'],
  [2, 'deployment-controller', '"Changed" verb="create" resource="replicasets.apps"'],
  [2, 'replicaset-controller', '"Changed" verb="create" resource="pods" object="default/POD"'],
  [2, 'scheduler', '"Successfully bound pod to node" pod="default/POD" node="node-0"'],
  [2, 'kubelet', '"SyncLoop ADD" source="api" pod="default/POD"'],
  [4, 'kubelet', '"Volumes are set up" pod="default/POD"'],
  [4, 'kubelet', '"Runtime: runSandbox" pod="default/POD"'],
  [4, 'kubelet', '"Runtime: createContainer" pod="default/POD" containerName="c"'],
  [4, 'kubelet', '"Runtime: startContainer" container='],
  [3, 'kubelet', '"Event occurred" object="default/POD" kind="Pod" type="Normal" reason="Started"'],
  [2, 'kubelet', '"Patched the status of a pod" pod="default/POD" phase="Running"'],
  [4, 'controllers', '"Finished syncing" controller="replicaset-controller" key="default/web-'],
  [2, 'kubernetes-admin', '"Changed" verb="delete" resource="deployments.apps" object="default/web"'],
  [4, 'kubelet', '"Pod worker changes state" pod="default/POD" uid='],
  [4, 'kubelet', '"Runtime: stopContainer" container='],
  [2, 'kubelet', '"SyncLoop REMOVE" source="api" pod="default/POD"'],
];

function isTold(line: string, teller: string): boolean {
  return line.includes(` ${teller}] `) || line.includes(`:${teller}] `);
}

test('the life of one pod can be read in the log', async () => {
  const { lines, pod } = await live(4);
  const read = new Map<string, number>();
  for (const [, teller, chapter] of CHAPTERS) {
    const wanted = chapter.replace('POD', pod);
    const from = read.get(teller) ?? 0;
    const found = lines.findIndex((line, at) => at >= from && isTold(line, teller) && line.includes(wanted));
    const about = lines.filter((line) => line.includes(pod)).join('');
    assert.notEqual(found, -1, `${teller} says no ${wanted}\n${about}`);
    read.set(teller, found + 1);
  }
});

test('each level says what belongs to it, and no more', async () => {
  for (const verbosity of [0, 2, 3, 4]) {
    const { lines, pod } = await live(verbosity);
    for (const [level, , chapter] of CHAPTERS) {
      const wanted = chapter.replace('POD', pod);
      assert.equal(
        lines.some((line) => line.includes(wanted)),
        level <= verbosity,
        `-v=${verbosity}: ${wanted}`,
      );
    }
  }
});

test('at level 10 every watch shows its selectors, bodies are shown, and no secret', async () => {
  const { lines, pod } = await live(10);
  const text = lines.join('');
  assert.match(text, /"Watching" resource="pods" .*url="\/api\/v1\/pods\?.*watch=true"/);
  assert.match(text, /"HTTP" verb="watch" URI="\/api\/v1\/pods\?[^"]*allowWatchBookmarks=true/);
  assert.match(text, /"Watch event" type="MODIFIED" resource="pods" object="default\/web-/);
  assert.match(text, new RegExp(`"Response Body" verb="POST" url="/api/v1/namespaces/default/pods" body=".*${pod}`));
  assert.match(text, /secrets" body="<masked>"/);
  assert.doesNotMatch(text, /hunter2|aHVudGVyMg/);
});
