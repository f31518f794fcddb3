/** Headers of the dashboard's own files; scripts of nobody else run, and nobody else's page may frame or open it. */
export function pageHeaders(nonce: string): { readonly [name: string]: string } {
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return { ...COMMON, 'content-security-policy': policy.join('; ') };
}

/** What is passed on from the API server is data: a browser that is led to it runs nothing of it. */
export const DATA_HEADERS: { readonly [name: string]: string } = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
};

const COMMON = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Of a reply of the API server, what a page needs; hop by hop headers and cookies stay behind. */
const PASSED_BACK = ['content-type', 'warning', 'retry-after', 'audit-id', 'etag', 'location'];
/** Of a page's request, what the API server needs; credentials are the session's, never the page's. */
const PASSED_ON = ['accept', 'content-type', 'if-none-match'];

type Headers = { readonly [name: string]: string | readonly string[] | undefined };

/** Headers of a reply of the API server as the page gets them. */
export function replyHeaders(headers: Headers): { [name: string]: string | readonly string[] } {
  return { ...DATA_HEADERS, ...pick(headers, PASSED_BACK) };
}

/** Headers of a page's request as the API server gets them. */
export function requestHeaders(headers: Headers): { [name: string]: string } {
  const picked = pick(headers, PASSED_ON);
  return Object.fromEntries(Object.entries(picked).map(([name, value]) => [name, String(value)]));
}

function pick(headers: Headers, names: readonly string[]): { [name: string]: string | readonly string[] } {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** Under which hosts browsers ask an origin of these names: the port is not said where it is the scheme's own. */
export function ownHosts(
  names: readonly string[],
  { port, isSecure }: { readonly port: number; readonly isSecure: boolean },
): ReadonlySet<string> {
  const isUsual = port === (isSecure ? 443 : 80);
  return new Set(names.flatMap((name) => (isUsual ? [name, `${name}:${port}`] : [`${name}:${port}`])));
}

/**
 * Whether a request is for this origin and comes from its own pages: names that somebody else's DNS leads here are
 * refused (rebinding), and so are requests that other pages make.
 */
export function isOwn(headers: Headers, hosts: ReadonlySet<string>): boolean {
  const { host, origin } = headers;
  if (typeof host !== 'string' || !hosts.has(host)) return false;
  if (origin === undefined) return true;
  if (typeof origin !== 'string') return false;
  return origin === `http://${host}` || origin === `https://${host}`;
}
