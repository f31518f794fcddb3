/** Only texts of JSON hold them, and there they may be escaped. */
const MARKS = /[<>&\u2028\u2029]/g;

/** A text of JSON as Go's encoder writes it: who compares bytes finds their own. */
export function safeInHtml(json: string): string {
  return json.replaceAll(MARKS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
