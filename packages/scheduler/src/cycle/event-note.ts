import { utf8Prefix } from '@binnacle/base';

/** What the note of an Event holds (events.k8s.io/v1), in bytes of UTF-8. */
const NOTE_BYTES_MAX = 1024;
const CUT = ' ...';

/** A message as the note of an Event; a longer one is cut, and says so. */
export function eventNote(message: string): string {
  const fitting = utf8Prefix(message, NOTE_BYTES_MAX);
  return fitting === message ? message : utf8Prefix(fitting, NOTE_BYTES_MAX - CUT.length) + CUT;
}
