/** Control characters, and those that turn the direction of text. */
export const STEERING = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text in which nothing steers a terminal or turns its direction. */
export function harmless(text: string): string {
  return text.replace(STEERING, '\ufffd');
}
