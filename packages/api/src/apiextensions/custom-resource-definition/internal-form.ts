/**
 * Versions and schemas as upstream's own kind has them, which is how its messages show them: Go's names for the fields, each of them
 * there, and nothing of what stands once for all versions. Messages are cut; what is beyond is not made.
 */
import type { CustomResourceDefinition, JSONSchemaProps } from '../../generated/apiextensions-v1.ts';
import { asSchema, membersOf } from './schema-parts.ts';
import { partPlaces } from './shared-parts.ts';

type Versions = CustomResourceDefinition['spec']['versions'];

/** More schemas than a message has room for. */
const SCHEMAS_MAX = 40;

/** What the schemas of one message have left. */
interface Room {
  schemas: number;
}

/** Fields of a schema in Go's order, with what stands for one that is not there, and how one that is there is shown. */
const FIELDS: readonly (readonly [
  name: string,
  key: string,
  empty: unknown,
  show?: (value: unknown, room: Room) => unknown,
])[] = [
  ['ID', 'id', ''],
  ['Schema', '$schema', ''],
  ['Ref', '$ref', null],
  ['Description', 'description', ''],
  ['Type', 'type', ''],
  ['Nullable', 'nullable', false],
  ['Format', 'format', ''],
  ['Title', 'title', ''],
  ['Default', 'default', null],
  ['Maximum', 'maximum', null],
  ['ExclusiveMaximum', 'exclusiveMaximum', false],
  ['Minimum', 'minimum', null],
  ['ExclusiveMinimum', 'exclusiveMinimum', false],
  ['MaxLength', 'maxLength', null],
  ['MinLength', 'minLength', null],
  ['Pattern', 'pattern', ''],
  ['MaxItems', 'maxItems', null],
  ['MinItems', 'minItems', null],
  ['UniqueItems', 'uniqueItems', false],
  ['MultipleOf', 'multipleOf', null],
  ['Enum', 'enum', null],
  ['MaxProperties', 'maxProperties', null],
  ['MinProperties', 'minProperties', null],
  ['Required', 'required', null],
  ['Items', 'items', null, showItems],
  ['AllOf', 'allOf', null, showList],
  ['OneOf', 'oneOf', null, showList],
  ['AnyOf', 'anyOf', null, showList],
  ['Not', 'not', null, showOne],
  ['Properties', 'properties', null, showMap],
  ['AdditionalProperties', 'additionalProperties', null, showAllowed],
  ['PatternProperties', 'patternProperties', null, showMap],
  ['Dependencies', 'dependencies', null, showDependencies],
  ['AdditionalItems', 'additionalItems', null, showAllowed],
  ['Definitions', 'definitions', null, showMap],
  ['ExternalDocs', 'externalDocs', null, showDocs],
  ['Example', 'example', null],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', null],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', false],
  ['XIntOrString', 'x-kubernetes-int-or-string', false],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', null],
  ['XListType', 'x-kubernetes-list-type', null],
  ['XMapType', 'x-kubernetes-map-type', null],
  ['XValidations', 'x-kubernetes-validations', null, showRules],
];

/** A schema as messages show it. */
export function shownSchema(schema: JSONSchemaProps): object {
  return showSchema(schema, { schemas: SCHEMAS_MAX });
}

