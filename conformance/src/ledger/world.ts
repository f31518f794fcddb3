/**
 * Where the tests of the ledger run: one cluster for all files of a lane, a namespace for each behaviour. The runner takes
 * all files of a lane into one process; a file that runs alone starts the cluster for itself.
 */
import { request } from 'node:https';
import { after, describe, test } from 'node:test';
import { NAMESPACES, SERVICE_ACCOUNTS } from '@binnacle/api';
import type { Client } from '@binnacle/client';
import { loadKubeconfig } from '@binnacle/client/node';
import type { HttpWireOptions } from '@binnacle/client/node';
import { skipWithoutContainerd, startContainerdCluster, startOneProcess, waitFor } from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';

/** What a behaviour's test is handed. */
export interface World {
  readonly client: Client;
  /** A namespace of its own, with its service account; taken away afterwards. */
  readonly namespace: string;
  readonly kubeconfig: string;
  /** One more namespace, taken away afterwards. */
  makeNamespace(labels?: { readonly [name: string]: string }): Promise<string>;
  /** A plain request as cluster-admin, or with a token of one's own. */
  http(path: string, options?: HttpOptions): Promise<HttpAnswer>;
}
export interface HttpOptions {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: unknown;
  /** In place of the client certificate. */
  readonly token?: string;
}
export interface HttpAnswer {
  readonly code: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly text: string;
  json<T>(): T;
}

/** `forgetful`: simulated, and its store forgets what is older than a moment. */
type Lane = 'simulated' | 'forgetful' | 'containers';

const HISTORY = '100ms';

interface Shared {
  readonly cluster: OneProcessCluster;
  readonly wire: HttpWireOptions;
}

function startCluster(lane: Lane): Promise<OneProcessCluster> {
  if (lane === 'containers') return startContainerdCluster();
  if (lane === 'simulated') return startOneProcess({ runtime: 'simulated', nodes: 2 });
  return startOneProcess({ runtime: 'simulated', nodes: 1, store: 'memory' }, ['--etcd-compaction-interval', HISTORY]);
}

async function start(lane: Lane): Promise<Shared> {
  const cluster = await startCluster(lane);
  return { cluster, wire: (await loadKubeconfig(cluster.kubeconfig)).wire };
}

/** One cluster a lane and process. */
const started: { [lane in Lane]?: Promise<Shared> } = {};
after(async () => {
  for (const shared of Object.values(started)) {
    const running = await shared.catch(() => undefined); // A start that failed has failed its tests already.
    await running?.cluster.stop();
  }
});

function ask(wire: HttpWireOptions, path: string, options: HttpOptions = {}): Promise<HttpAnswer> {
  const body =
    options.body === undefined
      ? undefined
      : typeof options.body === 'string'
        ? options.body
        : JSON.stringify(options.body);
  const identity = options.token === undefined ? { cert: wire.cert, key: wire.key } : {};
  const headers = {
    ...(body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` }),
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...options.headers,
  };
  return new Promise((resolve, reject) => {
    const url = new URL(path, wire.server);
    const sent = request(
      url,
      { method: options.method ?? 'GET', ca: wire.ca, ...identity, headers, agent: false, timeout: 60_000 },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8').on('data', (part: string) => (text += part));
        reply.once('error', reject);
        reply.once('end', () =>
          resolve({ code: reply.statusCode ?? 0, headers: reply.headers, text, json: <T>() => JSON.parse(text) as T }),
        );
      },
    );
    sent.once('timeout', () => sent.destroy(new Error(`no answer to ${path}`)));
    sent.once('error', reject);
    sent.end(body);
  });
}

async function makeNamespace(client: Client, labels: { readonly [name: string]: string }): Promise<string> {
  const made = await client
    .resource(NAMESPACES)
    .create({ metadata: { generateName: 'ledger-', labels: { ...labels } }, spec: {} });
  const namespace = made.metadata.name ?? '';
  await waitFor({
    client,
    resource: SERVICE_ACCOUNTS,
    namespace,
    name: 'default',
    what: 'the default service account',
    until: (all) => all.length === 1,
  });
  return namespace;
}

async function inWorld(lane: Lane, body: (world: World) => Promise<void>): Promise<void> {
  const { cluster, wire } = await (started[lane] ??= start(lane));
  const { client } = cluster;
  const namespaces: string[] = [];
  const make = async (labels = {}): Promise<string> => {
    const name = await makeNamespace(client, labels);
    namespaces.push(name);
    return name;
  };
  try {
    const world: World = {
      client,
      namespace: await make(),
      kubeconfig: cluster.kubeconfig,
      makeNamespace: make,
      http: (path, options) => ask(wire, path, options),
    };
    await body(world);
  } finally {
    for (const name of namespaces) {
      await client
        .resource(NAMESPACES)
        .delete(name)
        .catch(() => undefined); // It may be the test that took it away.
    }
  }
}

/** Declares the test of one behaviour under its codename. */
export type Check = (codename: string, body: (world: World) => Promise<void>) => void;

const withoutContainers = await skipWithoutContainerd();

/** Most of what the simulated ones do is waiting; containers want the processors. */
const SIDE_BY_SIDE: { readonly [lane in Lane]: number } = { simulated: 6, forgetful: 6, containers: 4 };

interface Group {
  readonly lane: Lane;
  readonly title: string;
  readonly run: (body: (world: World) => Promise<void>) => () => Promise<void>;
}

function declare({ lane, title, run }: Group, define: (check: Check) => void): void {
  const skip = lane === 'containers' ? withoutContainers : false;
  describe(title, { concurrency: SIDE_BY_SIDE[lane], skip }, () => {
    define((codename, body) => void test(codename, run(body)));
  });
}

/** Whoever asks for tests by their names gets those alone. */
const isPicky = process.execArgv.some((flag) => flag.startsWith('--test-name-pattern'));

/**
 * Makes a line of tests, so many of which run at a time, in the order in which they were declared, from the first that is asked
 * for on: what is declared behind a group's slowest test does not wait for that.
 */
function lineOf(most: number): Group['run'] {
  const waiting: (() => Promise<void>)[] = [];
  let running = 0;
  const goOn = (): void => {
    for (let next = waiting[0]; next !== undefined && running < most; next = waiting[0]) {
      waiting.shift();
      running++;
      void next().then(() => {
        running--;
        goOn();
      });
    }
  };
  return (body) => {
    const told = Promise.withResolvers<void>();
    told.promise.catch(() => undefined); // Its test tells it, as soon as that has its turn.
    waiting.push(() => inWorld('containers', body).then(told.resolve, told.reject));
    return () => {
      goOn();
      return told.promise;
    };
  };
}

const inLine = lineOf(SIDE_BY_SIDE.containers);

/**
 * A group of behaviours; those of a group run side by side where they do not hinder each other. With containers none hinders
 * any other one, and groups overlap.
 */
export function behaviours(lane: Lane, title: string, define: (check: Check) => void): void {
  const run: Group['run'] = lane === 'containers' && !isPicky ? inLine : (body) => () => inWorld(lane, body);
  declare({ lane, title, run }, define);
}

/** A group that only waits for the clock: it begins when its file is read, and goes on beside the groups before it. */
export function behavioursInTime(lane: 'simulated', title: string, define: (check: Check) => void): void {
  const run: Group['run'] = (body) => {
    const begun = inWorld(lane, body);
    begun.catch(() => undefined); // Its test tells it, as soon as that has its turn.
    return () => begun;
  };
  declare({ lane, title, run }, define);
}
