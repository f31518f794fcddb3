/** What the beginning of a connection says of the host that is asked: not yet, nothing that can be trusted, or its name. */
export type HostReading =
  | { readonly type: 'more' }
  | { readonly type: 'none' }
  | { readonly type: 'host'; host: string };

/** Heads of requests are no longer than this, bytes. */
export const HEAD_BYTES_MAX = 64 * 1024;

const END = '\r\n\r\n';
const REQUEST_LINE = /^[A-Z]{1,32} \S+ HTTP\/1\.[01]$/;

/** Reads the Host header of an HTTP/1 request. One name, said once: what could be read in two ways is none. */
export function readHost(head: Uint8Array): HostReading {
  const text = new TextDecoder('latin1').decode(head.subarray(0, HEAD_BYTES_MAX));
  const end = text.indexOf(END);
  if (end === -1) return head.length >= HEAD_BYTES_MAX ? { type: 'none' } : { type: 'more' };
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  if (!REQUEST_LINE.test(first) || lines.some((line) => /^[ \t]|[\r\n]/.test(line))) return { type: 'none' };
  const hosts = lines
    .filter((line) => /^host[ \t]*:/i.test(line))
    .map((line) => line.slice(line.indexOf(':') + 1).trim());
  const [host] = hosts;
  return host === undefined || hosts.length > 1 ? { type: 'none' } : { type: 'host', host: host.toLowerCase() };
}
