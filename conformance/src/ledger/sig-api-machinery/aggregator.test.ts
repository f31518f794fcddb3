/** Another API server behind this one: an extension API server of our own, asked over TLS behind a Service. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { text } from 'node:stream/consumers';
import { lookUntil, startTlsServer } from '@binnacle/testkit';
import { requests, writeAgain } from '../api-operations.ts';
import type { Thing } from '../api-operations.ts';
import { kubectl } from '../real-containers.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const GROUP = 'wardle.example.com';
const VERSION = 'v1alpha1';
const NAME = `${VERSION}.${GROUP}`;
const ROOT = `/apis/${GROUP}/${VERSION}`;
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';

const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${GROUP}/${VERSION}`,
  resources: [
    {
      name: 'flunders',
      singularName: 'flunder',
      namespaced: true,
      kind: 'Flunder',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    },
  ],
};

function failure(code: number, reason: string, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, message, code };
}

/** A sample API server: flunders in memory, for whoever the front proxy says is asking. */
class SampleServer {
  readonly #flunders = new Map<string, Thing>();
  #revision = 1;
  /** Names of the certificates that were shown, and who asked. */
  readonly proxies = new Set<string>();
  readonly users = new Set<string>();

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const shown = (request.socket as TLSSocket).getPeerCertificate();
    this.proxies.add(String((shown.subject as { CN?: string } | undefined)?.CN ?? ''));
    this.users.add(String(request.headers['x-remote-user'] ?? ''));
    const [code, body] = await this.#serve(request);
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  async #serve(request: IncomingMessage): Promise<[code: number, body: object]> {
    const [path = ''] = (request.url ?? '').split('?');
    if (path === ROOT) return [200, RESOURCES];
    const match = new RegExp(`^${ROOT}/namespaces/([^/]+)/flunders(?:/([^/]+))?$`).exec(path);
    if (match === null) return [404, failure(404, 'NotFound', 'the server could not find the requested resource')];
    const [, namespace = '', name] = match;
    if (name === undefined) return this.#collection(request, namespace);
    const found = this.#flunders.get(`${namespace}/${name}`);
    if (found === undefined) return [404, failure(404, 'NotFound', `flunders.${GROUP} "${name}" not found`)];
    if (request.method === 'DELETE') this.#flunders.delete(`${namespace}/${name}`);
    return [200, found];
  }

  async #collection(request: IncomingMessage, namespace: string): Promise<[code: number, body: object]> {
    if (request.method === 'POST') {
      const sent = JSON.parse(await text(request)) as Thing;
      const resourceVersion = String(++this.#revision);
      const made = { ...sent, metadata: { ...sent.metadata, namespace, resourceVersion } };
      this.#flunders.set(`${namespace}/${sent.metadata.name ?? ''}`, made);
      return [201, made];
    }
    const items = [...this.#flunders.values()].filter(({ metadata }) => metadata.namespace === namespace);
    const metadata = { resourceVersion: String(this.#revision) };
    return [200, { kind: 'FlunderList', apiVersion: `${GROUP}/${VERSION}`, metadata, items }];
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

function conditionOf(service: Thing, type: string): Condition | undefined {
  const { conditions = [] } = (service.status ?? {}) as { conditions?: Condition[] };
  return conditions.find((condition) => condition.type === type);
}

function untilAvailable(world: World): Promise<Thing> {
  return lookUntil({
    what: 'the API service to be available',
    look: () => requests(world, API_SERVICES).get(NAME),
    until: (service) => conditionOf(service, 'Available')?.status === 'True',
    deadlineMs: 60_000,
  });
}

async function withSample(world: World, body: (sample: SampleServer) => Promise<void>): Promise<void> {
  const { namespace } = world;
  const sample = new SampleServer();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    sample.answer(request, response).catch(() => response.destroy());
  };
  const server = await startTlsServer(`sample-api.${namespace}.svc`, handle, { asksForCertificate: true });
  try {
    await requests(world, `/api/v1/namespaces/${namespace}/services`).create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'sample-api' },
      // An address of loopback may be no endpoint; the server is known by the Service's own name all the same.
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    await requests(world, API_SERVICES).create({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: NAME },
      spec: {
        group: GROUP,
        version: VERSION,
        groupPriorityMinimum: 2000,
        versionPriority: 200,
        caBundle: server.caBundle,
        service: { namespace, name: 'sample-api', port: server.port },
      },
    });
    await untilAvailable(world);
    await body(sample);
  } finally {
    await world.http(`${API_SERVICES}/${NAME}`, { method: 'DELETE' });
    await server.stop();
  }
}

behaviours('simulated', 'aggregated API servers', (check) => {
  check(
    '[sig-api-machinery] Aggregator Should be able to support the 1.17 Sample API Server using the current Aggregator [LinuxOnly] [Conformance]',
    async (world) => {
      await withSample(world, async (sample) => {
        const { namespace } = world;
        const flunders = requests(world, `${ROOT}/namespaces/${namespace}/flunders`);
        const flunder = { apiVersion: `${GROUP}/${VERSION}`, kind: 'Flunder', metadata: { name: 'flunder-1' } };
        await flunders.create({ ...flunder, metadata: { name: 'flunder-1', labels: { 'sample-label': 'woodwork' } } });
        assert.equal((await flunders.get('flunder-1')).metadata.labels?.['sample-label'], 'woodwork');
        assert.equal((await flunders.list()).items.length, 1);
        assert.ok(sample.proxies.has('front-proxy-client'), [...sample.proxies].join());
        assert.ok(sample.users.has('kubernetes-admin') && sample.users.has('system:kube-aggregator'));
        assert.match(
          await kubectl(world, ['get', 'flunders', '-o', 'name']),
          /^flunder\.wardle\.example\.com\/flunder-1$/m,
        );
        await flunders.delete('flunder-1');
        await flunders.missing('flunder-1');
        assert.equal((await flunders.list()).items.length, 0);

        const services = requests(world, API_SERVICES);
        const read = await services.get(NAME, '/status');
        assert.equal(conditionOf(read, 'Available')?.message, 'all checks passed');
        const patched = await services.patch(NAME, { spec: { versionPriority: 400 } });
        assert.equal((patched.spec as { versionPriority: number }).versionPriority, 400);
        const updated = await writeAgain(async () => {
          const latest = await services.get(NAME);
          const labels = { ...latest.metadata.labels, 'apiservice-under-test': 'updated' };
          return services.update({ ...latest, metadata: { ...latest.metadata, labels } });
        });
        assert.equal(updated.metadata.labels?.['apiservice-under-test'], 'updated');

        const ours = { type: 'StatusUpdated', status: 'True', reason: 'E2E', message: 'Set from an e2e test' };
        const told = await writeAgain(async () => {
          const latest = await services.get(NAME);
          const { conditions } = latest.status as { conditions: Condition[] };
          return services.update({ ...latest, status: { conditions: [...conditions, ours] } }, '/status');
        });
        assert.equal(conditionOf(told, 'StatusUpdated')?.message, 'Set from an e2e test');
        const more = { type: 'StatusPatched', status: 'True', reason: 'E2E', message: 'Set by an e2e test' };
        const all = [...(told.status as { conditions: Condition[] }).conditions, more];
        assert.equal(
          conditionOf(await services.patch(NAME, { status: { conditions: all } }, '/status'), 'StatusPatched')?.reason,
          'E2E',
        );
        const again = await untilAvailable(world);
        assert.equal(conditionOf(again, 'StatusUpdated')?.reason, 'E2E');

        const listed = await services.list('apiservice-under-test=updated');
        assert.deepEqual(
          listed.items.map(({ metadata }) => metadata.name),
          [NAME],
        );
        await services.deleteCollection('apiservice-under-test=updated');
        await services.missing(NAME);
        assert.equal((await world.http(`${ROOT}/namespaces/${namespace}/flunders`)).code, 404);
      });
    },
  );
});
