import type { PodTemplateSpec } from '../generated/core-v1.ts';

/** Upstream's alphabet for names: no vowels, so that no words come out; no 0, 1 and 3, which read as letters. */
const SAFE_DIGITS = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A stable hash of a pod template, for the label `pod-template-hash` and for names: FNV-1a of 32 bits over the
 * template with its keys in order, in upstream's safe alphabet. It is not the value that upstream computes (see
 * docs/decisions/0020-pod-template-hash.md). `collisions` makes another hash of the same template.
 */
export function podTemplateHash(template: PodTemplateSpec, collisions?: number): string {
  let hash = fnv1a(0x811c9dc5, stableText(template));
  if (collisions !== undefined) hash = fnv1a(hash, String(collisions));
  return safeEncode(String(hash));
}

/** Each character as one of the safe alphabet. */
export function safeEncode(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at++) out += SAFE_DIGITS[text.charCodeAt(at) % SAFE_DIGITS.length];
  return out;
}

/** Absent and null count as the same; the order of keys does not matter. */
function stableText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const parts: string[] = [];
  for (const [key, inner] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (inner !== undefined && inner !== null) parts.push(`${JSON.stringify(key)}:${stableText(inner)}`);
  }
  return `{${parts.join(',')}}`;
}

function fnv1a(seed: number, text: string): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    if (unit > 0xff) hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  return hash >>> 0;
}
