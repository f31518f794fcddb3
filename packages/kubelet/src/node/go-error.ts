const GO_WORDS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['EHOSTUNREACH', 'no route to host'],
  ['ENETUNREACH', 'network is unreachable'],
  ['ETIMEDOUT', 'connection timed out'],
]);

/** As Go's net package words it, which is what users of Kubernetes know. */
export function goError(
  error: Error & { readonly code?: string },
  { hostname, port }: { readonly hostname: string; readonly port: number | string },
): string {
  const word = GO_WORDS.get(error.code ?? '');
  const address = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]:${port}` : `${hostname}:${port}`;
  if (word !== undefined) return `dial tcp ${address}: connect: ${word}`;
  return error.code === 'ECONNRESET' ? `read tcp ${address}: read: connection reset by peer` : error.message;
}
