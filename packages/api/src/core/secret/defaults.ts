import type { Draft } from '../../draft.ts';
import type { Secret } from '../../generated/core-v1.ts';
import { foldStringData } from './string-data.ts';

export function defaultSecret(secret: Draft<Secret>): void {
  foldStringData(secret);
  if (!secret.type) secret.type = 'Opaque';
}
