/** Custom kinds whose versions a webhook converts: a server of our own, asked over TLS behind a Service. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ResourceRef } from '@binnacle/api';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createInformer } from '@binnacle/client';
import type { KubeObject } from '@binnacle/machinery';
import { lookUntil, startTlsServer, TestkitError } from '@binnacle/testkit';
import { requests, writeAgain } from '../api-operations.ts';
import type { Thing } from '../api-operations.ts';
import { ANYTHING, DEFINITIONS_PATH, withKind } from '../custom-kinds.ts';
import type { KindWish, ServedKind } from '../custom-kinds.ts';
import { record } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

interface Review {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly Thing[] };
}

/** `hostPort: "host:port"` of v1 is `host` and `port` of v2. */
function convert({ hostPort, host, port, ...rest }: Thing, apiVersion: string): Thing {
  const [first, second] = String(hostPort).split(':');
  const fields = apiVersion.endsWith('/v2')
    ? { host: first, port: second }
    : { hostPort: `${String(host)}:${String(port)}` };
  return { ...rest, apiVersion, ...fields };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { uid, desiredAPIVersion, objects } = (JSON.parse(await text(request)) as Review).request;
  const convertedObjects = objects.map((object) => convert(object, desiredAPIVersion));
  const said = { uid, result: { status: 'Success' }, convertedObjects };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response: said }));
}

/** Lends a kind of two versions, v1 stored, and the webhook between them. */
async function withConverted(
  world: World,
  wish: Pick<KindWish, 'name' | 'versions' | 'fields'>,
  body: (kind: ServedKind) => Promise<void>,
): Promise<void> {
  const { namespace } = world;
  const service = 'e2e-test-crd-conversion-webhook';
  const server = await startTlsServer(`${service}.${namespace}.svc`, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  try {
    await requests(world, `/api/v1/namespaces/${namespace}/services`).create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: service },
      // An address of loopback may be no endpoint; the server is known by the Service's own name all the same.
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    const clientConfig = {
      caBundle: server.caBundle,
      service: { namespace, name: service, path: '/crdconvert', port: server.port },
    };
    const webhook = { clientConfig, conversionReviewVersions: ['v1', 'v1beta1'] };
    await withKind(world, { versions: { v1: ANYTHING, v2: ANYTHING }, ...wish }, async (kind) => {
      const spec = { conversion: { strategy: 'Webhook', webhook }, preserveUnknownFields: false };
      await requests(world, DEFINITIONS_PATH).patch(kind.name, { spec });
      await body(kind);
    });
  } finally {
    await server.stop();
  }
}

/** Waits until objects of a version come as the webhook makes them: a changed definition is served a moment later. */
async function untilConverted(world: World, path: string): Promise<Thing> {
  const converted = await lookUntil({
    what: `${path} to be converted`,
    look: () => world.http(path),
    until: (answer) => answer.code === 200 && answer.json<Thing>()['host'] !== undefined,
  });
  return converted.json<Thing>();
}

const fieldsOf = ({ apiVersion, hostPort, host, port }: Thing): unknown[] => [apiVersion, hostPort, host, port];

behaviours('simulated', 'conversion webhooks', (check) => {
  check(
    '[sig-api-machinery] CustomResourceConversionWebhook [Privileged:ClusterAdmin] should be able to convert from CR v1 to CR v2 [Conformance]',
    async (world) => {
      await withConverted(world, { name: 'multiversion' }, async (kind) => {
        await requests(world, kind.path('v1')).create(kind.object('name-1', { hostPort: 'localhost:8080' }));
        const v2 = await untilConverted(world, `${kind.path('v2')}/name-1`);
        assert.deepEqual(fieldsOf(v2), [`${kind.group}/v2`, undefined, 'localhost', '8080']);
      });
    },
  );

  check(
    '[sig-api-machinery] CustomResourceConversionWebhook [Privileged:ClusterAdmin] should be able to convert a non homogeneous list of CRs [Conformance]',
    async (world) => {
      await withConverted(world, { name: 'mixed' }, async (kind) => {
        await requests(world, kind.path('v1')).create(kind.object('name-1', { hostPort: 'localhost:8080' }));
        await untilConverted(world, `${kind.path('v2')}/name-1`);
        const definitions = requests(world, DEFINITIONS_PATH);
        await writeAgain(async () => {
          const { spec, ...definition } = await definitions.get(kind.name);
          const { versions, ...rest } = spec as { versions: { name: string }[] };
          const stored = versions.map((version) => ({ ...version, storage: version.name === 'v2' }));
          return definitions.update({ ...definition, spec: { ...rest, versions: stored } });
        });
        const created = kind.object('name-2', { host: 'localhost', port: '8080' }, 'v2');
        await requests(world, kind.path('v2')).create(created);
        for (const [version, expected] of [
          ['v2', [undefined, 'localhost', '8080']],
          ['v1', ['localhost:8080', undefined, undefined]],
        ] as const) {
          const { items } = await requests(world, kind.path(version)).list();
          const shown = items.map((item) => fieldsOf(item).slice(1));
          assert.deepEqual(shown, [expected, expected], version);
        }
      });
    },
  );
});

