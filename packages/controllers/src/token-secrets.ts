import { wellknown } from '@binnacle/api';
import { status } from '@binnacle/machinery';
import type { Secret } from '@binnacle/api/core/v1';

/** The type of secrets that hold a token of a ServiceAccount. */
export const ACCOUNT_TOKEN = 'kubernetes.io/service-account-token';
/** A cache of nothing but these. */
export const ACCOUNT_TOKENS = { fieldSelector: `type=${ACCOUNT_TOKEN}` };

/** Whose token a secret is for: what its annotations say. */
export function accountOf({ metadata }: Secret): { readonly key: string; readonly name: string; readonly uid: string } {
  const { namespace = '', annotations = {} } = metadata;
  const name = annotations[wellknown.ANNOTATION_SERVICE_ACCOUNT_NAME] ?? '';
  return { key: `${namespace}/${name}`, name, uid: annotations[wellknown.ANNOTATION_SERVICE_ACCOUNT_UID] ?? '' };
}

/** Somebody was faster: what they did is an occasion of its own. */
export async function unlessPassed(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!status.isConflict(error) && !status.isNotFound(error)) throw error;
  }
}
