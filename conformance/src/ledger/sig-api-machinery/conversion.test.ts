/** Custom kinds whose versions a webhook converts: a server of our own, asked over TLS behind a Service. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startTlsServer } from '@binnacle/testkit';
import { requests } from '../api-operations.ts';
import type { Thing } from '../api-operations.ts';
import { ANYTHING, DEFINITIONS_PATH, withKind } from '../custom-kinds.ts';
import type { ServedKind } from '../custom-kinds.ts';
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
async function withConverted(world: World, name: string, body: (kind: ServedKind) => Promise<void>): Promise<void> {
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
    await withKind(world, { name, versions: { v1: ANYTHING, v2: ANYTHING } }, async (kind) => {
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
  const deadline = Date.now() + 20_000;
  for (;;) {
    const answered = await world.http(path);
    if (answered.code === 200 && answered.json<Thing>()['host'] !== undefined) return answered.json<Thing>();
    assert.ok(Date.now() < deadline, answered.text);
  }
}

const fieldsOf = ({ apiVersion, hostPort, host, port }: Thing): unknown[] => [apiVersion, hostPort, host, port];

behaviours('simulated', 'conversion webhooks', (check) => {
  check(
    '[sig-api-machinery] CustomResourceConversionWebhook [Privileged:ClusterAdmin] should be able to convert from CR v1 to CR v2 [Conformance]',
    async (world) => {
      await withConverted(world, 'multiversion', async (kind) => {
        await requests(world, kind.path('v1')).create(kind.object('name-1', { hostPort: 'localhost:8080' }));
        const v2 = await untilConverted(world, `${kind.path('v2')}/name-1`);
        assert.deepEqual(fieldsOf(v2), [`${kind.group}/v2`, undefined, 'localhost', '8080']);
      });
    },
  );

  check(
    '[sig-api-machinery] CustomResourceConversionWebhook [Privileged:ClusterAdmin] should be able to convert a non homogeneous list of CRs [Conformance]',
    async (world) => {
      await withConverted(world, 'mixed', async (kind) => {
        await requests(world, kind.path('v1')).create(kind.object('name-1', { hostPort: 'localhost:8080' }));
        await untilConverted(world, `${kind.path('v2')}/name-1`);
        const definitions = requests(world, DEFINITIONS_PATH);
        const { spec, ...definition } = await definitions.get(kind.name);
        const { versions, ...rest } = spec as { versions: { name: string }[] };
        const stored = versions.map((version) => ({ ...version, storage: version.name === 'v2' }));
        await definitions.update({ ...definition, spec: { ...rest, versions: stored } });
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
