import { schemas } from '@binnacle/api';
import type { KindRules, ResourceInfo } from '@binnacle/api';
import { deepFreeze } from '@binnacle/base';
import { groupVersion } from '@binnacle/machinery';
import type { KubeObject } from '@binnacle/machinery';
import type { EntryCodec } from '../cache/entry.ts';
import { asDraft } from './draft.ts';

/** Decodes what is stored of one kind: by the walker, with today's defaults, whoever wrote it. */
export function createStoredCodec(info: ResourceInfo, rules: KindRules, assertions: boolean): EntryCodec {
  const stamp = (object: KubeObject, revision: number): KubeObject => {
    asDraft(object).metadata.resourceVersion = String(revision);
    return assertions ? deepFreeze(object) : object;
  };
  return {
    decode(value, revision) {
      const { value: object } = schemas.decodeJson<KubeObject>(value, info.schema, 'Ignore');
      const draft = asDraft(object);
      draft.kind = info.kind;
      draft.apiVersion = groupVersion(info);
      rules.defaults?.(object);
      return stamp(object, revision);
    },
    adopt: stamp,
  };
}
