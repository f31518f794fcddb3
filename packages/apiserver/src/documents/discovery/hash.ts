/**
 * A short name for a text, for ETags and cache-busting addresses: two runs of FNV-1a with different seeds. No
 * defence against an attacker, who could only fool a cache of its own.
 */
export function hashText(text: string): string {
  return fnv1a(text, 0x811c9dc5) + fnv1a(text, 0x9747b28c);
}

function fnv1a(text: string, seed: number): string {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
