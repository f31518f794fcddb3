/**
 * Two controller managers as processes; the leader is killed while what it sent is still under way: a webhook holds every new
 * pod for up to five seconds, longer than the other manager needs to lead. Of no kind are there ever more pods than it allows,
 * while pods are lost, sets grow and shrink, and templates change; each round ends in exactly what is asked for.
 * `SOAK_ROUNDS` says how many kills, `SOAK_SEED` which ones.
 */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  isPodActive,
  isPodReady,
  JOBS,
  PODS,
  REPLICATION_CONTROLLERS,
  STATEFUL_SETS,
} from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { startProcesses, startTlsServer, waitFor } from '@binnacle/testkit';
import type { ProcessCluster, TlsServer } from '@binnacle/testkit';
import { ElectedManagers } from './elected-managers.ts';
import { deployment, IMAGE, replicationController } from './manifests.ts';

const NAMESPACE = 'default';
const ROUNDS = Number(process.env['SOAK_ROUNDS'] ?? 10);
const SEED = Number(process.env['SOAK_SEED'] ?? 1);
const HELD_MS = 5000;
const NODES = 2;
const COUNT_MAX = 3;
/** By the label `app`: as many as are asked for, and as many as may be there at once: those of before go as others come. */
const wanted: { [app: string]: number } = { rc: 2, web: 2, job: 2, set: 2, agent: NODES };
const most: { [app: string]: number } = { ...wanted };
const WEBHOOKS = { group: 'admissionregistration.k8s.io', version: 'v1', resource: 'validatingwebhookconfigurations' };
const TIMES = { leaseDuration: '2s', renewDeadline: '1500ms', retryPeriod: '200ms' };

let cluster: ProcessCluster;
let webhook: TlsServer;
let managers: ElectedManagers;
let endWatch = (): void => undefined;
const random = createSeededRandom(SEED);
const pods = new Map<string, Pod>();
const faults: string[] = [];

const appOf = ({ metadata }: Pod): string => metadata.labels?.['app'] ?? '';

/** One of an index, an ordinal, a node. */
function placeOf(pod: Pod): string | undefined {
  const { annotations, name } = pod.metadata;
  if (appOf(pod) === 'job') return annotations?.['batch.kubernetes.io/job-completion-index'];
  return appOf(pod) === 'agent' ? pod.spec.nodeName : name;
}

function judge(version = ''): void {
  const active = [...pods.values()].filter(isPodActive);
  for (const [app, limit] of Object.entries(most)) {
    const own = active.filter((pod) => appOf(pod) === app);
    const places = own.flatMap((pod) => placeOf(pod) ?? []);
    if (own.length <= limit && new Set(places).size === places.length) continue;
    faults.push(`revision ${version}, ${app}: ${own.map(({ metadata }) => metadata.name).join(' ')}`);
  }
}

before(async () => {
  cluster = await startProcesses({ runtime: 'simulated', nodes: NODES });
  managers = await ElectedManagers.replaceOwn(cluster, TIMES);
  webhook = await startTlsServer('localhost', (request, response) => {
    const answer = async (): Promise<void> => {
      const { request: asked } = JSON.parse(await text(request)) as { request: { uid: string } };
      await pause(randomBelow(random, HELD_MS));
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...review, response: { uid: asked.uid, allowed: true } }));
    };
    answer().catch(() => response.destroy());
  });
  const { client } = cluster;
  await client.dynamic(WEBHOOKS).create({
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'slow' },
    webhooks: [
      {
        name: 'slow.example.org',
        clientConfig: { url: `https://localhost:${webhook.port}/`, caBundle: webhook.caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 30,
      },
    ],
  } as never);
  const events = (batch: readonly { readonly type: string; readonly object: Pod }[]): void => {
    for (const { type, object } of batch) {
      const { uid = '', resourceVersion } = object.metadata;
      if (type === 'BOOKMARK') continue;
      if (type === 'DELETED') pods.delete(uid);
      else pods.set(uid, object);
      judge(resourceVersion);
    }
  };
  const end = (): void => void faults.push('the watch ended');
  const handle = client
    .resource(PODS, NAMESPACE)
    .watch({ sendInitialEvents: true, allowWatchBookmarks: true }, { events, end });
  endWatch = () => handle.stop();
  await managers.start();
  await makeAll();
});

after(async () => {
  endWatch();
  await cluster?.stop();
  await webhook?.stop();
});

