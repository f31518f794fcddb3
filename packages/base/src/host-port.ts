/** A host as it stands in a URL: IPv6's colons would else read as a port's. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** `10.0.0.1:443`, `[fd00::1]:443`. */
export function hostPort(host: string, port: number | string): string {
  return `${bracketed(host)}:${port}`;
}
