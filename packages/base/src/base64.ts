/**
 * The bytes of base64 (RFC 4648, 4; whitespace is passed over, padding may be missing). Letter by letter in a loop: the
 * platform's `Uint8Array.from` with a function takes twenty times as long, half a second for a megabyte. Throws what
 * `atob` throws.
 */
export function base64ToBytes(text: string): Uint8Array<ArrayBuffer> {
  return bytesOfLetters(atob(text));
}

/** The bytes of a text whose letters are bytes, as `atob` makes them. */
export function bytesOfLetters(letters: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}
