import type { SchemaProps } from './structural/props.ts';

/**
 * The shape of the schema table: the one place that says what an object of a kind is (law 8).
 * Decoding, zero values on output, defaults, patches, protobuf and OpenAPI are all derived from it.
 */

/**
 * A type, as text so that the table stays small and loads fast:
 *
 *     string bool int32 int64 double bytes        scalars (bytes travel as base64)
 *     Time MicroTime Duration Quantity IntOrString FieldsV1 RawExtension JSON   values with their own rules
 *     #core.v1.Pod                                a struct of the table
 *     []T                                         a list of T
 *     {}T                                         a map from string to T
 */
export type TypeRef = string;

/** One field of a struct, with the rules that Go's encoder and the API conventions give it. */
export interface FieldSchema {
  readonly type: TypeRef;
  /** Left out of the output when it has Go's zero value (never for structs that are not pointers). */
  readonly omitEmpty?: true;
  /** Left out of the output when its type calls it zero (Go's omitzero): a Time that was never set. */
  readonly omitZero?: true;
  /** An empty list is read as one, though none is written: what is filled in, or refused, is another than without any. */
  readonly readEmpty?: true;
  /** Validation wants an item: where it rests it is no null. */
  readonly neverEmpty?: true;
  /** A pointer in Go: absent and zero are two different values. */
  readonly pointer?: true;
  /** Listed as required by OpenAPI. */
  readonly required?: true;
  /** The Go type as messages name it, where it is not the plain one of `type`: `v1.PullPolicy`. */
  readonly go?: string;
  /** The values that are known; of a list or a map, of what is in it. */
  readonly enum?: readonly string[];
  /** What its type says is filled in, for documents; what is filled in is said by the kind's own rules. */
  readonly default?: string | number | boolean;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listKeys?: readonly string[];
  readonly mergeKey?: string;
  /** Strategic merge patch strategies, comma-separated as upstream tags them. */
  readonly patchStrategy?: string;
  /** A map or struct that patches and apply replace as a whole. */
  readonly atomic?: true;
  /** Field number in protobuf. */
  readonly proto?: number;
  /** Field numbers of the messages that Go embeds and protobuf nests, outermost first: `proto` is inside the last. */
  readonly protoIn?: readonly number[];
}

/** One form of a value that JSON may say in several: what is read, and where protobuf has it. */
export interface UnionForm {
  readonly type: TypeRef;
  readonly proto: number;
}

/**
 * A value that JSON says as a boolean, an object or a list, and protobuf as a message with a field for each form
 * (JSONSchemaPropsOrBool). A boolean beside an object says that there is one.
 */
export interface Union {
  readonly bool?: UnionForm;
  readonly object?: UnionForm;
  readonly list?: UnionForm;
}

/** A struct: its fields in the order in which they are written. */
export interface StructSchema {
  readonly fields: { readonly [name: string]: FieldSchema };
  readonly atomic?: true;
  /** In place of fields. */
  readonly union?: Union;
  /**
   * The rules of a custom kind, which are structural: unknown members are pruned, nulls and absent values stay what
   * they are. Only `apiVersion`, `kind` and `metadata` follow Go's rules, and stand among `fields`. Without it the
   * struct follows Go's rules throughout.
   */
  readonly structural?: SchemaProps;
}

/** All structs by name: group's short name, version, kind (`apps.v1.Deployment`, `meta.v1.ObjectMeta`). */
export interface SchemaTable {
  readonly [name: string]: StructSchema;
}
