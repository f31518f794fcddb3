/** Control characters, those that turn the direction of text, and those with which XML is none: halves and non-characters. */
export const STEERING = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

/** A text in which nothing steers a terminal or turns its direction, and that any document may hold. */
export function harmless(text: string): string {
  return text.replace(STEERING, '\ufffd');
}
