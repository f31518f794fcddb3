/** What the server publishes of custom kinds: OpenAPI, and what kubectl makes of it when it validates and explains. */
import assert from 'node:assert/strict';
import { findKubectl, kubectlOutput, lookUntil, runKubectl, TestkitError } from '@binnacle/testkit';
import { requests, writeAgain } from '../api-operations.ts';
import { DEFINITIONS_PATH, withKind } from '../custom-kinds.ts';
import type { ServedKind } from '../custom-kinds.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

const text = (description: string, more: object = {}) => ({ description, type: 'string', ...more });
const bar = {
  type: 'object',
  required: ['name'],
  properties: {
    name: text('Name of Bar.'),
    age: text('Age of Bar.'),
    feeling: text('Whether Bar is feeling great.', { enum: ['Great', 'Down'] }),
    bazs: { description: 'List of Bazs.', type: 'array', items: { type: 'string' } },
  },
};
const FOO = {
  description: 'Foo CRD for Testing',
  type: 'object',
  properties: {
    spec: {
      description: 'Specification of Foo',
      type: 'object',
      properties: { bars: { description: 'List of Bars and their specs.', type: 'array', items: bar } },
    },
    status: {
      description: 'Status of Foo',
      type: 'object',
      properties: { quxType: text('Of which sort qux is.', { pattern: 'in-tree|out-of-tree' }) },
    },
  },
};
const WALDO = {
  description: 'Waldo CRD for Testing',
  type: 'object',
  properties: {
    spec: {
      description: 'Specification of Waldo',
      type: 'object',
      properties: { dummy: { description: 'Dummy property.', type: 'object' } },
    },
  },
};
const UNKNOWN = { 'x-kubernetes-preserve-unknown-fields': true };

type Definitions = { readonly [name: string]: { readonly [member: string]: unknown } };
/** Versions of OpenAPI 2 documents are immutable: a client asks again with the tag that it has. */
async function published(world: World): Promise<Definitions> {
  const first = await world.http('/openapi/v2');
  assert.equal(first.code, 200);
  const again = await world.http('/openapi/v2', { headers: { 'if-none-match': String(first.headers['etag']) } });
  assert.ok(again.code === 304 || again.code === 200);
  return first.json<{ definitions: Definitions }>().definitions;
}

function definitionName({ group, kind }: ServedKind, version: string): string {
  return `${group.split('.').toReversed().join('.')}.${version}.${kind}`;
}

/** Waits until a version is published with a schema, or (undefined) not at all. */
async function untilPublished(world: World, kind: ServedKind, version: string, schema?: object): Promise<void> {
  const name = definitionName(kind, version);
  await lookUntil({
    what: `${name} to be published as ${JSON.stringify(schema)}`,
    look: async () => (await published(world))[name],
    until: (found) => (found === undefined ? schema === undefined : schema !== undefined && saysSame(found, schema)),
  });
}

/** Apart from what the server adds to every kind. */
function saysSame(found: Definitions[string], schema: object): boolean {
  const { apiVersion: _a, kind: _k, metadata: _m, ...properties } = (found['properties'] ?? {}) as Definitions;
  const rest = Object.keys(properties).length === 0 ? {} : { properties };
  const { properties: _p, 'x-kubernetes-group-version-kind': _gvk, ...outer } = found;
  try {
    assert.deepEqual({ ...outer, ...rest }, schema);
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) return false;
    throw error;
  }
}

const tool = await findKubectl();

/** kubectl in the behaviour's namespace: its output, or what it said when it failed. */
function kubectl(world: World) {
  if (tool === undefined) throw new TestkitError('this machine has no kubectl');
  const args = (text: string): string[] => ['--namespace', world.namespace, ...text.split(' ')];
  return {
    out: (command: string, input?: object) =>
      kubectlOutput(tool, world.kubeconfig, args(command), input && JSON.stringify(input)),
    fails: async (command: string, input?: object): Promise<string> => {
      const { code, stderr } = await runKubectl(tool, world.kubeconfig, args(command), input && JSON.stringify(input));
      assert.notEqual(code, 0, command);
      return stderr;
    },
  };
}

