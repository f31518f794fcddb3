import assert from 'node:assert/strict';
import test, { describe, it } from 'node:test';
import { RESOURCES, RESOURCES_ON_REQUEST, schemaName, schemas } from '@binnacle/api';
import { TRACE_STRUCTS } from '../../trace/schema.ts';
import { definitionName, definitions } from './definition.ts';
import { descriptionOf } from './descriptions.ts';
import { V3 } from './dialect.ts';
import { KIND_TEXTS } from './texts/kinds.ts';

/** All kinds that are served, those of subresources too, but for those that are queries: every field is described, and every field below them. */
const KINDS = [...RESOURCES, ...RESOURCES_ON_REQUEST].flatMap(({ schema, group, version, subresources }) => [
  schema,
  ...subresources.map((part) => schemaName(part.group ?? group, part.version ?? version, part.kind)),
]);
const SERVED = [...new Set(KINDS)].filter((kind) => !kind.endsWith('Options') && schemas.struct(kind) !== undefined);

const ROWS: readonly (readonly [
  what: string,
  struct: string,
  field: string,
  isObject: boolean,
  text: RegExp | undefined,
])[] = [
  ['of every object', 'core.v1.Pod', 'apiVersion', true, /^APIVersion defines/],
  ['of its metadata', 'core.v1.Pod', 'metadata', true, /^Standard object's metadata/],
  ['of when it was made', 'meta.v1.ObjectMeta', 'creationTimestamp', false, /^CreationTimestamp is a timestamp/],
  ['of a field that is not there', 'core.v1.Binding', 'targets', true, undefined],
  ['of a kind that is another field', 'core.v1.ObjectReference', 'kind', false, /^Kind of the object/],
  ['of what an ephemeral container has as others do', 'core.v1.EphemeralContainer', 'image', false, /image/],
  ['of what it alone has', 'core.v1.EphemeralContainer', 'targetContainerName', false, /^Whose processes/],
  ['of a name of Object', 'constructor', 'constructor', true, undefined],
];
for (const [what, struct, field, isObject, text] of ROWS) {
  test(`what is said ${what}`, () => {
    const { description } = descriptionOf(struct, field, isObject);
    if (text === undefined) assert.equal(description, undefined);
    else assert.match(String(description), text);
  });
}

test('every field of the metadata is described', () => {
  const fields = Object.keys(schemas.struct('meta.v1.ObjectMeta')?.fields ?? {});
  assert.ok(fields.length > 10);
  for (const field of fields) {
    assert.ok(descriptionOf('meta.v1.ObjectMeta', field, false)['description'] !== undefined, field);
  }
});

test('every field of the trace group is described, in 25 words at most', () => {
  for (const [struct, { fields }] of Object.entries(TRACE_STRUCTS)) {
    if (struct.endsWith('List')) continue;
    for (const field of ['', ...Object.keys(fields)]) {
      const { description } = descriptionOf(struct, field, true);
      assert.ok(typeof description === 'string' && description.split(' ').length <= 25, `${struct} ${field}`);
    }
  }
});

describe('texts', () => {
  const shown = definitions(schemas, Object.keys(KIND_TEXTS), { dialect: V3, kinds: new Map() }) as {
    readonly [name: string]: {
      readonly description?: string;
      readonly properties?: { readonly [field: string]: { readonly description?: string } };
    };
  };

  it('are sentences of 25 words at most', () => {
    for (const [struct, fields] of Object.entries(KIND_TEXTS)) {
      for (const [field, text] of Object.entries(fields)) {
        assert.ok(text.split(' ').length <= 25, `${struct} ${field}: ${text}`);
        assert.match(text, /^["A-Za-z0-9$].*[.…]$/, `${struct} ${field}`);
      }
    }
  });

  it('are of fields that are there, and are shown there', () => {
    for (const [struct, fields] of Object.entries(KIND_TEXTS)) {
      const definition = shown[definitionName(struct)];
      for (const [field, text] of Object.entries(fields)) {
        const told = field === '' ? definition?.description : definition?.properties?.[field]?.description;
        assert.equal(told, text, `${struct} ${field}`);
      }
    }
  });

  it('leave out no field and no kind of what people write, look at or hear of', () => {
    const all = definitions(schemas, SERVED, { dialect: V3, kinds: new Map() }) as typeof shown;
    assert.ok(Object.keys(all).length > 300);
    const bare = Object.entries(all).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, { description }]) =>
        description === undefined ? [`${name} ${field}`] : [],
      ),
    );
    assert.deepEqual(bare, []);
    const unsaid = SERVED.filter((kind) => descriptionOf(kind, '', true)['description'] === undefined);
    assert.deepEqual(unsaid, []);
  });
});
