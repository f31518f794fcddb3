import { EMPTY_STRUCT, fieldsOf, isNeverEmpty, packages, resolveType, UNIONS } from './model.ts';
import type { Field, Package, Type } from './model.ts';

const SCALARS: Record<string, string> = {
  string: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  bytes: 'string',
  Time: 'string',
  MicroTime: 'string',
  Duration: 'string',
  Quantity: 'string',
  IntOrString: 'number | string',
  FieldsV1: '{ readonly [key: string]: unknown }',
  RawExtension: '{ readonly [key: string]: unknown }',
  JSON: 'unknown',
};

/** File (and door) of a package: `core.v1` → `core-v1`. */
export function fileOf(pkg: Package): string {
  return pkg.short.replace('.', '-');
}

function show(type: Type, home: Package, uses: Map<string, Set<string>>): string {
  switch (type.kind) {
    case 'scalar':
      if (UNIONS.has(type.name)) return 'unknown';
      if (type.name === EMPTY_STRUCT) return '{ readonly [key: string]: unknown }';
      return SCALARS[type.name] ?? fail(type.name);
    case 'list': {
      const inner = show(type.of, home, uses);
      return /[ |{]/.test(inner) ? `readonly (${inner})[]` : `readonly ${inner}[]`;
    }
    case 'map':
      return `{ readonly [key: string]: ${show(type.of, home, uses)} }`;
    case 'named': {
      if (type.pkg !== home) {
        const set = uses.get(type.pkg.short) ?? new Set();
        uses.set(type.pkg.short, set.add(type.name));
      }
      return type.name;
    }
  }
}

function fail(what: string): never {
  throw new Error(`no TypeScript for ${what}`);
}

/** What a caller may leave out: whatever Go omits when empty, except metadata and spec, which every object has. */
function isOptional(field: Field): boolean {
  if (field.pointer) return true;
  if (field.name === 'metadata' || field.name === 'spec') {
    const struct = field.type.kind === 'named';
    return !struct;
  }
  return field.source.omitempty === true || field.name === 'status';
}

/** Whether Go writes null for a list or map that has nothing in it, and nothing forbids that. */
function isNullForNone(pkg: Package, typeName: string, field: Field): boolean {
  const isMany = field.type.kind === 'list' || field.type.kind === 'map';
  if (!isMany || isOptional(field) || isNeverEmpty(pkg.short, typeName, field.name)) return false;
  // Of lists of objects: whoever serves them says [] for none.
  return !(typeName.endsWith('List') && field.name === 'items');
}

function renderType(pkg: Package, name: string, uses: Map<string, Set<string>>): string {
  const type = pkg.types[name] ?? fail(name);
  if (type.fields === undefined) {
    const values = type.enum === true && type.values !== undefined ? type.values : undefined;
    const text = values
      ? values.map((v) => `'${v}'`).join(' | ')
      : show(resolveType(pkg, type.alias ?? 'string').type, pkg, uses);
    return `export type ${name} = ${text};\n`;
  }
  const lines = fieldsOf(pkg, type).map((field) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(field.name) ? field.name : `'${field.name}'`;
    const orNull = isNullForNone(pkg, name, field) ? ' | null' : '';
    return `  readonly ${key}${isOptional(field) ? '?' : ''}: ${show(field.type, pkg, uses)}${orNull};`;
  });
  return lines.length === 0
    ? `export type ${name} = { readonly [key: string]: never };\n`
    : `export interface ${name} {\n${lines.join('\n')}\n}\n`;
}

/** The TypeScript file of one package. */
export function renderPackage(pkg: Package, header: string): string {
  const uses = new Map<string, Set<string>>();
  const names = Object.keys(pkg.types).filter(
    (n) => !(pkg.short === 'meta.v1' && ['Time', 'MicroTime', 'Duration', 'FieldsV1', 'TypeMeta'].includes(n)),
  );
  const body = names.map((name) => renderType(pkg, name, uses)).join('\n');
  const imports = [...uses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([short, set]) => {
      const from = short === 'meta.v1' ? '@binnacle/machinery' : `./${short.replace('.', '-')}.ts`;
      return `import type { ${[...set].sort().join(', ')} } from '${from}';\n`;
    });
  return `${header}${imports.join('')}\n${body}`;
}

export { packages };
