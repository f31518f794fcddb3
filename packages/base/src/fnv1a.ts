/**
 * 32-bit FNV-1a over a text's UTF-16 code units. Another seed makes another hash of the same text. No defence against who
 * wants two texts to be alike.
 */
export function fnv1a(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