/** Created, deleted, applied, deleted: no field of the object is refused. */
async function accepted(world: World, kind: ServedKind, fields: object): Promise<void> {
  const { out } = kubectl(world);
  for (const verb of ['create', 'apply']) {
    await out(`${verb} -f -`, kind.object('test-cr', fields));
    await out(`delete ${kind.name} test-cr`);
  }
}

behaviours('simulated', 'published schemas, seen by kubectl', (check) => {
  check(
    '[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for CRD with validation schema [Conformance]',
    (world) =>
      withKind(world, { name: 'foo', versions: { v1: FOO } }, async (kind) => {
        await untilPublished(world, kind, 'v1', FOO);
        const { out, fails } = kubectl(world);
        const of = (bars: object): object => kind.object('test-foo', { spec: { bars: [bars] } });
        await accepted(world, kind, { spec: { bars: [{ name: 'test-bar' }] } });
        const bad = of({ name: 'test-bar', feeling: 'NonExistentValue' });
        assert.match(await fails('create -f -', bad), /Unsupported value: "NonExistentValue"/);
        for (const verb of ['create', 'apply']) {
          const unknown = kind.object('test-foo', { spec: { foo: true } });
          assert.match(await fails(`${verb} -f -`, unknown), /unknown field "spec\.foo"/);
          assert.match(await fails(`${verb} -f -`, of({ age: '10' })), /spec\.bars\[0\]\.name: Required value/);
        }
        const rows = [
          [
            '',
            /DESCRIPTION:.*Foo CRD for Testing.*FIELDS:.*apiVersion.*<string>.*APIVersion defines.*spec.*<Object>.*Specification of Foo/s,
          ],
          [
            '.metadata',
            /DESCRIPTION:.*Standard object's metadata.*FIELDS:.*creationTimestamp.*<string>.*CreationTimestamp is a timestamp/s,
          ],
          ['.spec', /DESCRIPTION:.*Specification of Foo.*FIELDS:.*bars.*<\[\]Object>.*List of Bars and their specs/s],
          [
            '.spec.bars',
            /bars.*<\[\]Object>.*DESCRIPTION:.*List of Bars and their specs.*FIELDS:.*bazs.*<\[\]string>.*List of Bazs.*name.*<string>.*Name of Bar/s,
          ],
        ] as const;
        for (const [path, pattern] of rows) assert.match(await out(`explain ${kind.plural}${path}`), pattern);
        assert.match(await fails(`explain ${kind.plural}.spec.bars2`), /field "bars2" does not exist/);
      }),
  );

  check(
    '[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for CRD without validation schema [Conformance]',
    (world) =>
      withKind(world, { name: 'bare' }, async (kind) => {
        await untilPublished(world, kind, 'v1', { type: 'object' });
        await accepted(world, kind, { a: { b: [{ c: 'd' }] } });
        assert.match(await kubectl(world).out(`explain ${kind.plural}`), /DESCRIPTION:.*<empty>/s);
      }),
  );

  check(
    '[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for CRD preserving unknown fields at the schema root [Conformance]',
    (world) =>
      withKind(world, { name: 'rootfree', versions: { v1: { ...WALDO, ...UNKNOWN } } }, async (kind) => {
        await untilPublished(world, kind, 'v1', { type: 'object' });
        await accepted(world, kind, { a: { b: [{ c: 'd' }] } });
        assert.match(await kubectl(world).out(`explain ${kind.plural}`), new RegExp(`KIND:.*${kind.kind}`, 's'));
      }),
  );

  check(
    '[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for CRD preserving unknown fields in an embedded object [Conformance]',
    (world) => {
      const description = 'preserve-unknown-properties in nested field for Testing';
      const spec = { ...WALDO.properties.spec, ...UNKNOWN };
      const schema = { type: 'object', description, properties: { spec } };
      return withKind(world, { name: 'nestedfree', versions: { v1: schema } }, async (kind) => {
        const { description: said } = spec;
        await untilPublished(world, kind, 'v1', {
          type: 'object',
          description,
          properties: { spec: { description: said, ...UNKNOWN } },
        });
        await accepted(world, kind, { spec: { a: null, b: [{ c: 'd' }] } });
        const explained = await kubectl(world).out(`explain ${kind.plural}`);
        assert.match(explained, /DESCRIPTION:.*preserve-unknown-properties in nested field for Testing/s);
      });
    },
  );
});

