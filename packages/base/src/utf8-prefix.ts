/**
 * The longest beginning of a text that has at most so many bytes in UTF-8; no character is cut in two. The text itself where it
 * fits, which costs short ones nothing.
 */
export function utf8Prefix(text: string, bytesMax: number): string {
  // A character is three bytes at the most for each of its units.
  if (text.length * 3 <= bytesMax) return text;
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end));
}
