import type { KindRules, ResourceInfo } from '@binnacle/api';
import { CatalogueError, deepFreeze } from '@binnacle/base';
import { groupVersion } from '@binnacle/machinery';
import type { KubeObject, SchemaRegistry } from '@binnacle/machinery';
import { asDraft } from './draft.ts';
import { refuseUnrestored } from './unrestored.ts';

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
  /** Versions that are read as what they are. Empty: whatever is stored is read as the stored version. */
  readonly versions?: readonly StoredVersion[];
  /** Freezes what is decoded. */
  readonly assertions: boolean;
}

/** One version in which objects may be stored. */
export interface StoredVersion {
  readonly info: ResourceInfo;
  readonly rules: KindRules;
}

/** The value says that it is of a version that its kind does not have. */
export class UnknownVersionError extends CatalogueError {
  constructor(apiVersion: string) {
    super('unknown-version', `request to convert CR from an invalid group/version: ${apiVersion}`);
  }
}

/** Decodes what is stored of one kind: by the walker, with today's defaults, whoever wrote it. */
export function createStoredCodec({ info, rules, schemas, assertions, versions = [] }: CodecOptions): EntryCodec {
  const stamp = (object: KubeObject, revision: number): KubeObject => {
    asDraft(object).metadata.resourceVersion = String(revision);
    return assertions ? deepFreeze(object) : object;
  };
  const read = (value: Uint8Array, version: StoredVersion): KubeObject => {
    const { value: object } = schemas.decodeJson<KubeObject>(value, version.info.schema, 'Ignore');
    const draft = asDraft(object);
    draft.kind = info.kind;
    draft.apiVersion = groupVersion(version.info);
    version.rules.defaults?.(object);
    return object;
  };
  const storage = { info, rules };
  const heads = versions.map((version) => ({ version, head: headOf(version.info) }));
  return {
    head: headOf(info),
    decode(value, revision) {
      refuseUnrestored(value);
      const version = heads.length === 0 ? storage : versionOf(value, heads);
      return stamp(read(value, version), revision);
    },
    adopt: stamp,
  };
}

/** What values begin with that were written here. */
function headOf(info: ResourceInfo): Uint8Array {
  const [kind, apiVersion] = [info.kind, groupVersion(info)].map((text) => JSON.stringify(text));
  return new TextEncoder().encode(`{"kind":${kind},"apiVersion":${apiVersion},"metadata":{`);
}

interface KnownHead {
  readonly version: StoredVersion;
  readonly head: Uint8Array;
}

/** By its first bytes, else by what it says. Throws UnknownVersionError. */
function versionOf(value: Uint8Array, heads: readonly KnownHead[]): StoredVersion {
  const known = heads.find(({ head }) => head.every((byte, at) => value[at] === byte));
  if (known !== undefined) return known.version;
  const { apiVersion = '' } = JSON.parse(new TextDecoder().decode(value)) as { apiVersion?: string };
  const named = heads.find(({ version }) => groupVersion(version.info) === apiVersion);
  if (named === undefined) throw new UnknownVersionError(apiVersion);
  return named.version;
}
