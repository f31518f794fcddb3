import { assert } from '@binnacle/base';
import { createSchemaRegistry } from './registry.ts';
import type { SchemaRegistry } from './registry.ts';
import type { SchemaTable, StructSchema } from './table.ts';
import type { Decoded, FieldValidation } from './walker.ts';

/**
 * Schemas of several owners as one registry: a base, shared with others and compiled once, and layers on top that
 * come and go by name (a custom kind's, one per definition). Structs of a layer may use those of the base, and
 * none of another layer; no two layers may have a struct of one name.
 */
export class SchemaLayers implements SchemaRegistry {
  readonly #base: SchemaRegistry;
  readonly #layers = new Map<string, SchemaTable>();
  /** By the name of the struct: the layer that has it. */
  readonly #owners = new Map<string, SchemaRegistry>();
  #table: SchemaTable | undefined;

  constructor(base: SchemaRegistry) {
    this.#base = base;
  }

  get table(): SchemaTable {
    this.#table ??= Object.assign({}, this.#base.table, ...this.#layers.values()) as SchemaTable;
    return this.#table;
  }

  /** Lays a table on top, in the place of the layer of that name where there is one. */
  put(layer: string, table: SchemaTable): void {
    this.drop(layer);
    const registry = createSchemaRegistry(table, this.#base);
    for (const struct of Object.keys(table)) {
      assert(this.struct(struct) === undefined, 'a struct has one owner', { layer, struct });
    }
    for (const struct of Object.keys(table)) this.#owners.set(struct, registry);
    this.#layers.set(layer, table);
  }

  /** Takes a layer away; nothing happens where there is none. */
  drop(layer: string): void {
    for (const struct of Object.keys(this.#layers.get(layer) ?? {})) this.#owners.delete(struct);
    this.#layers.delete(layer);
    this.#table = undefined;
  }

  /** The registry that has a struct: it stays as it is when its layer is replaced or goes away. */
  of(struct: string): SchemaRegistry {
    return this.#owners.get(struct) ?? this.#base;
  }

  struct(name: string): StructSchema | undefined {
    return this.of(name).struct(name);
  }

  decode<T>(name: string, input: unknown, mode?: FieldValidation): Decoded<T> {
    return this.of(name).decode<T>(name, input, mode);
  }

  decodeJson<T>(text: string | Uint8Array, name: string, mode?: FieldValidation): Decoded<T> {
    return this.of(name).decodeJson<T>(text, name, mode);
  }

  decodeProtobuf<T>(body: Uint8Array, name: string): Decoded<T> | undefined {
    return this.of(name).decodeProtobuf<T>(body, name);
  }

  hasMessage(name: string): boolean {
    return this.of(name).hasMessage(name);
  }

  encodeProtobuf(name: string, value: object): Uint8Array {
    return this.of(name).encodeProtobuf(name, value);
  }
}
