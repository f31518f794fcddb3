import { readFileSync } from 'node:fs';

/** A field as the Go types of the Kubernetes API declare it. */
export interface GoField {
  go: string;
  inline?: boolean;
  omitempty?: boolean;
  omitzero?: boolean;
  patchStrategy?: string;
  patchMergeKey?: string;
  markers?: string[];
}
export interface GoType {
  fields?: Record<string, GoField>;
  alias?: string;
  enum?: boolean;
  values?: string[];
  markers?: string[];
}
export interface OpenApiField {
  t?: unknown;
  required?: boolean;
  enum?: string[];
}
export interface OpenApiType {
  fields?: Record<string, OpenApiField | string | unknown[]>;
  gvk?: [string, string, string][];
  'x-kubernetes-map-type'?: string;
}

function load<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./facts/${name}`, import.meta.url), 'utf8')) as T;
}

/** Go packages → types, v1.36. */
export const goTypes: Record<string, Record<string, GoType>> = load('go-fields-v1.36.json');
/** OpenAPI definitions of v1.36. */
export const openApi: Record<string, OpenApiType> = load('api-schema-v1.36.json');
/** Protobuf messages → field → [number, type]. */
export const proto: Record<string, Record<string, [number, string]>> = load('proto-fields-v1.36.json');
/** Every path of the API with its kind and verbs. */
export const paths: Record<string, { kind: string; ops: Record<string, string> }> = load('api-paths-v1.36.json');
