import { bytesOfLetters } from '@binnacle/base';
/** Bytes per call of fromCharCode: its arguments go on the stack. */
const CHUNK_BYTES = 8192;

/** Text as UTF-8, as base64. */
export function encodeBase64Text(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  }
  return btoa(binary);
}

/** The text behind base64 of UTF-8. */
export function decodeBase64Text(encoded: string): string {
  const binary = atob(encoded);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytesOfLetters(binary));
}

/** How many bytes a base64 text stands for. */
export function base64Bytes(encoded: string): number {
  const padding = encoded.endsWith('==') ? 2 : encoded.endsWith('=') ? 1 : 0;
  return Math.floor(encoded.length / 4) * 3 - padding;
}
