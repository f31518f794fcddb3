import type { KindRules, ResourceInfo } from '@binnacle/api';
import { deepFreeze } from '@binnacle/base';
import { groupVersion } from '@binnacle/machinery';
import type { KubeObject, SchemaRegistry } from '@binnacle/machinery';
import { asDraft } from './draft.ts';

/** Makes objects of stored bytes, for one stored resource. */
export interface EntryCodec {
  /** What values of our own begin with; one that does not is decoded before it is believed. Absent: none is believed. */
  readonly head?: Uint8Array;
  /** The decoded, defaulted object with its resourceVersion; frozen where assertions are on. */
  decode(value: Uint8Array, revision: number): KubeObject;
  /** The object of a write that just got its revision: stamps it, freezes it where assertions are on. */
  adopt(object: KubeObject, revision: number): KubeObject;
}

export interface CodecOptions {
  /** Of the stored version. */
  readonly info: ResourceInfo;
  readonly rules: KindRules;
  readonly schemas: SchemaRegistry;
  /** Freezes what is decoded. */
  readonly assertions: boolean;
}

/** Decodes what is stored of one kind: by the walker, with today's defaults, whoever wrote it. */
export function createStoredCodec({ info, rules, schemas, assertions }: CodecOptions): EntryCodec {
  const apiVersion = groupVersion(info);
  const stamp = (object: KubeObject, revision: number): KubeObject => {
    asDraft(object).metadata.resourceVersion = String(revision);
    return assertions ? deepFreeze(object) : object;
  };
  const head = `{"kind":${JSON.stringify(info.kind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":{`;
  return {
    head: new TextEncoder().encode(head),
    decode(value, revision) {
      const { value: object } = schemas.decodeJson<KubeObject>(value, info.schema, 'Ignore');
      const draft = asDraft(object);
      draft.kind = info.kind;
      draft.apiVersion = apiVersion;
      rules.defaults?.(object);
      return stamp(object, revision);
    },
    adopt: stamp,
  };
}
