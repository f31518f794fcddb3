/** An operator in TypeScript on the official client: a kind of two versions, informer, owned objects, status, finalizer. */
import {
  ApiException,
  ApiextensionsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node';
import type { KubernetesListObject, KubernetesObject, V1CustomResourceDefinition } from '@kubernetes/client-node';
import { CONFIG_MAPS } from '@binnacle/api';
import { startOneProcess, startTlsServer, waitFor } from '@binnacle/testkit';
import type { OneProcessCluster, TlsServer } from '@binnacle/testkit';
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';

const GROUP = 'light.example.com';
const FINALIZER = `${GROUP}/farewell`;
const where = { group: GROUP, version: 'v1', namespace: 'default', plural: 'lamps' };
const PATIENCE_MS = 30_000;

interface Lamp extends KubernetesObject {
  spec?: { watts?: number; power?: string };
  status?: { ready?: boolean; watts?: number };
}

/** v1 has watts as a number, v1beta1 has power as a text. */
function convert({ apiVersion: _from, spec = {}, ...rest }: Lamp, apiVersion: string): Lamp {
  const watts = spec.watts ?? Number.parseInt(spec.power ?? '0', 10);
  const wanted = apiVersion.endsWith('/v1') ? { watts } : { power: `${watts}W` };
  return { ...rest, apiVersion, spec: wanted };
}

async function answerReview(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const review = JSON.parse(await text(request)) as {
    request: { uid: string; desiredAPIVersion: string; objects: Lamp[] };
  };
  const { uid, desiredAPIVersion, objects } = review.request;
  const convertedObjects = objects.map((lamp) => convert(lamp, desiredAPIVersion));
  const said = { uid, result: { status: 'Success' }, convertedObjects };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: said }));
}

