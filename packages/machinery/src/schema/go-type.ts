import type { TypeRef } from './table.ts';

const GO_TYPES: { readonly [type: string]: string } = {
  double: 'float64',
  bytes: '[]uint8',
  Time: 'v1.Time',
  MicroTime: 'v1.MicroTime',
  Duration: 'v1.Duration',
  Quantity: 'resource.Quantity',
  IntOrString: 'intstr.IntOrString',
  RawExtension: 'runtime.RawExtension',
};

/** The Go type that a type of the table has unless the field says otherwise: `[]v1.Container`, `map[string]string`. */
export function plainGoType(type: TypeRef): string {
  if (type.startsWith('[]')) return `[]${plainGoType(type.slice(2))}`;
  if (type.startsWith('{}')) return `map[string]${plainGoType(type.slice(2))}`;
  if (type.startsWith('#')) return type.slice(type.indexOf('.') + 1);
  return GO_TYPES[type] ?? type;
}
