/** A schema of OpenAPI v3, as far as editing needs it. */
export interface Schema {
  readonly type?: string;
  /** `byte`: base64. */
  readonly format?: string;
  readonly description?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

/** The document of one group and version. */
export interface SchemaDocument {
  readonly components?: { readonly schemas?: { readonly [name: string]: Schema } };
}

/** The kinds of one document, followed over references. */
export class Schemas {
  readonly #schemas: { readonly [name: string]: Schema };

  constructor({ components }: SchemaDocument) {
    this.#schemas = components?.schemas ?? {};
  }

  /** The schema of a kind; undefined: the document has none. */
  rootOf({
    group,
    version,
    kind,
  }: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }): Schema | undefined {
    return Object.values(this.#schemas).find((schema) =>
      (schema['x-kubernetes-group-version-kind'] ?? []).some(
        (one) => one.group === group && one.version === version && one.kind === kind,
      ),
    );
  }

  /** What is said of a place: keys, and `[]` for items of lists. */
  at(root: Schema, path: readonly string[]): Schema | undefined {
    let schema: Schema | undefined = this.#whole(root);
    for (const step of path) {
      if (schema === undefined) return undefined;
      schema = this.#whole(this.#below(schema, step));
    }
    return schema;
  }

  #below({ properties, items, additionalProperties }: Schema, step: string): Schema | undefined {
    if (step === '[]') return items;
    if (properties !== undefined && Object.hasOwn(properties, step)) return properties[step];
    return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  }

  /** With what it refers to; its own words come first. */
  #whole(schema: Schema | undefined): Schema | undefined {
    if (schema === undefined) return undefined;
    const reference = schema.$ref ?? schema.allOf?.find(({ $ref }) => $ref !== undefined)?.$ref;
    const name = reference?.split('/').at(-1) ?? '';
    return Object.hasOwn(this.#schemas, name) ? { ...this.#schemas[name], ...schema } : schema;
  }
}

/** What can be written as a key of a map. */
export interface KnownKey {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** The keys of an object, the required ones first. */
export function keysOf(schemas: Schemas, schema: Schema): readonly KnownKey[] {
  const required = new Set(schema.required);
  return Object.keys(schema.properties ?? {})
    .map((name) => {
      const inner = schemas.at(schema, [name]) ?? {};
      return { name, type: typeOf(inner), description: inner.description ?? '', isRequired: required.has(name) };
    })
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** `string`, `[]object`, `map`. */
export function typeOf({ type, items, properties, additionalProperties, $ref }: Schema): string {
  if (type === 'array') return `[]${items === undefined ? '' : typeOf(items)}`;
  if (additionalProperties !== undefined && properties === undefined) return 'map';
  return type ?? ($ref === undefined ? '' : 'object');
}

/** Values of which one has to be; empty: any. */
export function valuesOf(schema: Schema): readonly string[] {
  if (schema.type === 'boolean') return ['true', 'false'];
  // Once each: a definition may say one twice, which no field of choices takes.
  return [...new Set((schema.enum ?? []).map(String))];
}