/** Versions as messages show them. */
export function shownVersions(versions: Versions): readonly object[] {
  const room: Room = { schemas: SCHEMAS_MAX };
  const isShared = (part: 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'): boolean =>
    partPlaces(versions, part)[0]?.isShared === true;
  const [schemas, subresources, columns, fields] = [
    isShared('schema'),
    isShared('subresources'),
    isShared('additionalPrinterColumns'),
    isShared('selectableFields'),
  ];
  return versions.slice(0, SCHEMAS_MAX).map((version) => {
    const { name, served, storage, deprecated = false, deprecationWarning = null } = version;
    const schema = schemas ? undefined : version.schema?.openAPIV3Schema;
    return {
      Name: name,
      Served: served,
      Storage: storage,
      Deprecated: deprecated,
      DeprecationWarning: deprecationWarning,
      Schema: schema === undefined ? null : { OpenAPIV3Schema: showSchema(schema, room) },
      Subresources: subresources ? null : shownSubresources(version),
      AdditionalPrinterColumns: columns ? null : shownColumns(version),
      SelectableFields: fields ? null : shownFields(version),
    };
  });
}

type Version = Versions[number];

function shownSubresources({ subresources }: Version): object | null {
  if (subresources === undefined) return null;
  const { status, scale } = subresources;
  const shown = scale && {
    SpecReplicasPath: scale.specReplicasPath,
    StatusReplicasPath: scale.statusReplicasPath,
    LabelSelectorPath: scale.labelSelectorPath ?? null,
  };
  return { Status: status ?? null, Scale: shown ?? null };
}

function shownColumns({ additionalPrinterColumns: columns }: Version): readonly object[] | null {
  if (columns === undefined) return null;
  return columns.map(({ name, type, format = '', description = '', priority = 0, jsonPath }) => ({
    Name: name,
    Type: type,
    Format: format,
    Description: description,
    Priority: priority,
    JSONPath: jsonPath,
  }));
}

function shownFields({ selectableFields }: Version): readonly object[] | null {
  return selectableFields?.map(({ jsonPath }) => ({ JSONPath: jsonPath })) ?? null;
}

function showSchema(schema: JSONSchemaProps, room: Room): object {
  const given = schema as { readonly [key: string]: unknown };
  const shown: { [name: string]: unknown } = {};
  if (room.schemas-- <= 0) return shown;
  for (const [name, key, empty, show] of FIELDS) {
    const value = given[key];
    if (value === undefined || value === null) shown[name] = empty;
    else shown[name] = show === undefined ? value : show(value, room);
  }
  return shown;
}

function showOne(value: unknown, room: Room): object | null {
  const schema = asSchema(value);
  return schema === undefined ? null : showSchema(schema, room);
}

function showList(value: unknown, room: Room): unknown {
  return Array.isArray(value) ? value.slice(0, SCHEMAS_MAX).map((one) => showOne(one, room)) : null;
}

/** In the order of the names, as Go writes maps. */
function showMap(value: unknown, room: Room): unknown {
  const members = membersOf(value as { readonly [name: string]: unknown }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const shown = members.slice(0, Math.max(0, room.schemas)).map(([name, inner]) => [name, showSchema(inner, room)]);
  return Object.fromEntries(shown as [string, object][]);
}

function showDependencies(value: unknown, room: Room): unknown {
  const members = Object.entries(value as { readonly [name: string]: unknown }).slice(0, Math.max(0, room.schemas));
  return Object.fromEntries(
    members.map(([name, one]) => [
      name,
      { Schema: showOne(one, room), Property: Array.isArray(one) ? one.slice(0, SCHEMAS_MAX) : null },
    ]),
  );
}

function showItems(value: unknown, room: Room): object {
  return Array.isArray(value)
    ? { Schema: null, JSONSchemas: showList(value, room) }
    : { Schema: showOne(value, room), JSONSchemas: null };
}

function showAllowed(value: unknown, room: Room): object {
  return { Allows: value !== false, Schema: showOne(value, room) };
}

function showDocs(value: unknown): object {
  const { description = '', url = '' } = value as { readonly description?: string; readonly url?: string };
  return { Description: description, URL: url };
}

function showRules(value: unknown): unknown {
  return (value as NonNullable<JSONSchemaProps['x-kubernetes-validations']>)
    .slice(0, SCHEMAS_MAX)
    .map(({ rule, message = '', messageExpression = '', reason = null, fieldPath = '', optionalOldSelf = null }) => ({
      Rule: rule,
      Message: message,
      MessageExpression: messageExpression,
      Reason: reason,
      FieldPath: fieldPath,
      OptionalOldSelf: optionalOldSelf,
    }));
}
