/** What lets our own styles pass the page's policy. */
export function pageNonce(): string {
  return document.querySelector('meta[name="nonce"]')?.getAttribute('content') ?? '';
}
