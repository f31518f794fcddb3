import type { SchemaProps } from '@binnacle/machinery/structural';

/** The schema of the items of a list. */
export function itemsOf({ items }: SchemaProps): SchemaProps | undefined {
  return asSchema(items);
}

/** The schema of the values of a map. */
export function additionalSchemaOf({ additionalProperties }: SchemaProps): SchemaProps | undefined {
  return asSchema(additionalProperties);
}

function asSchema(value: unknown): SchemaProps | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SchemaProps) : undefined;
}
