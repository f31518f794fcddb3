import type { FieldSchema, SchemaTable, StructSchema } from '../../packages/machinery/src/schema/table.ts';
import {
  EMPTY_STRUCT,
  fieldsOf,
  isNeverEmpty,
  openApiField,
  openApiName,
  packages,
  protoNumbers,
  UNIONS,
  unionOf,
} from './model.ts';
import type { Field, Package, Type } from './model.ts';
import { openApi } from './facts.ts';

function ref(type: Type): string {
  switch (type.kind) {
    case 'scalar':
      return type.name;
    case 'list':
      return `[]${ref(type.of)}`;
    case 'map':
      return `{}${ref(type.of)}`;
    case 'named':
      return type.pkg.types[type.name]?.fields === undefined ? 'string' : `#${type.pkg.short}.${type.name}`;
  }
}

function marker(field: Field, name: string): string[] {
  return (field.source.markers ?? []).flatMap((m) => (m.startsWith(`+${name}=`) ? [m.slice(name.length + 2)] : []));
}

/** What a marker says is filled in; one that names a constant says nothing here. */
function markedDefault(field: Field): { default?: string | number | boolean } {
  const [text] = marker(field, 'default');
  return text === undefined || text.startsWith('ref(')
    ? {}
    : { default: JSON.parse(text) as string | number | boolean };
}

/** Of a list or a map: what its values are. */
function goEnum(type: Type): string[] | undefined {
  if (type.kind === 'list' || type.kind === 'map') return goEnum(type.of);
  if (type.kind !== 'named') return undefined;
  const target = type.pkg.types[type.name];
  return target?.enum === true ? target.values : undefined;
}

/** A type as Go's messages print it: package names instead of import aliases, no pointer at the front. */
function goText(pkg: Package, go: string): string {
  if (go.startsWith('*')) return goText(pkg, go.slice(1));
  if (go.startsWith('[]')) return `[]${goText(pkg, go.slice(2))}`;
  const map = /^map\[([^\]]*)\](.*)$/.exec(go);
  if (map !== null) return `map[${goText(pkg, map[1] as string)}]${goText(pkg, map[2] as string)}`;
  if (/^(string|bool|u?int\d*|float\d+)$/.test(go)) return go;
  if (go === 'byte') return 'uint8';
  const dot = go.indexOf('.');
  if (dot === -1) return `${pkg.short.slice(pkg.short.indexOf('.') + 1)}.${go}`;
  return `${/v\d+$/.exec(go.slice(0, dot))?.[0] ?? go.slice(0, dot)}${go.slice(dot)}`;
}

/** What machinery takes for the Go type when the table says nothing (its schema/go-type.ts). */
function assumedGo(type: string): string {
  if (type.startsWith('[]')) return `[]${assumedGo(type.slice(2))}`;
  if (type.startsWith('{}')) return `map[string]${assumedGo(type.slice(2))}`;
  if (type.startsWith('#')) return type.slice(type.indexOf('.') + 1);
  return ASSUMED[type] ?? type;
}

const ASSUMED: Record<string, string> = {
  double: 'float64',
  bytes: '[]uint8',
  Time: 'v1.Time',
  MicroTime: 'v1.MicroTime',
  Duration: 'v1.Duration',
  Quantity: 'resource.Quantity',
  IntOrString: 'intstr.IntOrString',
  RawExtension: 'runtime.RawExtension',
};

function fieldSchema(pkg: Package, typeName: string, field: Field): FieldSchema {
  const spec = openApiField(pkg.short, typeName, field.name);
  const values = spec.enum ?? goEnum(field.type);
  const listType = marker(field, 'listType')[0] ?? marker(field, 'k8s:listType')[0];
  const keys = marker(field, 'listMapKey');
  const numbers = protoNumbers(pkg.short, typeName, field);
  const type = ref(field.type);
  const go = goText(pkg, field.source.go);
  return {
    type,
    ...(go === assumedGo(type) ? {} : { go }),
    ...(field.source.omitempty ? { omitEmpty: true as const } : {}),
    ...(field.source.omitzero ? { omitZero: true as const } : {}),
    ...(READ_EMPTY.has(`${pkg.short}.${typeName}.${field.name}`) ? { readEmpty: true as const } : {}),
    ...(isNeverEmpty(pkg.short, typeName, field.name) ? { neverEmpty: true as const } : {}),
    ...(field.pointer ? { pointer: true as const } : {}),
    ...(spec.required ? { required: true as const } : {}),
    ...(values ? { enum: values } : {}),
    ...markedDefault(field),
    ...(listType ? { listType: listType as 'atomic' | 'set' | 'map' } : {}),
    ...(keys.length > 0 ? { listKeys: keys } : {}),
    ...(field.source.patchMergeKey ? { mergeKey: field.source.patchMergeKey } : {}),
    ...(field.source.patchStrategy ? { patchStrategy: field.source.patchStrategy } : {}),
    ...(marker(field, 'mapType')[0] === 'atomic' || marker(field, 'structType')[0] === 'atomic'
      ? { atomic: true as const }
      : {}),
    ...(numbers === undefined ? {} : { proto: numbers.own }),
    ...(numbers === undefined || numbers.within.length === 0 ? {} : { protoIn: numbers.within }),
  };
}

/** Where upstream fills in for no list, and refuses an empty one. */
const READ_EMPTY: ReadonlySet<string> = new Set(['autoscaling.v2.HPAScalingRules.policies']);

/** The schema table of every struct of the given packages. */
export function buildTable(): SchemaTable {
  const table: Record<string, StructSchema> = { [EMPTY_STRUCT.slice(1)]: { fields: {} } };
  for (const pkg of packages) {
    for (const [name, type] of Object.entries(pkg.types)) {
      if (type.fields === undefined) continue;
      const fields: Record<string, FieldSchema> = {};
      for (const field of fieldsOf(pkg, type)) fields[field.name] = fieldSchema(pkg, name, field);
      const atomic = openApi[openApiName(pkg.short, name)]?.['x-kubernetes-map-type'] === 'atomic';
      const union = UNIONS.has(`#${pkg.short}.${name}`) ? { union: unionOf(pkg.short, name) } : {};
      table[`${pkg.short}.${name}`] = { fields, ...union, ...(atomic ? { atomic: true as const } : {}) };
    }
  }
  return table;
}
