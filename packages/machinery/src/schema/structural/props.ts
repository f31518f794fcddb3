/** OpenAPI v3 schemas as definitions of custom kinds carry them (`JSONSchemaProps`), read only. */
export interface SchemaProps {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[] | null;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  /** One schema for all items; the list form of OpenAPI is refused by whoever takes definitions. */
  readonly items?: unknown;
  readonly allOf?: readonly SchemaProps[];
  readonly oneOf?: readonly SchemaProps[];
  readonly anyOf?: readonly SchemaProps[];
  readonly not?: SchemaProps;
  readonly properties?: { readonly [name: string]: SchemaProps };
  /** A schema, or whether anything goes. */
  readonly additionalProperties?: unknown;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly unknown[];
}

/** The schema of all items of a list; undefined where there is none. */
export function itemsOf(props: SchemaProps): SchemaProps | undefined {
  return asSchema(props.items);
}

/** The schema of the members that no property names; undefined where there is none, or anything goes. */
export function additionalOf(props: SchemaProps): SchemaProps | undefined {
  return asSchema(props.additionalProperties);
}

function asSchema(value: unknown): SchemaProps | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SchemaProps) : undefined;
}
