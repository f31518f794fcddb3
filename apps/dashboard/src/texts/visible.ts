/** Control characters but ends of line and tabs, and those that turn the direction of what stands behind them. */
const STEERING = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text of an object in which nothing is hidden, and nothing shown in another place than it stands: `\u202e`. */
export function visible(text: string): string {
  return text.replaceAll(STEERING, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