behaviours('simulated', 'published schemas of several kinds and versions', (check) => {
  check(
    '[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for multiple CRDs of different groups [Conformance]',
    (world) =>
      withKind(world, { name: 'foo', versions: { v1: FOO } }, (foo) =>
        withKind(world, { name: 'waldo', versions: { v1beta1: WALDO } }, async (waldo) => {
          assert.notEqual(foo.group, waldo.group);
          await untilPublished(world, waldo, 'v1beta1', WALDO);
          await untilPublished(world, foo, 'v1', FOO);
        }),
      ),
  );

  check(
    '[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for multiple CRDs of same group and version but different kinds [Conformance]',
    async (world) => {
      const group = `common.${world.namespace}.example.com`;
      await withKind(world, { name: 'foo', group, versions: { v6: FOO } }, (foo) =>
        withKind(world, { name: 'waldo', group, versions: { v6: WALDO } }, async (waldo) => {
          await untilPublished(world, waldo, 'v6', WALDO);
          await untilPublished(world, foo, 'v6', FOO);
        }),
      );
    },
  );

  check(
    '[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] works for multiple CRDs of same group but different versions [Conformance]',
    async (world) => {
      const group = `versions.${world.namespace}.example.com`;
      await withKind(world, { name: 'several', versions: { v2: FOO, v3: FOO } }, async (kind) => {
        for (const version of ['v2', 'v3']) await untilPublished(world, kind, version, FOO);
      });
      await withKind(world, { name: 'foo', group, versions: { v4: FOO } }, (foo) =>
        withKind(world, { name: 'waldo', group, versions: { v5: WALDO } }, async (waldo) => {
          await untilPublished(world, foo, 'v4', FOO);
          await untilPublished(world, waldo, 'v5', WALDO);
        }),
      );
    },
  );

  check(
    '[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] updates the published spec when one version gets renamed [Conformance]',
    (world) =>
      withKind(world, { name: 'renamed', versions: { v2: FOO, v3: FOO } }, async (kind) => {
        for (const version of ['v2', 'v3']) await untilPublished(world, kind, version, FOO);
        const answer = await world.http(`${DEFINITIONS_PATH}/${kind.name}`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json-patch+json' },
          body: [
            { op: 'test', path: '/spec/versions/1/name', value: 'v3' },
            { op: 'replace', path: '/spec/versions/1/name', value: 'v4' },
          ],
        });
        assert.equal(answer.code, 200, answer.text);
        await untilPublished(world, kind, 'v4', FOO);
        await untilPublished(world, kind, 'v3');
        await untilPublished(world, kind, 'v2', FOO);
      }),
  );

  check(
    '[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin] removes definition from spec when one version gets changed to not be served [Conformance]',
    (world) =>
      withKind(world, { name: 'narrowed', versions: { v5: FOO, v6alpha1: FOO } }, async (kind) => {
        for (const version of ['v5', 'v6alpha1']) await untilPublished(world, kind, version, FOO);
        const api = requests(world, DEFINITIONS_PATH);
        await writeAgain(async () => {
          const current = await api.get(kind.name);
          const { versions } = current.spec as { versions: { name: string }[] };
          const narrowed = versions.map((v) => ({ ...v, served: v.name === 'v5' }));
          return api.update({ ...current, spec: { ...(current.spec as object), versions: narrowed } });
        });
        await untilPublished(world, kind, 'v6alpha1');
        await untilPublished(world, kind, 'v5', FOO);
      }),
  );
});
