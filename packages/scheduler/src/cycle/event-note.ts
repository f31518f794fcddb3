/** What the note of an Event holds (events.k8s.io/v1), in bytes of UTF-8. */
const NOTE_BYTES_MAX = 1024;
const CUT = ' ...';

/** A message as the note of an Event; a longer one is cut, and says so. */
export function eventNote(message: string): string {
  // Most are far shorter, and none has more than three bytes for a unit of its length.
  if (message.length * 3 <= NOTE_BYTES_MAX) return message;
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= NOTE_BYTES_MAX) return message;
  let end = NOTE_BYTES_MAX - CUT.length;
  // Not in the middle of a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end)) + CUT;
}
