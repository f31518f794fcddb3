import { foldStringData } from '@binnacle/api';
import type { Draft } from '@binnacle/api';
import type { Secret } from '@binnacle/api/core/v1';
import type { KubeObject } from '@binnacle/machinery';
import type { Strategy } from '../../../ports/strategy.ts';

const fold = (object: KubeObject): void => foldStringData(object as Draft<Secret>);

/** `stringData` is for writing only: it ends up in `data`. */
export const SECRET_STRATEGY: Strategy = {
  readNew: fold,
  prepareForCreate: fold,
  prepareForUpdate: fold,
};
