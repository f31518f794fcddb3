import { isKnownFormat } from '@binnacle/machinery';
import type { CustomResourceDefinition, JSONSchemaProps } from '../../generated/apiextensions-v1.ts';
import { asSchema, junctorsOf, membersOf } from './schema-parts.ts';

/** Formats that nobody checks; those that were there before are no news. */
export function definitionWarnings(
  definition: CustomResourceDefinition,
  before?: CustomResourceDefinition,
): readonly string[] {
  const known = new Set(before === undefined ? [] : formatsOf(before));
  return [...new Set(formatsOf(definition))]
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function formatsOf({ spec }: CustomResourceDefinition): string[] {
  const found: string[] = [];
  for (const { schema } of spec.versions ?? []) collectFormats(schema?.openAPIV3Schema, found);
  return found;
}

function collectFormats(schema: JSONSchemaProps | undefined, found: string[]): void {
  if (schema === undefined) return;
  const { format, type = '' } = schema;
  if (format && !isKnownFormat(format, type)) found.push(format);
  collectFormats(asSchema(schema.items), found);
  for (const { part } of junctorsOf(schema)) collectFormats(part, found);
  for (const [, inner] of membersOf(schema.properties)) collectFormats(inner, found);
  collectFormats(asSchema(schema.additionalProperties), found);
}
