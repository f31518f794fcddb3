import { putMember } from '@binnacle/machinery';
import type { Draft } from '../../draft.ts';
import type { Secret } from '../../generated/core-v1.ts';
import { encodeBase64Text } from './base64.ts';

/** Folds the write-only `stringData` into `data` as base64; it wins over what `data` had. */
export function foldStringData(secret: Draft<Secret>): void {
  const text = secret.stringData;
  if (!text) return;
  delete secret.stringData;
  const data = (secret.data ??= {});
  for (const [key, value] of Object.entries(text)) putMember(data, key, encodeBase64Text(value));
}
