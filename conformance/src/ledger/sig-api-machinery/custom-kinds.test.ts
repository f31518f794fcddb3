/** Custom resource definitions: their life, defaults, watches, discovery, and what a strict write refuses. */
import assert from 'node:assert/strict';
import { lookUntil } from '@binnacle/testkit';
import { requests, writeAgain } from '../api-operations.ts';
import type { Thing } from '../api-operations.ts';
import { DEFINITIONS, DEFINITIONS_PATH, defineKind, forgetKind, withKind } from '../custom-kinds.ts';
import type { ServedKind } from '../custom-kinds.ts';
import { record, untilOne } from '../objects.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

interface Conditions {
  conditions: { type?: string; message?: string }[];
}
function messagesOf(definition: Thing): (string | undefined)[] {
  return (definition.status as Conditions).conditions.map((c) => c.message);
}

behaviours('simulated', 'custom resource definitions', (check) => {
  check(
    '[sig-api-machinery] CustomResourceDefinition resources [Privileged:ClusterAdmin] Simple CustomResourceDefinition creating/deleting custom resource definition objects works [Conformance]',
    async (world) => {
      await withKind(world, { name: 'simple', scope: 'Cluster' }, async (kind) => {
        const api = requests(world, kind.path());
        await api.create(kind.object('one', { spec: { any: ['thing'] } }));
        assert.deepEqual((await api.get('one'))['spec'], { any: ['thing'] });
      });
    },
  );

  check(
    '[sig-api-machinery] CustomResourceDefinition resources [Privileged:ClusterAdmin] Simple CustomResourceDefinition listing custom resource definition objects works [Conformance]',
    async (world) => {
      const labels = { ledger: world.namespace };
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((letter) => `listed${letter}`);
      const kinds: ServedKind[] = [];
      for (const name of names) kinds.push(await defineKind(world, { name, scope: 'Cluster', labels }));
      const other = await defineKind(world, { name: 'unlabelled', scope: 'Cluster' });
      const api = requests(world, DEFINITIONS_PATH);
      const selector = `ledger=${world.namespace}`;
      const { items } = await api.list(selector);
      assert.deepEqual(
        items.map((item) => [item.metadata.name, item.spec]),
        kinds
          .map((kind): [string, unknown] => [kind.name, kind.definition.spec])
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      );
      await api.deleteCollection(selector);
      for (const { name } of kinds) await untilOne(world, DEFINITIONS, { name, what: 'gone' });
      assert.equal((await api.get(other.name)).metadata.name, other.name, 'the others stay');
      await forgetKind(world, other.name);
    },
  );

  check(
    '[sig-api-machinery] CustomResourceDefinition resources [Privileged:ClusterAdmin] Simple CustomResourceDefinition getting/updating/patching custom resource definition status sub-resource works [Conformance]',
    async (world) => {
      await withKind(world, { name: 'status', scope: 'Cluster' }, async (kind) => {
        const api = requests(world, DEFINITIONS_PATH);
        const read = await api.get(kind.name, '/status');
        assert.deepEqual(read.spec, kind.definition.spec);
        // Upstream's client sends the condition with every field, empty ones too.
        const condition = (message: string) => ({
          type: '',
          status: '',
          lastTransitionTime: null,
          reason: '',
          message,
        });
        const updated = await writeAgain(async () => {
          const now = await api.get(kind.name, '/status');
          const { conditions } = now.status as Conditions;
          const status = { ...(now.status as object), conditions: [...conditions, condition('updated')] };
          return api.update({ ...now, status }, '/status');
        });
        assert.ok(messagesOf(updated).includes('updated'));
        assert.ok(messagesOf(await api.get(kind.name)).includes('updated'), 'seen by the next read');
        const answer = await world.http(`${DEFINITIONS_PATH}/${kind.name}/status`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json-patch+json' },
          body: [{ op: 'add', path: '/status/conditions', value: [{ message: 'patched' }] }],
        });
        assert.equal(answer.code, 200, answer.text);
        assert.deepEqual(messagesOf(answer.json<Thing>()), ['patched']);
        assert.deepEqual(answer.json<Thing>().spec, kind.definition.spec, 'the spec is another resource');
      });
    },
  );

  check(
    '[sig-api-machinery] CustomResourceDefinition resources [Privileged:ClusterAdmin] should include custom resource definition resources in discovery documents [Conformance]',
    async (world) => {
      interface Versions {
        name: string;
        versions: { version: string; groupVersion: string }[];
      }
      const { groups } = (await world.http('/apis')).json<{ groups: Versions[] }>();
      const one = (await world.http('/apis/apiextensions.k8s.io')).json<Versions>();
      assert.equal(one.name, 'apiextensions.k8s.io');
      for (const group of [groups.find((g) => g.name === one.name), one]) {
        assert.ok(group?.versions.some((v) => v.version === 'v1' && v.groupVersion === 'apiextensions.k8s.io/v1'));
      }
      const list = (await world.http('/apis/apiextensions.k8s.io/v1')).json<{
        groupVersion: string;
        resources: { name: string }[];
      }>();
      assert.equal(list.groupVersion, 'apiextensions.k8s.io/v1');
      assert.ok(list.resources.some((r) => r.name === 'customresourcedefinitions'));
    },
  );

  check(
    '[sig-api-machinery] CustomResourceDefinition resources [Privileged:ClusterAdmin] custom resource defaulting for requests and from storage works [Conformance]',
    async (world) => {
      const properties = { a: { type: 'string' }, b: { type: 'string' } };
      const wish = { name: 'defaulted', scope: 'Cluster', versions: { v1: { type: 'object', properties } } } as const;
      await withKind(world, wish, async (kind) => {
        const api = requests(world, kind.path());
        const schema = '/spec/versions/0/schema/openAPIV3Schema/properties';
        const change = async (body: readonly object[]): Promise<void> => {
          const headers = { 'content-type': 'application/json-patch+json' };
          const answer = await world.http(`${DEFINITIONS_PATH}/${kind.name}`, { method: 'PATCH', headers, body });
          assert.equal(answer.code, 200, answer.text);
        };
        await api.create(kind.object('one'));
        assert.equal((await api.get('one'))['a'], undefined);
        await change([{ op: 'add', path: `${schema}/a/default`, value: 'A' }]);
        const untilRead = (name: string, field: string, value: string): Promise<Thing> =>
          // A changed definition is served a moment after its write.
          lookUntil({
            what: `${name} to have its default of ${field} when it is read`,
            look: () => api.get(name),
            until: (read) => read[field] === value,
          });
        await untilRead('one', 'a', 'A');
        assert.equal((await api.create(kind.object('two')))['a'], 'A', 'and a new one when it is made');
        await change([
          { op: 'remove', path: `${schema}/a/default` },
          { op: 'add', path: `${schema}/b/default`, value: 'B' },
        ]);
        const two = await untilRead('two', 'b', 'B');
        assert.deepEqual([two['a'], two['b']], ['A', 'B'], 'what was stored with its default keeps it');
        const one = await api.get('one');
        assert.deepEqual([one['a'], one['b']], [undefined, 'B'], 'what never was stored is gone with the default');
        assert.ok(BigInt(one.metadata.resourceVersion ?? '0') < BigInt(two.metadata.resourceVersion ?? '0'));
      });
    },
  );

  check(
    '[sig-api-machinery] CustomResourceDefinition Watch [Privileged:ClusterAdmin] CustomResourceDefinition Watch watch on custom resource definition objects [Conformance]',
    async (world) => {
      await withKind(world, { name: 'watched', scope: 'Cluster' }, async (kind) => {
        const resource = {
          group: kind.group,
          version: 'v1',
          resource: kind.plural,
          kind: kind.kind,
          namespaced: false,
        };
        const api = requests(world, kind.path());
        const labelled = (name: string): Thing => kind.object(name, { metadata: { labels: { own: name } } });
        const [a, b] = [await record(world, resource, 'own=a'), await record(world, resource, 'own=b')];
        for (const name of ['a', 'b']) await api.create(labelled(name));
        for (const name of ['a', 'b']) await api.patch(name, { content: { a: 'changed' } });
        for (const name of ['a', 'b']) await api.delete(name);
        for (const [name, seen] of Object.entries({ a, b })) {
          await seen.until('three events', (events) => events.length >= 3);
          assert.deepEqual(
            seen.events.map((e) => [e.type, e.object.metadata.name]),
            [
              ['ADDED', name],
              ['MODIFIED', name],
              ['DELETED', name],
            ],
          );
          seen.stop();
        }
      });
    },
  );
});

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
interface Aggregated {
  items: {
    metadata: { name?: string };
    versions: {
      version: string;
      resources: { resource: string; responseKind: { group: string; version: string; kind: string }; scope: string }[];
    }[];
  }[];
}

