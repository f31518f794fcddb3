import { fnv1a } from '@binnacle/base';

/**
 * A short name for a text, for ETags and cache-busting addresses: two runs of FNV-1a with different seeds. No
 * defence against an attacker, who could only fool a cache of its own.
 */
export function hashText(text: string): string {
  return [0x811c9dc5, 0x9747b28c].map((seed) => fnv1a(text, seed).toString(16).padStart(8, '0')).join('');
}
