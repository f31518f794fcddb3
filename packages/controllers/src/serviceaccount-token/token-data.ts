import { wellknown } from '@binnacle/api';
import type { Secret, ServiceAccount } from '@binnacle/api/core/v1';

/** What a token's secret holds beside the token itself. */
export interface TokenSurroundings {
  /** PEM; empty: nothing is put there. */
  readonly rootCA: string;
  readonly account: ServiceAccount;
}

/** Whether the secret lacks a token. */
export function lacksToken({ data = {} }: Secret): boolean {
  return !Object.hasOwn(data, 'token') || data['token'] === '';
}

/** The secret with all that a token needs around it, and this token where it has none; the same one when nothing lacks. */
export function completed(secret: Secret, { rootCA, account }: TokenSurroundings, token: string): Secret {
  const { data = {}, metadata } = secret;
  const authority = toBase64(rootCA);
  const needsCA = rootCA !== '' && data['ca.crt'] !== authority;
  const needsNamespace = (data['namespace'] ?? '') === '';
  if (!needsCA && !needsNamespace && !lacksToken(secret)) return secret;
  return {
    ...secret,
    metadata: {
      ...metadata,
      annotations: {
        ...metadata.annotations,
        [wellknown.ANNOTATION_SERVICE_ACCOUNT_NAME]: account.metadata.name ?? '',
        [wellknown.ANNOTATION_SERVICE_ACCOUNT_UID]: account.metadata.uid ?? '',
      },
    },
    data: {
      ...data,
      ...(needsCA ? { 'ca.crt': authority } : {}),
      ...(needsNamespace ? { namespace: toBase64(metadata.namespace ?? '') } : {}),
      ...(lacksToken(secret) ? { token: toBase64(token) } : {}),
    },
  };
}

function toBase64(text: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}