async function assertAggregated(world: World, accept: string): Promise<void> {
  await withKind(world, { name: 'found', scope: 'Cluster' }, async (kind) => {
    const answer = await world.http('/apis', { headers: { accept } });
    assert.match(String(answer.headers['content-type']), /g=apidiscovery\.k8s\.io;v=v2;as=APIGroupDiscoveryList/);
    const group = answer.json<Aggregated>().items.find((item) => item.metadata.name === kind.group);
    assert.deepEqual(
      group?.versions.map((v) => [v.version, v.resources.map((r) => [r.resource, r.responseKind, r.scope])]),
      [['v1', [[kind.plural, { group: kind.group, version: 'v1', kind: kind.kind }, 'Cluster']]]],
    );
  });
}

behaviours('simulated', 'discovery of custom kinds', (check) => {
  check(
    '[sig-api-machinery] AggregatedDiscovery should support raw aggregated discovery request for CRDs [Conformance]',
    (world) => assertAggregated(world, AGGREGATED),
  );
  check(
    '[sig-api-machinery] AggregatedDiscovery should support aggregated discovery interface for CRDs [Conformance]',
    // As upstream's client asks: both versions of the document, then the plain one.
    (world) => assertAggregated(world, `${AGGREGATED},${AGGREGATED.replace('v=v2', 'v=v2beta1')},application/json`),
  );
});

