import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * The signature of a text by a bootstrap token: a JSON Web Signature (HS256) without its payload (RFC 7515, appendix F), as who
 * joins a cluster checks `cluster-info`.
 */
export function signDetached(text: string, token: { readonly id: string; readonly secret: string }): string {
  const header = base64Url(utf8ToBytes(JSON.stringify({ alg: 'HS256', kid: token.id })));
  const signed = utf8ToBytes(`${header}.${base64Url(utf8ToBytes(text))}`);
  return `${header}..${base64Url(hmac(sha256, utf8ToBytes(token.secret), signed))}`;
}

function base64Url(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