function definition(server: TlsServer): V1CustomResourceDefinition {
  const status = { type: 'object', properties: { ready: { type: 'boolean' }, watts: { type: 'integer' } } };
  const versionOf = (name: string, field: string, type: string) => ({
    name,
    served: true,
    storage: name === 'v1',
    subresources: { status: {} },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { [field]: { type } } }, status },
      },
    },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `lamps.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList' },
      versions: [versionOf('v1', 'watts', 'integer'), versionOf('v1beta1', 'power', 'string')],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: {
            caBundle: server.caBundle,
            service: { namespace: 'default', name: 'convert', path: '/convert', port: server.port },
          },
        },
      },
    },
  };
}

/** What the operator does with every lamp that changes, one after the other. */
class Operator extends EventEmitter {
  readonly #custom: CustomObjectsApi;
  readonly #core: CoreV1Api;
  readonly #informer: ReturnType<typeof makeInformer<Lamp>>;
  #work: Promise<void> = Promise.resolve();

  constructor(config: KubeConfig) {
    super();
    this.#custom = config.makeApiClient(CustomObjectsApi);
    this.#core = config.makeApiClient(CoreV1Api);
    const list = (): Promise<KubernetesListObject<Lamp>> =>
      this.#custom.listNamespacedCustomObject(where) as Promise<KubernetesListObject<Lamp>>;
    this.#informer = makeInformer<Lamp>(config, `/apis/${GROUP}/v1/namespaces/default/lamps`, list);
    for (const verb of ['add', 'update'] as const) {
      this.#informer.on(verb, (lamp: Lamp) => {
        // What fails is tried again with the next event; a lost race is one of those.
        this.#work = this.#work
          .then(() => this.#reconcile(lamp))
          .catch((error: unknown) => void this.emit('failure', error));
      });
    }
    this.#informer.on('delete', (lamp: Lamp) => void this.emit('gone', lamp.metadata?.name));
  }

  start(): Promise<void> {
    return this.#informer.start();
  }

  async stop(): Promise<void> {
    await this.#informer.stop();
    await this.#work;
  }

  async #reconcile(lamp: Lamp): Promise<void> {
    const { name = '', uid = '', finalizers = [], deletionTimestamp } = lamp.metadata ?? {};
    const at = { ...where, name };
    const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    if (deletionTimestamp !== undefined) {
      if (!finalizers.includes(FINALIZER)) return;
      this.emit('farewell', name);
      await this.#custom.patchNamespacedCustomObject({ ...at, body: { metadata: { finalizers: [] } } }, merge);
      return;
    }
    if (!finalizers.includes(FINALIZER)) {
      await this.#custom.patchNamespacedCustomObject({ ...at, body: { metadata: { finalizers: [FINALIZER] } } }, merge);
      return;
    }
    const watts = lamp.spec?.watts ?? 0;
    const owner = { apiVersion: `${GROUP}/v1`, kind: 'Lamp', name, uid, controller: true };
    const body = { metadata: { name: `lamp-${name}`, ownerReferences: [owner] }, data: { watts: `${watts}` } };
    try {
      await this.#core.createNamespacedConfigMap({ namespace: 'default', body });
    } catch (error) {
      if (!(error instanceof ApiException) || error.code !== 409) throw error;
      await this.#core.replaceNamespacedConfigMap({ namespace: 'default', name: body.metadata.name, body });
    }
    if (lamp.status?.ready === true && lamp.status.watts === watts) return void this.emit('ready', name, watts);
    const told: Lamp = { ...lamp, apiVersion: `${GROUP}/v1`, kind: 'Lamp', status: { ready: true, watts } };
    await this.#custom.replaceNamespacedCustomObjectStatus({ ...at, body: told });
  }
}

describe('an operator in TypeScript', () => {
  let cluster: OneProcessCluster;
  let server: TlsServer;
  let config: KubeConfig;
  let operator: Operator;
  const within = () => ({ signal: AbortSignal.timeout(PATIENCE_MS) });

  before(async () => {
    cluster = await startOneProcess({ runtime: 'simulated', store: 'memory' });
    server = await startTlsServer('convert.default.svc', (request, response) => {
      answerReview(request, response).catch(() => response.destroy());
    });
    config = new KubeConfig();
    config.loadFromFile(cluster.kubeconfig);
    const spec = { type: 'ExternalName', externalName: 'localhost' };
    await config
      .makeApiClient(CoreV1Api)
      .createNamespacedService({ namespace: 'default', body: { metadata: { name: 'convert' }, spec } });
    await config.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({ body: definition(server) });
    await established(config);
    operator = new Operator(config);
    await operator.start();
  });
  after(async () => {
    await operator?.stop();
    await server?.stop();
    await cluster?.stop();
  });

  test('an object of the older version is brought to what it wants, seen in both, changed, and said goodbye to', async () => {
    const objects = KubernetesObjectApi.makeApiClient(config);
    const older = { apiVersion: `${GROUP}/v1beta1`, kind: 'Lamp', metadata: { name: 'red', namespace: 'default' } };
    const ready = once(operator, 'ready', within());
    await objects.create({ ...older, spec: { power: '60W' } } as Lamp);
    assert.deepEqual(await ready, ['red', 60]);
    const seen = await objects.read<Lamp>(older);
    assert.deepEqual([seen.spec, seen.status], [{ power: '60W' }, { ready: true, watts: 60 }]);
    const brighter = once(operator, 'ready', within());
    await objects.patch(
      { ...older, spec: { power: '75W' } } as Lamp,
      undefined,
      undefined,
      undefined,
      undefined,
      PatchStrategy.MergePatch,
    );
    assert.deepEqual(await brighter, ['red', 75]);
    const core = config.makeApiClient(CoreV1Api);
    const owned = await core.readNamespacedConfigMap({ namespace: 'default', name: 'lamp-red' });
    assert.equal(owned.data?.['watts'], '75');
    const [farewell, gone] = [once(operator, 'farewell', within()), once(operator, 'gone', within())];
    await objects.delete(older);
    assert.deepEqual([await farewell, await gone], [['red'], ['red']]);
    await assert.rejects(objects.read(older), (error: unknown) => error instanceof ApiException && error.code === 404);
    await waitFor({
      client: cluster.client,
      resource: CONFIG_MAPS,
      namespace: 'default',
      name: 'lamp-red',
      what: 'what the lamp owned to go with it',
      until: (left) => left.length === 0,
    });
  });
});

/** Waits by watch until the kind is served. */
async function established(config: KubeConfig): Promise<void> {
  const api = config.makeApiClient(ApiextensionsV1Api);
  const name = `lamps.${GROUP}`;
  const informer = makeInformer<V1CustomResourceDefinition>(
    config,
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    () => api.listCustomResourceDefinition(),
  );
  const served = Promise.withResolvers<void>();
  const look = (found: V1CustomResourceDefinition): void => {
    const isServed = found.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True');
    if (found.metadata?.name === name && isServed === true) served.resolve();
  };
  informer.on('add', look);
  informer.on('update', look);
  await informer.start();
  await served.promise;
  await informer.stop();
}