const PORTS = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
  items: {
    type: 'object',
    required: ['containerPort', 'protocol'],
    properties: {
      containerPort: { type: 'integer', format: 'int32' },
      hostPort: { type: 'integer', format: 'int32' },
      name: { type: 'string' },
      protocol: { type: 'string' },
    },
  },
};
const SPEC = {
  type: 'object',
  properties: {
    foo: { type: 'string' },
    cronSpec: { type: 'string', pattern: String.raw`^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$` },
    ports: PORTS,
  },
};
const KEPT = { ...SPEC, 'x-kubernetes-preserve-unknown-fields': true };

/** A strict server-side apply of `lines` to the object `mytest`. */
async function applied(world: World, kind: ServedKind, lines: readonly string[]) {
  const query = 'fieldManager=field_validation_mgr&fieldValidation=Strict';
  return world.http(`${kind.path()}/mytest?${query}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: [`apiVersion: ${kind.group}/v1`, `kind: ${kind.kind}`, 'metadata:', '  name: mytest', ...lines].join('\n'),
  });
}
const VALID = ['  cronSpec: "* * * * */5"', '  ports:', '  - { name: x, containerPort: 80, protocol: TCP }'];

behaviours('simulated', 'field validation of custom kinds', (check) => {
  const wish = (spec: object) => ({
    name: 'strict',
    scope: 'Cluster' as const,
    versions: { v1: { type: 'object', properties: { spec } } },
  });

  check(
    '[sig-api-machinery] FieldValidation should create/apply a valid CR for CRD with validation schema [Conformance]',
    (world) =>
      withKind(world, wish(SPEC), async (kind) => {
        const answer = await applied(world, kind, ['spec:', '  foo: foo1', ...VALID]);
        assert.equal(answer.code, 201, answer.text);
        assert.deepEqual(answer.json<Thing>().spec, {
          foo: 'foo1',
          cronSpec: '* * * * */5',
          ports: [{ name: 'x', containerPort: 80, protocol: 'TCP' }],
        });
      }),
  );

  check(
    '[sig-api-machinery] FieldValidation should create/apply a CR with unknown fields for CRD with no validation schema [Conformance]',
    (world) =>
      withKind(world, { name: 'loose', scope: 'Cluster' }, async (kind) => {
        const answer = await applied(world, kind, ['spec:', '  unknown: uk1', ...VALID]);
        assert.equal(answer.code, 201, answer.text);
        assert.partialDeepStrictEqual(answer.json<Thing>().spec, { unknown: 'uk1' });
      }),
  );

  check(
    '[sig-api-machinery] FieldValidation should create/apply an invalid CR with extra properties for CRD with validation schema [Conformance]',
    (world) =>
      withKind(world, wish(SPEC), async (kind) => {
        const answer = await applied(world, kind, ['unknownField: unknown', 'spec:', '  foo: foo1', ...VALID]);
        assert.notEqual(Math.floor(answer.code / 100), 2);
        assert.match(answer.text, /\.unknownField: field not declared in schema/);
      }),
  );

  check(
    '[sig-api-machinery] FieldValidation should detect unknown metadata fields in both the root and embedded object of a CR [Conformance]',
    async (world) => {
      const template = {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: {
          metadata: { type: 'object', properties: { name: { type: 'string' } } },
          spec: { type: 'object' },
        },
      };
      const spec = { ...KEPT, properties: { ...KEPT.properties, template } };
      await withKind(world, wish(spec), async (kind) => {
        const embedded = ['  template:', '    apiVersion: foo/v1', '    kind: Sub', '    metadata:'];
        const of = (root: string, inner: string): string[] => [
          root,
          ...['spec:', ...embedded, '      name: subobject', inner, '  foo: foo1', ...VALID],
        ];
        const rows = [
          ['root', '  unknownMeta: unknown', '      namespace: default', '.metadata.unknownMeta'],
          ['embedded', '  labels: {}', '      unknownSubMeta: unknown', '.spec.template.metadata.unknownSubMeta'],
        ] as const;
        for (const [where, root, inner, path] of rows) {
          const answer = await applied(world, kind, of(root, inner));
          assert.notEqual(Math.floor(answer.code / 100), 2, where);
          assert.ok(answer.text.includes(`${path}: field not declared in schema`), `${where}: ${answer.text}`);
        }
      });
    },
  );

  check(
    '[sig-api-machinery] FieldValidation should detect duplicates in a CR when preserving unknown fields [Conformance]',
    (world) =>
      withKind(world, wish(KEPT), async (kind) => {
        const lines = ['spec:', '  unknown: uk1', '  foo: foo1', '  foo: foo2', ...VALID];
        const answer = await applied(world, kind, lines);
        assert.equal(answer.code, 400, answer.text);
        assert.match(answer.json<{ message: string }>().message, /line 8: key "foo" already set in map/);
      }),
  );
});
