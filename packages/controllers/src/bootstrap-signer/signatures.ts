import { signDetached } from '@binnacle/api';
import type { ConfigMap } from '@binnacle/api/core/v1';

const PREFIX = 'jws-kubeconfig-';

/**
 * `cluster-info` with one signature of its kubeconfig for each of these tokens, and no others; the same object when it is so
 * already, or has no kubeconfig to sign.
 */
export function withSignatures(
  info: ConfigMap,
  tokens: readonly { readonly id: string; readonly secret: string }[],
): ConfigMap {
  const before = info.data ?? {};
  const text = Object.hasOwn(before, 'kubeconfig') ? before['kubeconfig'] : undefined;
  if (text === undefined) return info;
  const others = Object.entries(before).filter(([key]) => !key.startsWith(PREFIX));
  const signed = tokens.map((token) => [`${PREFIX}${token.id}`, signDetached(text, token)] as const);
  const data = Object.fromEntries([...others, ...signed]);
  const keys = Object.keys(data);
  const same = keys.length === Object.keys(before).length && keys.every((key) => before[key] === data[key]);
  return same ? info : { ...info, data };
}