const strings = (...names: string[]): object => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});
const selectable = (...names: string[]) => ({ selectableFields: names.map((name) => ({ jsonPath: `.${name}` })) });

/** What an informer that selects by fields hears, as `ADDED name` and `DELETED name`. */
function heardBy(world: World, resource: ResourceRef<KubeObject>, fieldSelector: string) {
  const scope = new Scope('informer');
  const informer = createInformer(
    world.client,
    resource,
    { clock: realClock, random: secureRandom, log: silentLogger },
    { namespace: world.namespace, fieldSelector },
  );
  const heard: string[] = [];
  let look = (): void => {};
  const hear = (what: string, { metadata }: KubeObject): void => {
    heard.push(`${what} ${metadata.name}`);
    look();
  };
  informer.subscribe({ add: (object) => hear('ADDED', object), remove: (object) => hear('DELETED', object) });
  informer.start(scope);
  return {
    async until(wanted: readonly string[]): Promise<void> {
      const deadline = AbortSignal.timeout(60_000);
      await new Promise<void>((resolve, reject) => {
        look = () => heard.length >= wanted.length && resolve();
        deadline.addEventListener('abort', () => reject(new TestkitError(`only ${heard.join(', ')}`)), { once: true });
        look();
      });
      assert.deepEqual(heard.toSorted(), wanted.toSorted());
    },
    stop: () => scope.close(),
  };
}

behaviours('simulated', 'selectable fields of converted kinds', (check) => {
  check(
    '[sig-api-machinery] CustomResourceFieldSelectors [Privileged:ClusterAdmin] CustomResourceFieldSelectors MUST list and watch custom resources matching the field selector [Conformance]',
    async (world) => {
      const wish = {
        name: 'selectable',
        versions: { v1: strings('hostPort'), v2: strings('host', 'port') },
        fields: { v1: selectable('hostPort'), v2: selectable('host', 'port') },
      };
      await withConverted(world, wish, async (kind) => {
        const ref = (version: string): ResourceRef<KubeObject> => ({
          group: kind.group,
          version,
          resource: kind.plural,
          kind: kind.kind,
          namespaced: true,
        });
        const [v1, v2] = [requests(world, kind.path('v1')), requests(world, kind.path('v2'))];
        await v1.create(kind.object('probe', { hostPort: 'probe:1' }));
        await untilConverted(world, `${kind.path('v2')}/probe`);

        const rows = [
          ['v2', 'host=host1', ['first', 'second'], ['first', 'second']],
          ['v2', 'host=host1,port=80', ['first'], ['first']],
          ['v1', 'hostPort=host1:80', ['first'], ['first']],
        ] as const;
        const watches = await Promise.all(
          rows.map(async ([version, fieldSelector]) => record(world, ref(version), { fieldSelector })),
        );
        const informers = rows.map(([version, selector]) => heardBy(world, ref(version), selector));
        const created = { first: ['host1', '80'], second: ['host1', '8080'], third: ['host2', '80'] } as const;
        for (const [name, [host, port]] of Object.entries(created)) {
          await v2.create(kind.object(name, { host, port }, 'v2'));
        }

        const named = async (version: string, selector: string): Promise<(string | undefined)[]> => {
          const answered = await world.http(`${kind.path(version)}?fieldSelector=${encodeURIComponent(selector)}`);
          assert.equal(answered.code, 200, answered.text);
          return answered.json<{ items: Thing[] }>().items.map((item) => item.metadata.name);
        };
        const seen = async (index: number, wanted: readonly string[]): Promise<void> => {
          const watch = watches[index];
          const shown = () => watch?.events.map((e) => `${e.type} ${e.object.metadata.name}`) ?? [];
          await watch?.until(wanted.join(', '), () => shown().length >= wanted.length);
          assert.deepEqual(shown().toSorted(), wanted.toSorted());
          await informers[index]?.until(wanted);
        };
        for (const [index, [version, selector, names]] of rows.entries()) {
          assert.deepEqual(await named(version, selector), names);
          await seen(
            index,
            names.map((name) => `ADDED ${name}`),
          );
        }
        assert.deepEqual(await named('v1', 'hostPort=host1:8080'), ['second']);
        const wrong = await world.http(`${kind.path('v2')}?fieldSelector=hostPort%3Dx`);
        assert.equal(wrong.code, 400, 'a field of another version');

        const away = `${kind.path('v2')}?fieldSelector=${encodeURIComponent('host=host1,port=80')}`;
        assert.equal((await world.http(away, { method: 'DELETE' })).code, 200);
        await v2.update({ ...(await v2.get('second')), host: 'host2' });
        for (const [index, [version, selector, names, gone]] of rows.entries()) {
          assert.deepEqual(await named(version, selector), []);
          await seen(index, [...names.map((name) => `ADDED ${name}`), ...gone.map((name) => `DELETED ${name}`)]);
        }
        for (const watch of watches) watch.stop();
        for (const informer of informers) await informer.stop();
      });
    },
  );
});