async function makeAll(): Promise<void> {
  const { client } = cluster;
  const own = (app: string) => ({
    metadata: { name: app },
    selector: { matchLabels: { app } },
    template: {
      metadata: { labels: { app } },
      spec: { containers: [{ name: 'web', image: IMAGE }], terminationGracePeriodSeconds: 1 },
    },
  });
  await client.resource(REPLICATION_CONTROLLERS, NAMESPACE).create(replicationController('rc', 2));
  await client.resource(DEPLOYMENTS, NAMESPACE).create(deployment('web', 2));
  const { metadata, ...set } = own('set');
  const parallel = { serviceName: 'set', replicas: 2, podManagementPolicy: 'Parallel' } as const;
  await client.resource(STATEFUL_SETS, NAMESPACE).create({ metadata, spec: { ...parallel, ...set } });
  const agent = own('agent');
  const { selector, template } = agent;
  await client.resource(DAEMON_SETS, NAMESPACE).create({ metadata: agent.metadata, spec: { selector, template } });
  const job = own('job').template;
  await client.resource(JOBS, NAMESPACE).create({
    metadata: { name: 'job' },
    spec: {
      completionMode: 'Indexed',
      // A pod that is deleted ends well, and the next index has its turn.
      completions: 1000,
      parallelism: 2,
      backoffLimit: 1000,
      template: {
        metadata: { ...job.metadata, annotations: { 'simulated.binnacle.dev/exit-after': '1h' } },
        spec: { ...job.spec, restartPolicy: 'Never' },
      },
    },
  });
}

/** Of each kind exactly as many as are asked for, all of them ready and by the template of today; nothing else is allowed from then on. */
async function settled(): Promise<void> {
  const isExact = (all: readonly Pod[]): boolean =>
    Object.entries(wanted).every(([app, count]) => {
      const own = all.filter((pod) => appOf(pod) === app && isPodActive(pod));
      return own.length === count && own.every((pod) => isPodReady(pod) && isOfToday(pod));
    });
  await waitFor<Pod>({
    client: cluster.client,
    resource: PODS,
    namespace: NAMESPACE,
    what: `exactly ${JSON.stringify(wanted)} ready pods of template ${today}`,
    deadlineMs: 120_000,
    until: isExact,
  });
  Object.assign(most, wanted);
}

/** Which template the set and the agents have. */
let today = 'none';

function isOfToday(pod: Pod): boolean {
  return !['set', 'agent'].includes(appOf(pod)) || (pod.metadata.annotations?.['today'] ?? 'none') === today;
}

/** Somebody scales, and some other time changes templates. */
async function change(round: number): Promise<void> {
  const { client } = cluster;
  for (const app of ['rc', 'web', 'set', 'job']) {
    wanted[app] = randomBelow(random, 2) === 0 ? (wanted[app] ?? 0) : 1 + randomBelow(random, COUNT_MAX);
    most[app] = Math.max(most[app] ?? 0, wanted[app]);
  }
  if (randomBelow(random, 2) === 0) today = `round-${round}`;
  const of = (app: string): { readonly replicas?: number } => ({ replicas: wanted[app] ?? 0 });
  const template = today === 'none' ? {} : { template: { metadata: { annotations: { today } } } };
  const patch = (spec: object): object => ({ spec });
  await client.resource(REPLICATION_CONTROLLERS, NAMESPACE).patch('rc', 'merge', patch(of('rc')));
  await client.resource(DEPLOYMENTS, NAMESPACE).patch('web', 'merge', patch(of('web')));
  await client.resource(STATEFUL_SETS, NAMESPACE).patch('set', 'merge', patch({ ...of('set'), ...template }));
  await client.resource(DAEMON_SETS, NAMESPACE).patch('agent', 'merge', patch(template));
  await client.resource(JOBS, NAMESPACE).patch('job', 'merge', patch({ parallelism: wanted['job'] }));
}

test(`${ROUNDS} leaders killed with creates under way (seed ${SEED}): never one pod too many`, async () => {
  await settled();
  for (let round = 0; round < ROUNDS; round++) {
    const leader = await managers.leader();
    const lost = Object.keys(most).flatMap((app) => [...pods.values()].filter((pod) => appOf(pod) === app).slice(0, 1));
    const api = cluster.client.resource(PODS, NAMESPACE);
    await change(round);
    // A set that shrinks may have been quicker.
    const lose = ({ metadata: { name = '' } }: Pod): Promise<unknown> =>
      api.delete(name, { gracePeriodSeconds: 0 }).catch(() => undefined);
    await Promise.all(lost.map(lose));
    // The leader is at work on what is missing, and the webhook holds it.
    await pause(randomBelow(random, 1000));
    await managers.kill(leader);
    await managers.start();
    await managers.leader(leader);
    // One more is lost while the old leader's pods come out of the webhook.
    const [more] = [...pods.values()].filter((pod) => ['rc', 'web'].includes(appOf(pod)));
    if (more !== undefined) await lose(more);
    await settled();
  }
  assert.deepEqual(faults, []);
});
