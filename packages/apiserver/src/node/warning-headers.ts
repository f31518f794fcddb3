/** All texts together may be so long before each is cut, and nothing more is told once they are (upstream's). */
const TOTAL_MAX = 4096;
/** What is left of a text that is cut. */
const CUT_LENGTH = 256;

/** Values of `Warning` headers (RFC 7234: code, agent, quoted text), one per text, bounded together. */
export function warningHeaders(texts: readonly string[]): string[] {
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  if (total <= TOTAL_MAX) return texts.map(warningHeader);
  const headers: string[] = [];
  let told = 0;
  for (const text of texts) {
    if (told >= TOTAL_MAX) break;
    const cut = text.slice(0, CUT_LENGTH);
    told += cut.length;
    headers.push(warningHeader(cut));
  }
  return headers;
}

/** Header values are Latin-1, so anything beyond what prints becomes a question mark. */
function warningHeader(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/(["\\])/g, '\\$1');
  return `299 - "${plain}"`;
}
