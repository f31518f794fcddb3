import { createSchemaRegistry } from '@binnacle/machinery';
import type { SchemaRegistry, SchemaTable } from '@binnacle/machinery';
import { SCHEMA_TABLE_JSON } from './generated/schema.ts';

/** The schema table of all kinds of v1.36 put to work; parsed on first use, walkers compiled as they are needed. */
export const schemas: SchemaRegistry = createSchemaRegistry(() => JSON.parse(SCHEMA_TABLE_JSON) as SchemaTable);
